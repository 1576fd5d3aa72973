"""The lookups of the command `headwater`: `lineage`, `columns`, `impact`, `why`, `diff` and `runs`, against any
deployment.

They know a deployment only by its public API, and share only the texts of answers with it.
"""
