"""An audit entry is short, and can be written and read, whatever a client sends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.access.principal import Principal
from headwater.graph.states.audit import MAX_CHARACTERS
from headwater.http.audit import KEPT_PARAMETERS, Audit, audit_entry
from headwater.http.request import UNIDENTIFIED, ApiRequest, AuditAnnotations
from headwater.http.response import ApiResponse
from headwater.store.audit_log import AuditLog
from headwater.store.items.audit import AUDIT_ENTRY, encode
from headwater.store.memory import MemoryTable
from tests.access.test_audit import entries
from tests.fakes import fail_test
from tests.lookup.requests import NOON


@pytest.mark.parametrize("text", ["x" * 6_000_000, "\U0001f600" * 100_000, "%2F" * 100_000, "\ud800" * 1_000])
def test_an_entry_is_short_whatever_is_sent(text: str) -> None:
    request = ApiRequest(
        Principal(text, frozenset(), (), subject=text),
        method=text,
        path=f"/api/v1/{text}",
        query={},
        repeated=dict.fromkeys([*KEPT_PARAMETERS, text], (text, text)),
        received_at=NOON,
        request_id=text,
    )
    table = MemoryTable()
    caller = request.principal
    Audit(AuditLog(table), fail_test).answer(request, lambda: caller, lambda _: ApiResponse(200, {}))
    (item,) = table.items.values()
    (entry,) = entries(table)
    assert max(map(len, (entry.path, entry.caller, entry.subject, *entry.query.values()))) == MAX_CHARACTERS
    assert len(item.parts["doc"]) < 40_000


TEXTS = st.text(st.characters(exclude_categories=()), max_size=40) | st.sampled_from(["s3://[", "s3a://", "//", "\x00"])


@given(path=TEXTS, values=st.lists(TEXTS, max_size=3), namespaces=st.sets(TEXTS, max_size=15), method=TEXTS, who=TEXTS)
def test_whatever_a_request_says_its_entry_can_be_written_and_read(
    path: str, values: list[str], namespaces: set[str], method: str, who: str
) -> None:
    notes = AuditAnnotations(Principal(who, frozenset(), (), subject=who), namespaces=namespaces, node=path)
    request = ApiRequest(UNIDENTIFIED, method, path, {}, {"q": tuple(values)}, received_at=NOON, annotations=notes)
    entry = audit_entry(request, 200)
    assert AUDIT_ENTRY.read(encode(entry)) == entry
    assert not [name for name in namespaces if name and len(namespaces) <= 10 and not entry.concerns(name)]
