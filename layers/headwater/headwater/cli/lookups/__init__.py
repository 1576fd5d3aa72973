"""The lookups of the command `headwater`: `lineage`, `columns`, `impact`, `why`, `diff` and `runs`, against any
deployment.

It knows a deployment by its public API alone, and shares only the texts of answers with it.
"""
