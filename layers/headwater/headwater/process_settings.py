"""The settings of what runs outside Lambda (`headwater serve`, the Spark programs): the functions' environment
variables, with the defaults of template.yaml."""

import os
from collections.abc import Mapping
from datetime import timedelta

from headwater.config import NamingSettings, RetentionSettings, SecretRules, from_environment
from headwater.graph.names.thresholds import Thresholds
from headwater.store.table import Retention

DEFAULTS = {
    "NAMESPACE_ALIASES": "{}",
    "RUN_RETENTION_DAYS": "400",
    "EVENT_RETENTION_DAYS": "90",
    "ARCHIVE_RETENTION_DAYS": "730",
    "EMISSION_LATENCY_MILLIS": "300000",
    "EMISSION_LATENCY_BY_NAMESPACE": "{}",
    "ABANDONED_AFTER_MINUTES": "1440",
    "ABANDONED_AFTER_BY_NAMESPACE": "{}",
    "MAX_BODY_BYTES": "33554432",
    "SECRET_RULES": "NONE",
}


class ProcessSettings(RetentionSettings, NamingSettings):
    archive_retention_days: timedelta
    emission_latency_millis: int
    emission_latency_by_namespace: Mapping[str, int]
    abandoned_after_minutes: int
    abandoned_after_by_namespace: Mapping[str, int]
    max_body_bytes: int
    secret_rules: SecretRules

    @property
    def retention(self) -> Retention:
        return Retention(self.run_retention_days, self.event_retention_days)

    @property
    def emission_latency(self) -> Thresholds:
        return Thresholds(self.emission_latency_millis, self.emission_latency_by_namespace)

    @property
    def abandoned_after(self) -> Thresholds:
        return Thresholds(self.abandoned_after_minutes, self.abandoned_after_by_namespace)


def read_settings(environment: Mapping[str, str] = os.environ) -> ProcessSettings:
    """The settings by the environment. Raises BadEnvironment."""
    given = {name: environment[name] for name in DEFAULTS if environment.get(name)}
    return from_environment(ProcessSettings, DEFAULTS | given, "correct the variable, or leave it out")
