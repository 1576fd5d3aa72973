"""Nodes in the form of Marquez's API: a member is null where nothing is known."""
