"""Aliases, namespaces, and the progress of the import from the Glue Data Catalog."""

from typing import Any

from headwater.graph.identity import NamespaceId, dataset_id, sent_id
from headwater.graph.normalised_event import Alias, FirstWriter
from headwater.graph.stored_states import CatalogProgress, KnownAlias, KnownNamespace
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.store import keys
from headwater.store.codec import Codec, Members, unchanged
from headwater.store.decoders import array, instant, name, name_of, optional, text
from headwater.store.errors import CorruptItem
from headwater.store.retention import Retention, expiry
from headwater.store.table import Item


def encode_alias(known: KnownAlias, retention: Retention) -> Item:
    """The item of an alias."""
    alias = known.alias
    labels = {"first": known.first, "listed_in": keys.names_of(dataset_id(alias.dataset))}
    labels["place"] = keys.time_key(known.first, sent_id(alias.sent))
    document = {"sent": alias.sent, "dataset": alias.dataset, "rules": alias.rules, "writing": known.writing}
    return ALIAS.item(keys.alias(known.id), document, labels, expiry(known.first, retention.runs))


def _decode_alias(item: Item, members: Members) -> KnownAlias:
    own = keys.alias_of(item.key)
    alias = Alias(
        sent=members.read("sent", name_of(sent_id, own.sent)),
        dataset=members.read("dataset", name_of(dataset_id, own.dataset)),
        rules=members.read("rules", array(text)),
    )
    return KnownAlias(alias, _first(item), members.read("writing", optional(_writing), None))


def _writing(value: Any) -> FirstWriter:
    time, run_id, job = value
    return FirstWriter(instant(time), text(run_id), name(job))


ALIAS = Codec("alias", _decode_alias, (unchanged,))


def encode_namespace(known: KnownNamespace) -> Item:
    """The item of a namespace."""
    key = keys.namespace(known.name)
    labels = {"first": known.first, "listed_in": keys.ALL_NAMESPACES}
    labels["place"] = keys.name_key(Name("", known.name), NamespaceId(key.sk))
    return NAMESPACE.item(key, {"name": known.name}, labels)


def _decode_namespace(item: Item, members: Members) -> KnownNamespace:
    known = KnownNamespace(members.read("name", text), _first(item))
    if keys.namespace(known.name) != item.key:
        raise CorruptItem(item.key, "name", "expected the name that the item's key is made of")
    return known


def _first(item: Item) -> Instant:
    return Members(item.key, dict(item.labels)).read("first", instant)


NAMESPACE = Codec("namespace", _decode_namespace, (unchanged,))


def encode_progress(progress: CatalogProgress) -> Item:
    """The item of the progress of the import from the Glue Data Catalog."""
    return CATALOG.item(keys.catalog_progress(), {"database": progress.database, "token": progress.token})


def _decode_progress(_: Item, members: Members) -> CatalogProgress:
    return CatalogProgress(members.read("database", text), members.read("token", text))


CATALOG = Codec("catalogReading", _decode_progress, (unchanged,))
