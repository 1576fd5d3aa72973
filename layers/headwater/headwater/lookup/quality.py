"""What runs found out about a dataset's data, one after the other: assertions that held or did not, and measures."""

from headwater.answers import Answer
from headwater.lookup import history, shapes
from headwater.lookup.asking import path_node
from headwater.lookup.names import Kind
from headwater.lookup.paging import fitting
from headwater.lookup.question import Question
from headwater.lookup.reader import Reader


def quality(reader: Reader, question: Question, path: str) -> Answer:
    """The newest that was found out, and a page of what was found out before, newest first."""
    node = path_node(reader, question, Kind.DATASET, path)
    page = question.page()
    _, ids = history.known_as(reader, node)
    part = history.part(reader, ids, history.CHECKS, page)
    is_first = page.after is None and page.offset == 0 and part.entries
    last = part.entries[0] if is_first else history.newest(reader, ids, history.CHECKS)
    found = fitting(shapes.quality(item) for item in part.entries)
    answer = {"last": shapes.quality(last) if last else None, "history": found, "totalCount": part.total}
    return Answer(200, answer | part.cursor(page, len(found)))
