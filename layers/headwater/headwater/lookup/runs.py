"""Runs, one by one, and in the lists of their jobs and of their parents."""

from headwater.answers import Answer
from headwater.graph.curation import without_curation
from headwater.graph.register import values
from headwater.graph.run import Run
from headwater.lookup import shapes
from headwater.lookup.asking import path_node, permit
from headwater.lookup.names import Kind, NotFound
from headwater.lookup.paging import next_page
from headwater.lookup.question import Question
from headwater.lookup.reader import Reader
from headwater.openlineage.faults import Fault, Refused
from headwater.store import keys
from headwater.store.table import LOWEST


def job_runs(reader: Reader, question: Question, path: str) -> Answer:
    node = path_node(reader, question, Kind.JOB, path)
    page = question.page()
    pk = keys.job_head(node.id).pk
    found = list(reader.table.newest(pk, before=page.after or keys.QUALITY, limit=page.limit if page.after else None))
    runs = reader.read_runs(found[page.offset : page.offset + page.limit])
    total = len(found) if page.total is None else page.total
    more = len(found) > page.offset + page.limit or (page.after is not None and len(runs) == page.limit)
    cursor = {"cursor": page.cursor(keys.time_key(*runs[-1].order), total)} if more and runs else {}
    return Answer(200, {"runs": [shapes.run(run) for run in runs], "totalCount": total, **cursor})


def run(reader: Reader, question: Question, run_id: str) -> Answer:
    return Answer(200, shapes.run(known_run(reader, question, run_id)))


def run_children(reader: Reader, question: Question, run_id: str) -> Answer:
    """The runs that name a run as their parent: the actions of a Spark application, the tasks of a DAG's run."""
    of = known_run(reader, question, run_id)
    page = question.page()
    after = page.after or LOWEST
    found, total = reader.table.counted(keys.children_of(of.run_id), page.offset + page.limit, after=after)
    found = [each for each in found if each.place != page.after][page.offset :]
    total = total if page.total is None else page.total
    runs = reader.read_runs([each.key for each in found])
    shown = [{"job": shapes.name(each.job), **shapes.run(each)} for each in runs]
    return Answer(200, {"runs": shown, "totalCount": total, **next_page(page, found, total)})


def run_facets(reader: Reader, question: Question, run_id: str) -> Answer:
    of, asked = known_run(reader, question, run_id), question.query.get("type")
    if asked not in ("run", "job"):
        raise Refused(Fault("type", "expected run or job"))
    facets = without_curation(values(of.facets if asked == "run" else of.job_facets))
    return Answer(200, {"runId": of.run_id, "facets": facets})


def known_run(reader: Reader, question: Question, run_id: str) -> Run:
    """A run by its id. Raises NotFound."""
    found = reader.run(run_id.lower())
    if found is None:
        raise NotFound(f"Run '{run_id}' not found.")
    permit(question, found.job.namespace)
    return found
