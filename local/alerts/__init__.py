"""Receives and prints the alerts of a stack; and a stand-in for Datadog, which receives the alerts, too."""
