"""The use case of the Lambda normalise: messages are archived, normalised and folded into the store."""
