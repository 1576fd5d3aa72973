"""Alerts: schema changes, failed and abandoned runs, failed assertions and late events, with the nodes at risk."""
