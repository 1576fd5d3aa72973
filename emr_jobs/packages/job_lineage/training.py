"""What is kept of how a model was made."""

from collections.abc import Mapping
from dataclasses import dataclass

import attr
from openlineage.client.facet_v2 import RunFacet, execution_parameters_run


@dataclass(frozen=True)
class Code:
    """Where the code that trained a model is, and which version of it ran: a commit."""

    url: str
    version: str


@attr.define
class MetricsRunFacet(RunFacet):
    """What a model was measured to be, by the names of the metrics."""

    metrics: dict[str, float] = attr.field(factory=dict)


def parameters_facet(parameters: Mapping[str, object]) -> RunFacet:
    """What a model was fitted with, as text."""
    found = execution_parameters_run
    return found.ExecutionParametersRunFacet(
        parameters=[found.ExecutionParameter(key=name, value=str(value)) for name, value in parameters.items()]
    )
