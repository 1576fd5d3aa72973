"""Lookups of events and of counts over time."""
