"""The alerts of a stack, received and printed, and the stand-in for Datadog that alerts are also sent to."""
