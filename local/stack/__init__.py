"""The embedded stack from start to stop: `make up` and `make down`."""
