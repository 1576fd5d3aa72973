"""The routes of curate. docs/routes.md lists them."""

from headwater.access.principal import Scope
from headwater.curate import alerts, declarations, deletion, descriptions, owners, run_lifecycle, subjects, tagging
from headwater.curate.curator import Curator
from headwater.http.parameters import NAMED_BY_OTHERS, time
from headwater.http.paths import Path
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.http.router import Route, Router

_FIELD_TAG = f"{Path.DATASET}/fields/(?P<field>.+)/tags/(?P<tag>.+)"
_DATASET_TAG = f"{Path.DATASET}/tags/(?P<tag>.+)"
_JOB_TAG = f"{Path.JOB}/tags/(?P<tag>.+)"
JOB_OR_DATASET = "/namespaces/(?P<node>.+/(?:datasets|jobs)/.+)"
_GOOD = f"{Path.RUN}/good"
_TRANSITION = f"{Path.RUN}/(?P<transition>start|complete|fail|abort)"

ROUTES = (
    Route("POST", _FIELD_TAG, Scope.CURATE, subjects.DATASET, tagging.tag_field),
    Route("POST", _DATASET_TAG, Scope.CURATE, subjects.DATASET, tagging.tag_dataset),
    Route("POST", _JOB_TAG, Scope.CURATE, subjects.JOB, tagging.tag_job),
    Route("POST", Path.JOB_RUNS, Scope.INGEST, subjects.JOB, run_lifecycle.create_run, run_lifecycle.created),
    Route("POST", _TRANSITION, Scope.INGEST, subjects.RUN, run_lifecycle.mark_run, parameters=(time("at"),)),
    Route("PUT", _GOOD, Scope.CURATE, subjects.RUN, run_lifecycle.judge_good),
    Route("DELETE", _GOOD, Scope.CURATE, subjects.RUN, run_lifecycle.take_back),
    Route("PUT", f"{Path.DATASET}/owners", Scope.CURATE, subjects.DATASET, owners.put_dataset_owners),
    Route("PUT", f"{Path.JOB}/owners", Scope.CURATE, subjects.JOB, owners.put_job_owners),
    Route("PUT", JOB_OR_DATASET, Scope.INGEST, subjects.NEW_NODE, declarations.put_node),
    Route("PUT", Path.NAMESPACE, Scope.CURATE, subjects.NEW_NAMESPACE, descriptions.put_namespace),
    Route("PUT", Path.SOURCE, Scope.CURATE, subjects.SOURCE, descriptions.put_source),
    Route("PUT", "/tags/(?P<tag>.+)", Scope.ADMIN, subjects.TAGS, descriptions.put_tag),
    Route("PUT", Path.SETTINGS, Scope.ADMIN, subjects.SETTINGS, descriptions.put_settings),
    Route("PUT", f"{Path.ALERT}/acknowledgement", Scope.CURATE, subjects.ALERT, alerts.acknowledge),
    Route("PUT", f"{Path.ALERT}/silence", Scope.CURATE, subjects.ALERT, alerts.silence),
    Route("DELETE", f"{Path.ALERT}/acknowledgement", Scope.CURATE, subjects.ALERT, alerts.take_back),
    Route("DELETE", f"{Path.ALERT}/silence", Scope.CURATE, subjects.ALERT, alerts.end_silence),
    Route("DELETE", _FIELD_TAG, Scope.CURATE, subjects.DATASET, tagging.untag_field),
    Route("DELETE", _DATASET_TAG, Scope.CURATE, subjects.DATASET, tagging.untag_dataset),
    Route("DELETE", _JOB_TAG, Scope.CURATE, subjects.JOB, tagging.untag_job),
    Route("DELETE", "/tags/(?P<tag>.+)", Scope.ADMIN, subjects.TAGS, deletion.delete_tag),
    Route("DELETE", Path.DATASET, Scope.ADMIN, subjects.DATASET_BY_ALL_NAMES, deletion.delete_dataset),
    Route(
        "DELETE",
        Path.DATASETS,
        Scope.ADMIN,
        subjects.NEW_NAMESPACE,
        deletion.delete_named_by_others,
        parameters=(NAMED_BY_OTHERS,),
    ),
    Route("DELETE", Path.JOB, Scope.ADMIN, subjects.JOB, deletion.delete_job),
    Route("DELETE", Path.NAMESPACE, Scope.ADMIN, subjects.NAMESPACE, deletion.delete_namespace),
)
"""The first route that matches and finds its subject responds."""
ROUTER = Router[Curator](ROUTES)


def respond(curator: Curator, request: ApiRequest) -> ApiResponse:
    """The response to a request. Raises InvalidRequest, RequestError or StorageError."""
    return ROUTER.respond(curator.for_one_request(request.principal), request)
