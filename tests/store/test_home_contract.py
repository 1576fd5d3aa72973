"""The contract of a home: what each port does, whatever keeps it. That of its table is in test_table_contract.py."""

import json
from contextlib import suppress

import pytest

from headwater.graph.states.audit import AuditEntry
from headwater.openlineage import exact_json
from headwater.openlineage.instant import Instant
from headwater.openlineage.wire import read_event
from headwater.store.bulk import Item, Key, Table
from headwater.store.errors import UnreadableBody
from headwater.store.home import Home
from headwater.store.messages import Message, read_message, write_message
from tests import factory

RECEIVED = Instant("2026-11-20T08:00:00.000000000Z")
NOW = 4_000_000_000.0


def message(home: Home, number: int, group: str = "run") -> Message:
    document = factory.run_event("START", run=number)
    written = write_message(read_event(document), exact_json.dumps(document), RECEIVED, home.bodies)
    return Message(written.body, group, written.deduplication_id, written.received)


def quality(text: bytes = b"1", expires_at: int | None = None) -> Item:
    """An item whose changes may cause an alert."""
    return Item(Key("D#1", "Q#1"), {"kind": "quality", "schema": "2"}, {"doc": text}, expires_at)


def stored(table: Table) -> dict[Key, Item]:
    return table.read([quality().key])


def test_messages_that_are_safe_are_announced_and_taken_in_their_order(home: Home) -> None:
    arrivals: list[int] = []
    home.inbox.listen(lambda: arrivals.append(home.inbox.depth()), lambda *_: None)
    sent = [message(home, 1), message(home, 2), message(home, 3, group="other")]
    assert home.inbox.send(sent) == [True, True, True]
    assert arrivals == [3]
    assert [taken.body for taken in home.inbox.take(2)] == [sent[0].body, sent[1].body]
    assert [taken.body for taken in home.inbox.take(10, without=["run"])] == [sent[2].body]


def test_a_message_leaves_the_inbox_with_the_commit_of_its_fold(home: Home) -> None:
    home.inbox.send([message(home, 1)])
    (taken,) = home.inbox.take(10)
    with suppress(ZeroDivisionError), home.transaction() as transaction:
        transaction.table.put([quality()])
        transaction.finish([taken.number])
        raise ZeroDivisionError
    assert (home.inbox.depth(), stored(home.table)) == (1, {})
    with home.transaction() as transaction:
        transaction.table.put([quality()])
        transaction.finish([taken.number])
    assert (home.inbox.depth(), stored(home.table)) == (0, {quality().key: quality()})


def test_a_change_of_the_table_reaches_the_outbox_and_an_audit_entry_does_not(home: Home) -> None:
    home.audit_log.write(AuditEntry(RECEIVED, "r1", "k", "", "GET", "", "/", 200))
    assert home.outbox.take() == []
    home.table.put([quality(b"1")])
    home.table.put([quality(b"2")])
    first, second = home.outbox.take()
    assert [record["eventName"] for record in (first, second)] == ["INSERT", "MODIFY"]
    home.outbox.remove_before(second["dynamodb"]["SequenceNumber"], [first, second])
    assert home.outbox.take() == [second]
    home.outbox.remove_before(None, [second])
    assert home.outbox.take() == []


def test_bodies_are_read_as_they_were_put_and_counted(home: Home) -> None:
    home.bodies.put("quarantine/a", b"\x00\xff")
    home.bodies.put("quarantine/a", b"again")
    home.bodies.put("bodies/b", b"")
    assert (home.bodies.get("quarantine/a"), home.bodies.get("bodies/b")) == (b"again", b"")
    assert home.bodies.count("quarantine/") == 1
    with pytest.raises(UnreadableBody):
        home.bodies.get("quarantine/b")


def test_the_archive_has_every_event_that_was_received_in_its_order(home: Home) -> None:
    sent = [message(home, 2), message(home, 1)]
    home.inbox.send(sent)
    assert list(home.archive.events()) == [read_message(each.body, home.bodies) for each in sent]


def test_each_receiver_gets_the_alerts_since_it_joined(home: Home) -> None:
    home.alert_log.join("first")
    home.alert_log.add([{"title": "one"}])
    home.alert_log.join("second")
    home.alert_log.add([{"title": "two"}])
    number, alert = home.alert_log.next_for("first") or (0, {})
    home.alert_log.received("first", number)
    later = [found[1] for name in ("first", "second") if (found := home.alert_log.next_for(name))]
    assert (alert, later) == ({"title": "one"}, [{"title": "two"}, {"title": "two"}])


def test_an_api_key_is_added_once_and_removed_once(home: Home) -> None:
    entry = {"id": "k", "sha256": "0" * 64, "scopes": ["read"]}
    assert (home.api_keys.add(entry), home.api_keys.add(entry | {"scopes": []})) == (True, False)
    assert home.api_keys.entries() == json.loads(home.api_keys.read())["keys"] == [entry]
    assert (home.api_keys.remove("k"), home.api_keys.remove("k"), home.api_keys.entries()) == (True, False, [])


def test_what_has_expired_is_removed_but_no_event_that_waits(home: Home) -> None:
    home.table.put([quality(expires_at=1)])
    home.inbox.send([message(home, 1)])
    while home.remove_expired(NOW, NOW):
        pass
    assert stored(home.table) == {}
    assert len(list(home.archive.events())) == 1, "it is not folded yet"
    with home.transaction() as transaction:
        transaction.finish([taken.number for taken in home.inbox.take(10)])
    assert home.remove_expired(NOW, NOW) == 1
    assert list(home.archive.events()) == []
