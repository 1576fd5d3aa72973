"""Facets of a training: parameters, metrics, and the version of the code."""

from collections.abc import Mapping
from dataclasses import dataclass

import attr
from openlineage.client.facet_v2 import RunFacet, execution_parameters_run


@dataclass(frozen=True)
class Code:
    """The repository of a training's code, and the commit."""

    url: str
    version: str


@attr.define
class MetricsRunFacet(RunFacet):
    """The metrics of a model, by name."""

    metrics: dict[str, float] = attr.field(factory=dict)


def parameters_facet(parameters: Mapping[str, object]) -> RunFacet:
    """The parameters of a training, as texts."""
    facets = execution_parameters_run
    return facets.ExecutionParametersRunFacet(
        parameters=[facets.ExecutionParameter(key=name, value=str(value)) for name, value in parameters.items()]
    )
