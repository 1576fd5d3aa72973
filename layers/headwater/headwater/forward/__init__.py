"""Events that go on to other systems: Amazon SageMaker Catalog, or any HTTP endpoint of OpenLineage."""
