"""The query parameters of lookups that more than one function reads, or that no function reads by a common name."""

from headwater.graph.facets.insights import InsightKind
from headwater.graph.states.run import RunState
from headwater.graph.states.stored_states import Severity
from headwater.http.parameters import (
    AS_OF,
    DEPTH,
    NAMED_BY_OTHERS,
    NODE_ID,
    PAGE,
    Parameter,
    choice,
    choices,
    flag,
    number,
    page,
    page_by_cursor,
    text,
    time,
)
from headwater.lookup.activity import run_events
from headwater.lookup.activity.events import Order
from headwater.lookup.activity.intervals import Period
from headwater.lookup.export import FORMATS
from headwater.lookup.graphs import lineage, text_format
from headwater.lookup.nodes.jobs import STATES
from headwater.lookup.search import groups, search
from headwater.openlineage.event import EventKind
from headwater.traversal.lineage import Direction, View
from headwater.traversal.rollup import Rollup

_GRAPH_PAGE = page(lineage.DEFAULT_NODES, lineage.DEFAULT_NODES)
_DIRECTION, _WITH_DOWNSTREAM = choice("direction", Direction), flag("withDownstream")
_VIEW, _ROLLUP = choice("view", View, View.CURRENT), choice("rollup", Rollup)
_TEXT_FORMATS, _JSON = text_format.AnswerFormat, text_format.AnswerFormat.JSON

TEXT = (
    choice("format", _TEXT_FORMATS, _JSON),
    number("width", text_format.DEFAULT_WIDTH, text_format.MAX_WIDTH, text_format.MIN_WIDTH),
)
LINEAGE = (NODE_ID, DEPTH, _DIRECTION, _VIEW, AS_OF, _ROLLUP, *_GRAPH_PAGE)
COLUMN_LINEAGE = (NODE_ID, DEPTH, _WITH_DOWNSTREAM, _DIRECTION, _VIEW, AS_OF, *_GRAPH_PAGE)
DIFF = (
    text("nodeId", "job:NAMESPACE:NAME or dataset:NAMESPACE:NAME; without it, what differs in a namespace"),
    text("namespace", "the namespace, without a nodeId; by default all that the key may read"),
    Parameter("from", {"type": "string", "format": "date-time"}, required=True),
    time("to", "now by default"),
    _DIRECTION,
    _VIEW,
    DEPTH,
)
EXPORT = (choice("format", FORMATS, "json"), choice("of", ("lineage", "column-lineage")), *(*LINEAGE, _WITH_DOWNSTREAM))
EXPECTATIONS = (
    text("nodeId", "job:NAMESPACE:NAME, or dataset:NAMESPACE:NAME for its writers; without it, what is due next"),
    text("namespace", "the namespace of the jobs, without a nodeId"),
    *PAGE,
)
INSIGHTS = (choices("kind", list(InsightKind)), *PAGE)
IMPACT = (NODE_ID, DEPTH, _VIEW, AS_OF, *PAGE)
ROOT_CAUSE = (NODE_ID, DEPTH, _VIEW, AS_OF, PAGE[0])
_TAG = text("tag", "those with this tag, `classification=PII`, or with any value of a key, `classification`")
DATASETS = (*PAGE, flag("withUsage"), _TAG, NAMED_BY_OTHERS)
JOBS = (*PAGE, choices("lastRunStates", STATES, "jobs whose newest run is in one of these states"), _TAG)
JOB_RUNS = (*PAGE, _TAG)
EVENTS = (
    time("after", "events from this time on"),
    time("before", "events earlier than this time"),
    choices("eventKinds", list(EventKind), "RunEvent by default"),
    choice("sortDirection", Order, Order.DESC),
    *PAGE,
)
_TEXT = text("q", "a part of a name", required=True)
_DAYS = tuple(Parameter(name, {"type": "string", "format": "date"}) for name in ("after", "before"))
SEARCH = (
    _TEXT,
    choice("filter", search.Filter),
    choice("sort", search.Sort, search.Sort.NAME),
    text("namespace"),
    _TAG,
    *_DAYS,
    *page(search.DEFAULT_LIMIT),
)
SEARCH_NODES = (_TEXT, text("namespace"), *page(search.DEFAULT_LIMIT))
SEARCH_GROUPS = (
    text("q", "words of a name, or of a table and its column; the last may be cut short", required=True),
    text("namespace"),
    number("limit", groups.DEFAULT_LIMIT, groups.MAX_LIMIT, 1),
)
STATISTICS = (choice("period", Period, required=True), text("timezone", "such as Europe/Berlin; needed for a week"))
ALERTS = (
    choices("severity", list(Severity)),
    text("owner", "alerts that name this owner"),
    flag("open"),
    text("namespace", "the namespace of the job or dataset"),
    time("after", "alerts whose cause happened at this time or later"),
    time("before", "and before this time"),
    *page_by_cursor(),
)
AUDIT = (
    time("after", "requests at this time or later; at most a year ago"),
    time("before", "and before this time"),
    text("key", "the id of the key, or the subject of a person"),
    text("namespace", "a namespace that the request concerns"),
    text("method", "such as DELETE"),
    flag("changes"),
    *page_by_cursor(),
)
TOP_RUNS = (
    choices("state", list(RunState), "the state with the runs that it started; any by default"),
    time("after", "runs that ended, or else started, at this time or later"),
    time("before", "and before this time"),
    text("namespace", "the namespace of the job"),
    text("producer", "a part of the producer's URL, such as spark"),
    _TAG,
    *page_by_cursor(),
)
RUN_EVENTS = page_by_cursor(run_events.DEFAULT_LIMIT, run_events.MAX_LIMIT)
FACET_TYPE = choice("type", ("run", "job"), required=True)
