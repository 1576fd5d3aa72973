"""Headwater in one process: the API, the fold and the alerts over one SQLite file. `headwater serve` starts it.

    HTTP -> app -> ingest -> inbox -> fold worker -> table -> outbox -> announcing -> alert log -> receivers
                -> lookup, curate                                                                  console, webhook, SNS

The use cases are those of the functions on AWS. `application` wires them to the ports of a
home, such as the tables of a file.
"""
