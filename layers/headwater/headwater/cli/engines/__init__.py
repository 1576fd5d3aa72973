"""`headwater try ENGINE`: a real engine, set up from the package registries, runs a small pipeline that reports its
lineage. Each engine has a folder: the files of its pipeline, its pins, and a driver."""
