"""Why a graph is empty or incomplete: `headwater doctor`.

The doctor knows a deployment by its public API alone, so a stack of `make up` and one on AWS are examined alike.
First a canary run is posted and read back: if that fails, the network, the path, the key or the stack is at fault, and
no job. Then the doctor looks at the events and jobs that have arrived.
"""
