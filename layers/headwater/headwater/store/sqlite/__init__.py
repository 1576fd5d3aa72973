"""The store of one process, in one SQLite file: table, inbox, archive, bodies, outbox and keys are tables of the
file."""
