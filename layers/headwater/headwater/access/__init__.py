"""API keys, principals with scopes and namespaces, and the sending of a principal's events."""
