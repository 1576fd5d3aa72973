"""What the answer to a change shows: the node as it is now; to a caller that may not read the node, its name and what
the request said of it."""

from dataclasses import replace
from functools import reduce

from headwater.access.principal import Scope
from headwater.curate.curator import Curator
from headwater.graph.facets.curation import RESERVED, tagging
from headwater.graph.facets.dataset_reference import dataset_references
from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.facets.register import values
from headwater.graph.states.dataset import DatasetFacts, DatasetHead, with_newest_facets
from headwater.graph.states.job import JobFacts, JobHead
from headwater.graph.states.run import Run, joined
from headwater.http.marquez.datasets import dataset
from headwater.http.marquez.jobs import job
from headwater.http.marquez.runs import run_of_job
from headwater.http.subjects import known_run
from headwater.openlineage.event import JobEvent, Name, RunEvent
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import NEVER
from headwater.read.dataset_details import DatasetDetails, read_dataset_details
from headwater.read.job_details import JobDetails, read_job_details
from headwater.read.name_resolution import NamedNode
from headwater.read.run_details import RunDetails, read_run_details


def dataset_answer(curator: Curator, node: NamedNode) -> JsonObject:
    reader = curator.reader()
    if _may_read(curator, node.name):
        return dataset(reader, read_dataset_details(reader, node.dataset))
    facts = [facts for event in curator.applied for facts in DatasetFacts.all_of(event)]
    own = [each for each in facts if each.name.namespace not in RESERVED]
    said = replace(reduce(DatasetFacts.join, own), name=node.name)
    head = with_newest_facets(DatasetHead(said), [said.own])
    schemas = [each.facets.get(SCHEMA) for event in curator.applied for each in dataset_references(event)]
    tagged = [{"name": facet["field"]} for facet in tagging(values(said.own)).values() if facet.get("field")]
    schema = next(filter(None, schemas), {"fields": tagged})
    return dataset(reader, DatasetDetails(replace(head, schema=schema), None, ()))


def job_answer(curator: Curator, node: NamedNode) -> JsonObject:
    if _may_read(curator, node.name):
        return job(read_job_details(curator.reader(), node.job))
    facts = [JobFacts.of(event) for event in curator.applied if isinstance(event, JobEvent)]
    said = reduce(JobFacts.join, [each for each in facts if each and each.name == node.name])
    return job(JobDetails(JobHead(said), ()))


def run_answer(curator: Curator, run_id: str, of_job: Name) -> JsonObject:
    if _may_read(curator, of_job):
        reader = curator.reader()
        return run_of_job(*read_run_details(reader, [known_run(reader, run_id)]))
    said = [Run.of(event) for event in curator.applied if isinstance(event, RunEvent)]
    run = joined(said) if said else Run.only_named(of_job, run_id, NEVER)
    return run_of_job(RunDetails(replace(run, inputs={}, outputs={}), {}))


def _may_read(curator: Curator, name: Name) -> bool:
    return curator.caller.may(Scope.READ) and curator.caller.may_read(name.namespace)
