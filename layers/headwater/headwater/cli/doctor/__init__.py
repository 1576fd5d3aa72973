"""Finds the cause of an empty or incomplete graph: `headwater doctor`.

The doctor only uses the public API of a deployment, so it examines a stack of `make up` and a stack on AWS alike. First
it posts a canary run and reads it back. If that fails, the fault is in the network, the path, the key or the stack, not
in a job. Then it examines the events and jobs that have arrived.
"""
