"""The domain: jobs, datasets and runs, and how events merge into them. Pure functions: no AWS, no clock, no I/O.

Every state is a join of single events: `join(a, b)` is commutative, associative and idempotent. Hence a state depends
on the set of events alone, not on their order, their batches or repetitions (the law of the fold).
"""
