"""Facets: registers, long facets, and how to read their members, whatever a producer put there."""
