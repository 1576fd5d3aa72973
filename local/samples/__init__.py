"""The samples of events/, sent through the functions in a real runtime of Lambda."""
