"""Tests of lineage: what a job reads and makes in a test, beside a snapshot that is reviewed like code."""
