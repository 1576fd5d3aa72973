"""What a run did to an output: write it, or only create, alter, rename or drop the table."""

import re
from collections.abc import Iterator

from emr_jobs.lakehouse.states import WRITE
from headwater.graph.facets.dataset_reference import IoDataset
from headwater.graph.facets.members import LIFECYCLE, facet_text
from headwater.graph.facets.register import values
from headwater.graph.facets.renaming import is_old_name, renames_to
from headwater.graph.names.identity import DatasetId, dataset_id
from headwater.graph.states.run import Run
from headwater.openlineage.event import Name

DEFINE, DROP = "define", "drop"
OF_THE_TABLE = {"CREATE", "ALTER", "RENAME", "TRUNCATE"}
"""Changes that put no data into a table. CREATE TABLE AS SELECT says CREATE too, and has inputs, or counts rows."""
_DOUBLED = re.compile(r"(?P<path>.*(?P<database>/[^/]+\.db))(?P=database)(?P<table>/[^/]+)")


def direction_of(output: IoDataset, run: Run) -> str:
    facets = values(output.facets)
    change = facet_text(facets, LIFECYCLE, LIFECYCLE)
    if change == "DROP" or (is_old_name(facets) and renames_to(facets)):
        return DROP
    if is_old_name(facets):
        return DEFINE
    is_ddl = change in OF_THE_TABLE or _is_ddl_of_trino(run)
    return DEFINE if is_ddl and not run.inputs and "outputStatistics" not in output.io_facets else WRITE


def other_drops(output: IoDataset) -> Iterator[tuple[DatasetId, Name]]:
    """What else is gone: the table itself where the listener names a dropped table of Spark's own catalog by a path
    that has the folder of the database twice."""
    match values(output.facets).get(LIFECYCLE):
        case {"lifecycleStateChange": "DROP"} if twice := _DOUBLED.fullmatch(output.name.name):
            name = Name(output.name.namespace, twice["path"] + twice["table"])
            yield dataset_id(name), name


def _is_ddl_of_trino(run: Run) -> bool:
    return facet_text(values(run.facets), "trino_query_context", "query_type") == "DATA_DEFINITION"
