"""The domain: nodes and how events merge into them. Pure functions: no AWS, no clock, no I/O.

Every state here is a join of what single events say: `join(a, b)` is commutative, associative and idempotent, so a
state depends on the set of events alone, whatever the order, the batches and the repetitions they came in.
"""
