"""The routes of the lookup API. docs/routes.md lists them."""

from dataclasses import dataclass

from headwater import metrics
from headwater.access.principal import Scope
from headwater.access.visibility import visibility_of_reader
from headwater.graph.names.identity import NodeKind
from headwater.graph.names.naming import Naming
from headwater.http.parameters import DEPTH, NODE_ID, PAGE, RUN_ID
from headwater.http.paths import Path
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.http.router import CALLER, Route, Router
from headwater.http.subjects import DATASET, JOB, NAMESPACE, RUN, RUN_OF_QUERY, node_in_query
from headwater.log import FaultLog
from headwater.lookup import caller, openapi
from headwater.lookup.activity import (
    alerts,
    audit,
    events,
    expectations,
    insights,
    refusals,
    run_events,
    set_aside,
    statistics,
    top_runs,
)
from headwater.lookup.graphs import diff_view, impact_view, lineage, root_cause_view, run_lineage_view, text_format
from headwater.lookup.graphs.text_format import or_text
from headwater.lookup.nodes import (
    aliases,
    dataset_versions,
    datasets,
    job_versions,
    jobs,
    namespaces,
    quality,
    runs,
    sources,
    tags,
)
from headwater.lookup.parameters import (
    ALERTS,
    AUDIT,
    COLUMN_LINEAGE,
    DATASETS,
    DIFF,
    EVENTS,
    EXPECTATIONS,
    EXPORT,
    FACET_TYPE,
    IMPACT,
    INSIGHTS,
    JOB_RUNS,
    JOBS,
    LINEAGE,
    ROOT_CAUSE,
    RUN_EVENTS,
    SEARCH,
    SEARCH_GROUPS,
    SEARCH_NODES,
    STATISTICS,
    TEXT,
    TOP_RUNS,
)
from headwater.lookup.search import groups, search, search_v2beta
from headwater.lookup.subjects import (
    ADMINISTRATOR,
    ALERT,
    NAMESPACE_OF_DATASETS,
    NAMESPACE_OF_JOBS,
    NODE_OR_NAMESPACES,
    READABLE_NAMESPACES,
    SEARCHED_NAMESPACES,
    SOURCE,
    VISIBLE_NAMESPACES,
)
from headwater.read.reader import Reader
from headwater.store.errors import CorruptItem
from headwater.store.graph_store import GraphReader

_NODE = node_in_query(*lineage.NODES)
_NODE_OR_COLUMN = node_in_query(*NodeKind)
_DATASET = node_in_query(NodeKind.DATASET)
_DATASET_OR_COLUMN = node_in_query(NodeKind.DATASET, NodeKind.FIELD)
READ = Scope.READ

