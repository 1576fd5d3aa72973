"""What is wrong when a graph is empty, or not as it should be: `headwater doctor`.

It asks through the public API alone, so it is the same for the stack of `make up` and for one on AWS. First it posts a
run and reads it back: if that fails, it is the network, the path or the key, and no job's fault. Then it looks at what
jobs have sent.
"""
