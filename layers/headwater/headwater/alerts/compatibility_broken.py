"""`Compatibility Broken`: a version in a schema registry that breaks what the subject's compatibility promised.

The alert replaces `Dataset Schema Changed` for the same version, and has its members: one cause, one alert.
"""

from collections.abc import Mapping
from typing import Any

from headwater.alerts.alert import Alert, DetailType, all_names, called, distinct_owners, id_of
from headwater.alerts.downstream import Downstream, downstream
from headwater.graph.facets.members import owners_of
from headwater.graph.facets.schema import REGISTRY, broken_promise
from headwater.graph.names.identity import NodeKind
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.stored_states import Severity
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader
from headwater.store.stream_records import StateChange

Breach = Mapping[str, Any]
"""The member `broken` of the registry's facet: subject, version, against, level, reasons."""


def new_breach(change: StateChange) -> Breach | None:
    """What the newest version of a subject broke, if the change of a dataset's head brought it."""
    before: DatasetHead | None = change.before
    head: DatasetHead | None = change.after
    if head is None or head.is_deleted:
        return None
    breach = broken_promise(head.facets)
    return None if before and broken_promise(before.facets) == breach else breach


def readers_of(reader: Reader, head: DatasetHead) -> Downstream:
    """The nodes downstream of the whole topic: a record that cannot be decoded has no columns at all."""
    at = head.facts.own[REGISTRY].time
    return downstream(reader, [head.id], None, at, at)


def compatibility_broken(
    reader: Reader, change: StateChange, breach: Breach, breaks: Downstream, schema: JsonObject
) -> Alert:
    """The alert. `breaks` are the nodes at risk, `schema` the members about the change of the schema."""
    head: DatasetHead = change.after
    name = head.facts.name
    version, before = f"version {breach['version']} of {breach['subject']}", f"version {breach.get('against')}"
    return Alert(
        type=DetailType.COMPATIBILITY_BROKEN,
        id=id_of(DetailType.COMPATIBILITY_BROKEN, change.event_id),
        time=head.facts.own[REGISTRY].time,
        severity=Severity.CRITICAL if breaks.is_told else Severity.WARNING,
        kind=NodeKind.DATASET,
        name=name,
        owners=distinct_owners(owners_of(head.facets), breaks.owners),
        title=f"{called(head)}: {version} breaks {breach['level']} compatibility",
        lines=(
            f"{name.name} in {name.namespace}: {version} breaks what {breach['level']} promises beside {before}.",
            *(f"{reason}." for reason in map(str, breach["reasons"])),
            *breaks.lines("The version", "breaks", "break"),
        ),
        group=head.id,
        details={
            "names": all_names(reader, head.id, head, head.facts.own[REGISTRY].time),
            **schema,
            **{member: breach.get(member) for member in ("subject", "version", "against", "level", "reasons")},
            "breaks": breaks.as_json(),
        },
    )
