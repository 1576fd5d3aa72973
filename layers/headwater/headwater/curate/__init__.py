"""The use case of curate: deletions, tags, descriptions and declarations through the API, stored as events."""
