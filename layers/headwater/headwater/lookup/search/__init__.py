"""Lookups by a part of a name."""
