"""Sample Lambda events for each function and each of its triggers. README.md lists them.

`PYTHONPATH=layers/headwater python -m events.generate` generates the samples, because gzip and messages of the queue
are not written by hand.
"""
