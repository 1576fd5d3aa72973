"""The table: its keys, its items, the port that use cases see, and the adapters behind it."""
