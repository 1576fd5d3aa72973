"""Facets: registers, the long facets, and what their members say, whatever a producer put there."""
