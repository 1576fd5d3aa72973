"""The kinds of items: a codec and an encoder each. docs/table.md lists the kinds."""
