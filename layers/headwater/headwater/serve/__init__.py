"""Headwater in one process: the API, the fold and the alerts over one SQLite file. `headwater serve` starts it.

    HTTP -> app -> ingest -> inbox -> folder -> table -> outbox -> announcing -> alert log -> receivers
                -> lookup, curate                                                             console, webhook, SNS

The use cases are those of the functions on AWS. `home` wires them to the tables of the file.
"""
