"""Puts alerts on the bus for abandoned runs and for runs that are missing, on a schedule."""

import gc
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import headwater.start
from headwater import metrics
from headwater.alerts.abandoned_runs import Sweeper
from headwater.alerts.run_missing import DueJobs
from headwater.bootstrap import Root
from headwater.config import SweepSettings, from_environment
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.openlineage.instant import instant_of
from headwater.store.aws.client import PATIENT_SECONDS

ENOUGH_MILLIS = 15_000
"""The remaining time of the function that the last run needs: the calls for a run time out within it."""

root = Root(from_environment(SweepSettings), seconds=PATIENT_SECONDS)
minutes = Thresholds(root.settings.abandoned_after_minutes, root.settings.abandoned_after_by_namespace)
store, bus = root.store(), root.storing_bus()
due_jobs = DueJobs(store, bus, Naming(), root.log())
headwater.start.end()
gc.set_threshold(50_000)
"""After an outage, a sweep may read a hundred thousand jobs: the garbage collector took a third of its time."""


@root.log().handler
def handler(event: dict[str, Any], context: Any) -> dict[str, int]:
    """Looks at the open runs and at the due jobs once."""
    has_time = lambda: context.get_remaining_time_in_millis() > ENOUGH_MILLIS  # noqa: E731 - it needs the context
    sweeper = Sweeper(store, bus, Naming(), minutes, root.log(), has_time)
    now = instant_of(datetime.now(UTC))
    swept = sweeper.sweep(now)
    missing = replace(due_jobs, has_time=has_time).sweep(now)
    metrics.count(AlertsSent=swept.abandoned + missing)
    metrics.corrupt_items(swept.corrupt)
    return {"openRuns": swept.open_runs, "abandoned": swept.abandoned, "missing": missing}
