"""What the graph store knows of connectors: the memory of the poll in the function."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwater.graph.facets.register import values
from headwater.graph.facets.schema_diff import columns_of
from headwater.graph.names.identity import dataset_id
from headwater.graph.states.run import Run
from headwater.openlineage.event import Name
from headwater.read.neighbourhood import Neighbourhood
from headwater.read.reader import Reader
from headwater.sources.connect.told_connectors import ToldConnector, ToldRun, told_connector, told_run


@dataclass(frozen=True)
class StoredConnectors:
    """`ConnectorGraph` over the graph store."""

    reader: Reader

    def told_connectors(self, namespace: str) -> Mapping[str, ToldConnector]:
        ids = [entry.id for entry in self.reader.store.jobs_in(namespace).entries()]
        heads = self.reader.jobs(ids, usages=False)
        runs = self.reader.latest_runs(heads)
        told: dict[str, ToldConnector] = {}
        for job, head in heads.items():
            connector = told_connector(values(head.facts.facets), _told(runs.get(job)))
            if connector:
                told[head.facts.name.name] = connector
        return told

    def columns(self, datasets: Sequence[Name]) -> Mapping[Name, Sequence[str]]:
        ids = {name: dataset_id(self.reader.naming.identify(name).identity) for name in datasets}
        known = self.reader.neighbourhood(set(ids.values()), ()) if ids else Neighbourhood()
        heads = {name: known.heads.get(known.representative(dataset)) for name, dataset in ids.items()}
        return {name: list(columns_of(head.schema)) for name, head in heads.items() if head}


def _told(run: Run | None) -> ToldRun | None:
    return told_run(run.run_id, run.state.value, values(run.facets), run.updated) if run else None
