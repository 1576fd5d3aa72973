"""Who may do what: keys, scopes and namespaces."""