ROUTES = (
    Route("GET", Path.OPENAPI, READ, CALLER, openapi.openapi),
    Route("GET", Path.CALLER, READ, CALLER, caller.caller),
    Route("GET", Path.NAMESPACES, READ, VISIBLE_NAMESPACES, namespaces.namespaces, parameters=PAGE),
    Route("GET", Path.ALL_JOBS, READ, VISIBLE_NAMESPACES, jobs.all_jobs, parameters=JOBS),
    Route("GET", Path.RUNS, READ, READABLE_NAMESPACES, top_runs.top_runs, parameters=TOP_RUNS),
    Route("GET", Path.RUN, READ, RUN, runs.run),
    Route("GET", Path.RUN_FACETS, READ, RUN, runs.run_facets, parameters=(FACET_TYPE,)),
    Route("GET", Path.RUN_CHILDREN, READ, RUN, runs.run_children, parameters=PAGE),
    Route("GET", Path.RUN_EVENTS, READ, RUN, run_events.run_events, parameters=RUN_EVENTS),
    Route(
        "GET",
        Path.LINEAGE,
        READ,
        _NODE,
        *or_text(lineage.lineage, text_format.lineage, lineage.lineage_as_sent),
        parameters=LINEAGE + TEXT,
    ),
    Route(
        "GET",
        Path.COLUMN_LINEAGE,
        READ,
        _NODE_OR_COLUMN,
        *or_text(lineage.column_lineage, text_format.column_lineage),
        parameters=COLUMN_LINEAGE + TEXT,
    ),
    Route("GET", Path.EXPORT, READ, _NODE_OR_COLUMN, lineage.export, lineage.exported, parameters=EXPORT),
    Route(
        "GET",
        Path.IMPACT,
        READ,
        _DATASET_OR_COLUMN,
        *or_text(impact_view.at_risk, text_format.impact),
        parameters=IMPACT + TEXT,
    ),
    Route(
        "GET", Path.DIFF, READ, NODE_OR_NAMESPACES, *or_text(diff_view.diff, text_format.diff), parameters=DIFF + TEXT
    ),
    Route(
        "GET",
        Path.ROOT_CAUSE,
        READ,
        _NODE_OR_COLUMN,
        *or_text(root_cause_view.rootcause, text_format.root_cause),
        parameters=ROOT_CAUSE + TEXT,
    ),
    Route("GET", Path.RUN_LINEAGE, READ, RUN_OF_QUERY, run_lineage_view.upstream, parameters=(RUN_ID, DEPTH)),
    Route("GET", Path.INSIGHTS, READ, CALLER, insights.insights, parameters=INSIGHTS),
    Route("GET", Path.EXPECTATIONS, READ, NODE_OR_NAMESPACES, expectations.expectations, parameters=EXPECTATIONS),
    Route("GET", Path.ALERTS, READ, READABLE_NAMESPACES, alerts.alerts, parameters=ALERTS),
    Route("GET", Path.ALERT, READ, ALERT, alerts.alert),
    Route("GET", Path.EVENTS, READ, CALLER, events.lineage_events, parameters=EVENTS),
    Route("GET", Path.SEARCH, READ, SEARCHED_NAMESPACES, search.search, parameters=SEARCH),
    Route("GET", Path.SEARCH_GROUPS, READ, READABLE_NAMESPACES, groups.grouped, parameters=SEARCH_GROUPS),
    Route("GET", Path.SEARCH_JOBS, READ, SEARCHED_NAMESPACES, search_v2beta.jobs, parameters=SEARCH_NODES),
    Route("GET", Path.SEARCH_DATASETS, READ, SEARCHED_NAMESPACES, search_v2beta.datasets, parameters=SEARCH_NODES),
    Route("GET", Path.EVENT_STATISTICS, READ, CALLER, statistics.lineage_events, parameters=STATISTICS),
    Route("GET", Path.JOB_STATISTICS, READ, VISIBLE_NAMESPACES, statistics.jobs, parameters=STATISTICS),
    Route("GET", Path.DATASET_STATISTICS, READ, VISIBLE_NAMESPACES, statistics.datasets, parameters=STATISTICS),
    Route("GET", Path.SOURCE_STATISTICS, READ, CALLER, statistics.sources, parameters=STATISTICS),
    Route("GET", Path.SET_ASIDE, READ, VISIBLE_NAMESPACES, set_aside.set_aside),
    Route("GET", Path.REFUSALS, READ, VISIBLE_NAMESPACES, refusals.refusals),
    Route("GET", Path.SOURCES, READ, CALLER, sources.sources, parameters=PAGE),
    Route("GET", Path.SOURCE, READ, SOURCE, sources.source),
    Route("GET", Path.TAGS, READ, CALLER, tags.tags, parameters=PAGE),
    Route("GET", Path.ALIASES, READ, _DATASET, aliases.aliases, parameters=(NODE_ID, *PAGE)),
    Route("GET", Path.AUDIT, Scope.ADMIN, ADMINISTRATOR, audit.audit, parameters=AUDIT),
    Route("GET", Path.SETTINGS, Scope.ADMIN, ADMINISTRATOR, expectations.settings),
    Route("GET", Path.JOB_RUNS, READ, JOB, runs.job_runs, parameters=JOB_RUNS),
    Route("GET", Path.JOB_VERSIONS, READ, JOB, job_versions.versions, parameters=PAGE),
    Route("GET", Path.JOB_VERSION, READ, JOB, job_versions.version),
    Route("GET", Path.DATASET_VERSIONS, READ, DATASET, dataset_versions.versions, parameters=PAGE),
    Route("GET", Path.DATASET_VERSION, READ, DATASET, dataset_versions.version),
    Route("GET", Path.QUALITY, READ, DATASET, quality.quality, parameters=PAGE),
    Route("GET", Path.JOB, READ, JOB, jobs.job),
    Route("GET", Path.DATASET, READ, DATASET, datasets.dataset),
    Route("GET", Path.DATASETS, READ, NAMESPACE_OF_DATASETS, datasets.datasets, parameters=DATASETS),
    Route("GET", Path.JOBS, READ, NAMESPACE_OF_JOBS, jobs.jobs, parameters=JOBS),
    Route("GET", Path.NAMESPACE, READ, NAMESPACE, namespaces.namespace),
)
"""The first route that matches and finds its subject responds."""
ROUTER = Router[Reader](ROUTES)


@dataclass(frozen=True)
class Lookups:
    store: GraphReader
    naming: Naming
    log: FaultLog


def respond(lookups: Lookups, request: ApiRequest) -> ApiResponse:
    """The response to a request. Items that cannot be read are left out, and the response says `truncated`.

    Raises InvalidRequest, or StorageError.
    """
    corrupt: dict[tuple[str, ...], CorruptItem] = {}

    def collect(fault: CorruptItem) -> None:
        corrupt.setdefault(fault.key, fault)

    visibility = visibility_of_reader(request.principal, lookups.naming)
    reader = Reader(lookups.store.for_one_request(collect, visibility), lookups.naming)
    try:
        return ROUTER.respond(reader, request, is_incomplete=lambda: bool(corrupt))
    finally:
        for fault in corrupt.values():
            lookups.log("an item of the table cannot be read", fault)
        metrics.corrupt_items(len(corrupt))
