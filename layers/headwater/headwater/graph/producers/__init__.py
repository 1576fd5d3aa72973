"""Producers: what each engine means by its events, and how an event is normalised before it is merged."""
