"""The domain: jobs, datasets and runs, and how events merge into them. Pure functions: no AWS, no clock, no I/O.

Every state is a join of single events: `join(a, b)` is commutative, associative and idempotent. So a state depends only
on the set of events, not on their order, batches or repetitions (the law of the fold).
"""
