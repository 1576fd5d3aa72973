"""The embedded stack: the deployment's own template and handlers, on this machine, with nothing but Python.

`python -m local up|down|demo`, or the Makefile's targets of the same names.
"""
