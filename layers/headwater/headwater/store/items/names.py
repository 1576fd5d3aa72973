"""Aliases, namespaces, and the progress of the import from the Glue Data Catalog."""

from collections.abc import Mapping
from typing import Any

from headwater.graph.names.identity import dataset_id, namespace_id, sent_id
from headwater.graph.states.normalised_event import Alias, FirstWriter
from headwater.graph.states.search_terms import SearchTerm, month_of
from headwater.graph.states.stored_states import CatalogProgress, KnownAlias, KnownNamespace
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.store import keys
from headwater.store.items.codec import SCHEMA, Codec, Members, WrongMember, unchanged
from headwater.store.items.values import array, instant, name, name_of, optional, run_id, text
from headwater.store.table import Item, Retention, expiry


def encode_alias(known: KnownAlias, retention: Retention) -> Item:
    alias = known.alias
    document = {"sent": alias.sent, "dataset": alias.dataset, "rules": alias.rules, "writing": known.writing}
    return ALIAS.item(keys.alias(known.id), document, _alias_labels(known), expiry(known.first, retention.runs))


def _alias_labels(known: KnownAlias) -> Mapping[str, str]:
    place = keys.time_key(known.first, known.id.sent)
    return {"first": known.first, "listed_in": keys.names_of(known.id.dataset), "place": place}


def _decode_alias(item: Item, members: Members) -> KnownAlias:
    own = keys.alias_of(item.key)
    alias = Alias(
        sent=members.read("sent", name_of(sent_id, own.sent)),
        dataset=members.read("dataset", name_of(dataset_id, own.dataset)),
        rules=members.read("rules", array(text)),
    )
    return KnownAlias(alias, _first(item), members.read("writing", optional(_writing), None))


def _writing(value: Any) -> FirstWriter:
    time, writer, job = value
    return FirstWriter(instant(time), run_id(writer), name(job))


ALIAS = Codec("alias", _decode_alias, (unchanged, unchanged), _alias_labels)


def encode_namespace(known: KnownNamespace) -> Item:
    return NAMESPACE.item(keys.namespace(known.id), {"name": known.name}, _namespace_labels(known))


def _namespace_labels(known: KnownNamespace) -> Mapping[str, str]:
    place = keys.name_key(Name("", known.name), namespace_id(known.name))
    return {"first": known.first, "listed_in": keys.ALL_NAMESPACES, "place": place}


def _decode_namespace(item: Item, members: Members) -> KnownNamespace:
    known = KnownNamespace(members.read("name", text), _first(item))
    if keys.namespace(known.id) != item.key:
        raise WrongMember("name", "expected the name that the item's key is made of")
    return known


def _first(item: Item) -> Instant:
    return Members(dict(item.labels)).read("first", instant)


NAMESPACE = Codec("namespace", _decode_namespace, (unchanged, unchanged), _namespace_labels)


_OF_TERMS: Mapping[str, str] = {"kind": "searchTerm", SCHEMA: "1"}


def encode_search_term(term: SearchTerm, retention: Retention) -> Item:
    """The item of a search term: a key and no document. The terms of a query expire with the runs of their month."""
    month = month_of(term)
    expires_at = expiry(Instant(f"{month}-28T00:00:00.000000000Z"), retention.runs) if month else None
    return Item(keys.search_term(term), _OF_TERMS, {}, expires_at)


def encode_progress(progress: CatalogProgress) -> Item:
    """The item of the progress of the import from the Glue Data Catalog."""
    return CATALOG.item(keys.catalog_progress(), {"database": progress.database, "token": progress.token})


def _decode_progress(_: Item, members: Members) -> CatalogProgress:
    return CatalogProgress(members.read("database", text), members.read("token", text))


CATALOG = Codec("catalogReading", _decode_progress, (unchanged, unchanged))
