"""Sample Lambda events, one for each function and each way to reach it. README.md lists them.

They are generated, since some hold what only a program can write (gzip, messages of the queue):
`PYTHONPATH=layers/headwater python -m events.generate` writes them all again.
"""
