"""`headwater mcp`: the lookups as read-only tools of the Model Context Protocol, for coding assistants."""
