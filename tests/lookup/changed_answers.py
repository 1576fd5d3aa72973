"""What has changed in answers since a release: each change by its member, with the reason.

A golden answer (golden_answers.py) never changes. Before it is compared with the answer of this release, each change
since its release is applied to the request or to both bodies, and to nothing else.
"""

from collections.abc import Mapping

ALL_EVENTS = {"eventKinds": ("RunEvent", "JobEvent", "DatasetEvent")}


def added_parameters(release: str, path: str) -> Mapping[str, tuple[str, ...]]:
    """The parameters that a request of a release needs today for the answer of that release.

    0.1.0: `/events/lineage` listed events of all kinds. Today a request has to name the kinds, since an event without a
    run blanks the events page of Marquez's web UI.
    """
    return ALL_EVENTS if release == "0.1.0" and path == "events/lineage" else {}
