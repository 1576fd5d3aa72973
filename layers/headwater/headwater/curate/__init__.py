"""The use case of curate: what people say through the API, told as events and read back at once."""
