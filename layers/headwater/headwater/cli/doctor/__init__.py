"""Finds the cause of an empty or incomplete graph: `headwater doctor`.

The doctor uses the public API of a deployment alone, so a stack of `make up` and a stack on AWS are examined alike.
First a canary run is posted and read back. If that fails, the fault is in the network, the path, the key or the stack,
and not in a job. Then the doctor examines the events and jobs that have arrived.
"""
