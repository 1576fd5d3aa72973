"""The use case of normalise: from messages to items."""
