"""Hive: a schema is the table's definition in the metastore, and column lineage has filters, joins and groupings.

The hook names a job by the operation and the first table that the query writes. Each INSERT is the operation QUERY:

    query.shop.orders    INSERT OVERWRITE ... SELECT ... FROM landing       query.shop.orders 1f4e03c2
    query.shop.orders    INSERT INTO ... SELECT ... FROM returns            query.shop.orders 90ab77d1: else the one
                                                                            would take the place of the other

The fingerprint is that of Trino's queries: the nightly INSERT of another day is the same job. A job named by
`hive.openlineage.job.name` keeps its name. Known from OpenLineage's source and test resources, not recorded.
"""

from headwater.graph.facets.members import facet_text
from headwater.graph.producers.producer import Producer, Strength
from headwater.graph.producers.trino import fingerprint
from headwater.openlineage.event import JobReference

_OF_ANY_INSERT = "query."


class Hive(Producer):
    def stable_name(self, job: JobReference) -> str:
        query, name = facet_text(job.facets, "sql", "query"), job.name.name
        return f"{name} {fingerprint(query)}" if query and name.startswith(_OF_ANY_INSERT) else name


HIVE = Hive("hive", inputs=Strength.COMPLETE, outputs=Strength.COMPLETE, runs_queries=True)
