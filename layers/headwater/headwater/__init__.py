"""Headwater: where every dataset came from, folded from OpenLineage events into a graph of DynamoDB items."""
