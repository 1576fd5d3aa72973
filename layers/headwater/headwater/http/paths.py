"""The patterns of the paths of lookups, without the prefix. curate has routes on most of these paths, too.

A name may contain slashes, and words such as `jobs`: one path may match several patterns.
"""

import re
from enum import StrEnum

PREFIX = "/api/v1"
_RUN_ID = "[0-9a-fA-F-]{36}"


class Path(StrEnum):
    """A path, with its parameters as named groups: `node` is `NAMESPACE/jobs/NAME` or `NAMESPACE/datasets/NAME`.

    The time of a match grows with the path, and not with its square: the first `/jobs/` fits wherever another fits, and
    the atomic group tries no other.
    """

    OPENAPI = "/openapi.json"
    CALLER = "/caller"
    NAMESPACES = "/namespaces"
    ALL_JOBS = "/jobs"
    RUNS = "/runs"
    RUN = f"/jobs/runs/(?P<run>{_RUN_ID})"
    RUN_FACETS = f"{RUN}/facets"
    RUN_CHILDREN = f"{RUN}/children"
    RUN_EVENTS = f"{RUN}/events"
    LINEAGE = "/lineage"
    COLUMN_LINEAGE = "/column-lineage"
    EXPORT = "/export"
    IMPACT = "/impact"
    DIFF = "/diff"
    ROOT_CAUSE = "/rootcause"
    RUN_LINEAGE = "/runlineage/upstream"
    INSIGHTS = "/insights"
    EXPECTATIONS = "/expectations"
    ALERTS = "/alerts"
    ALERT = "/alerts/(?P<alert>[0-9a-f]{32})"
    EVENTS = "/events/lineage"
    SEARCH = "/search"
    SEARCH_GROUPS = "/search/groups"
    SEARCH_JOBS = "/api/v2beta/search/jobs"
    SEARCH_DATASETS = "/api/v2beta/search/datasets"
    EVENT_STATISTICS = "/stats/lineage-events"
    JOB_STATISTICS = "/stats/jobs"
    DATASET_STATISTICS = "/stats/datasets"
    SOURCE_STATISTICS = "/stats/sources"
    SET_ASIDE = "/stats/set-aside"
    REFUSALS = "/stats/refusals"
    SOURCES = "/sources"
    SOURCE = "/sources/(?P<source>.+)"
    TAGS = "/tags"
    ALIASES = "/aliases"
    AUDIT = "/audit"
    SETTINGS = "/settings"
    JOB = "/namespaces/(?P<node>(?>.+?/jobs/).+)"
    JOB_RUNS = f"{JOB}/runs"
    JOB_VERSIONS = f"{JOB}/versions"
    JOB_VERSION = f"{JOB}/versions/(?P<version>{_RUN_ID})"
    DATASET = "/namespaces/(?P<node>(?>.+?/datasets/).+)"
    DATASET_VERSIONS = f"{DATASET}/versions"
    DATASET_VERSION = f"{DATASET}/versions/(?P<version>{_RUN_ID})"
    QUALITY = f"{DATASET}/quality"
    NAMESPACE = "/namespaces/(?P<namespace>.+)"
    JOBS = f"{NAMESPACE}/jobs"
    DATASETS = f"{NAMESPACE}/datasets"


_OF_INGEST = {".*/batch/?": "/lineage/batch", ".*": "/lineage"}
"""The paths of ingest, which has two routes for several paths each."""


def spellings(path: str) -> list[str]:
    """A path without the prefix, with its trailing slash and without: a name may end in a slash."""
    return [text.removeprefix(PREFIX) for text in dict.fromkeys([path, path.rstrip("/")])]


def template_of(pattern: str) -> str:
    """The template of a path with names for a reader: `/namespaces/{namespace}/jobs/{job}/runs`."""
    return re.sub(r"\(\?P<(\w+)>((?:[^()]|\([^()]*\))*)\)", _placeholder, _OF_INGEST.get(pattern, pattern))


def _placeholder(parameter: re.Match[str]) -> str:
    name, inside = parameter[1], parameter[2]
    rooms = [room for room in ("datasets", "jobs") if f"/{room}/" in inside]
    return f"{{namespace}}/{rooms[0]}/{{{rooms[0][:-1]}}}" if rooms else f"{{{name}}}"


def is_known(path: str) -> bool:
    """Whether a path is the path of a lookup."""
    return any(re.fullmatch(pattern, text, re.DOTALL) for pattern in Path for text in spellings(path))
