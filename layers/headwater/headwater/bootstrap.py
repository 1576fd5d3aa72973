"""The composition root, which makes the parts of a function: each part once, on first use.

    root = Root(from_environment(CurateSettings))
    root.store()        the graph store, on the DynamoDB table and the bucket that the settings name
    Root(settings, table=MemoryTable(), bucket=FakeBucket()).store()        the same in a test

mypy refuses a call for a part whose settings the root lacks. The method of a part imports the part's modules, so a cold
start imports only what its function needs.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, Unpack, cast

from headwater import config
from headwater.log import FunctionLog
from headwater.openlineage.instant import instant_of
from headwater.retry import Deadline
from headwater.store.aws.client import PROMPT_SECONDS, ClientOnRequest, client, new_session

if TYPE_CHECKING:
    from botocore.session import Session

    from headwater.access.event_sender import Sender
    from headwater.access.keys import Secret
    from headwater.access.people import People
    from headwater.alerts.announce import Bus
    from headwater.catalog.glue import GlueCatalog
    from headwater.catalog.identity import CatalogArn
    from headwater.catalog.resolver import Resolver
    from headwater.fold.normalise import EventArchive
    from headwater.forward.forwarder import ForwardTarget
    from headwater.graph.names.naming import Naming
    from headwater.http.audit import Audit
    from headwater.sources.scheduled import ScheduledPolls
    from headwater.store.audit_log import AuditLog, RefusalLog
    from headwater.store.aws.sqs import Redelivery
    from headwater.store.bodies import Bodies
    from headwater.store.graph_store import GraphReader, GraphStore
    from headwater.store.table import Retention, Table

NONE = "NONE"
"""A setting that is not wanted: no variable of a function may be empty."""

Settings_co = TypeVar("Settings_co", bound=config.Settings, covariant=True)
Part = TypeVar("Part")


class Parts(TypedDict, total=False):
    """Parts that a test may pass in instead."""

    session: Session
    log: FunctionLog
    secret: Secret
    bucket: Bodies
    table: Table
    queue: Sender
    archive: EventArchive
    bus: Bus
    glue: GlueCatalog


class Root(Generic[Settings_co]):
    """The parts of a function. Calls of its clients are given up after `seconds`."""

    def __init__(self, settings: Settings_co, *, seconds: int = PROMPT_SECONDS, **parts: Unpack[Parts]) -> None:
        self.settings = settings
        self._seconds = seconds
        self._parts: dict[str, Any] = {**parts}

    def log(self) -> FunctionLog:
        return self._once("log", FunctionLog)

    def client(self, service: str) -> Any:
        return self._once(f"{service} client", lambda: client(self._session(), service, seconds=self._seconds))

    def rare_client(self, service: str) -> ClientOnRequest:
        """A client that most invocations never need."""
        return ClientOnRequest(lambda: self.client(service))

    def secret(self: Root[config.KeysSettings]) -> Secret:
        from headwater.access.secret import SecretsManagerSecret

        return self._once(
            "secret", lambda: SecretsManagerSecret(self.client("secretsmanager"), self.settings.keys_secret)
        )

    def bucket(self: Root[config.BucketSettings]) -> Bodies:
        from headwater.store.aws.s3 import Bucket

        return self._once("bucket", lambda: Bucket(self.rare_client("s3"), self.settings.archive_bucket))

    def queue(self: Root[config.SendingSettings]) -> Sender:
        """The queue of events. Secrets are redacted before sending, by the rules of the settings too."""
        from headwater.openlineage.redaction import use_rules
        from headwater.store.aws.sqs import Queue

        use_rules(self.settings.secret_rules)
        return self._once("queue", lambda: Queue(self.client("sqs"), self.settings.queue_url))

    def graph(self: Root[config.TableSettings]) -> GraphReader:
        """The graph store for reading. The states of its items are cached from one invocation to the next."""
        from headwater.store.caches import StateCache
        from headwater.store.graph_store import GraphReader

        return self._once("graph", lambda: GraphReader(self._table(), cache=StateCache()))

    def store(self: Root[config.StoreSettings]) -> GraphStore:
        """The graph store for reading and writing."""
        from headwater.store.caches import StateCache
        from headwater.store.graph_store import GraphStore

        return self._once("store", lambda: GraphStore(self._table(), self._retention(), StateCache()))

    def audit(self: Root[config.AuditSettings]) -> Audit:
        """The audit of requests. Without an audit in the stack, requests leave no entries."""
        from headwater.http.audit import Audit

        return self._once("audit", lambda: Audit(self._audit_log(), self.log().failure))

    def refusals(self: Root[config.TableSettings]) -> RefusalLog:
        from headwater.store.audit_log import RefusalLog

        return self._once("refusals", lambda: RefusalLog(self._table()))

    def naming(self: Root[config.NamingSettings]) -> Naming:
        from headwater.graph.names.naming import Naming

        return self._once("naming", lambda: Naming(self.settings.namespace_aliases))

    def people(self: Root[config.PeopleSettings]) -> People:
        """The people who sign in, by the groups of headwater.yml of the last minute; without any, by `PeopleGroups`."""
        from headwater.access.people import People, PutGroups, read_groups

        settings = self.settings
        groups = PutGroups(read_groups(settings.people_groups), lambda: self.graph().settings())
        return self._once("people", lambda: People(settings.people_claim, groups, settings.people_seal))

    def polls(self: Root[config.PollSettings], name: str) -> ScheduledPolls:
        """The polls of a function. `name` is the principal that sends their events."""
        from headwater.access.principal import Principal, Scope
        from headwater.sources.scheduled import ScheduledPolls

        ourselves = Principal(name, frozenset({Scope.INGEST}), ("*",))
        return ScheduledPolls(ourselves, self.graph(), self.queue(), self.bucket(), self.naming(), self.log())

    def credentials(self: Root[config.PollSettings], secret: str) -> Mapping[str, Any]:
        """The credentials in the current version of a secret, by the names of sources. Raises ValueError if the secret
        has another form, and StorageError if there is no secret."""
        if secret == NONE:
            return {}
        from headwater.access.secret import SecretsManagerSecret

        try:
            credentials = json.loads(SecretsManagerSecret(self.client("secretsmanager"), secret).read())
        except ValueError:
            credentials = None
        if not isinstance(credentials, dict):
            raise ValueError("the secret is no JSON object by the names of the sources")  # noqa: TRY004 - a wrong value
        return credentials

    def archive(self: Root[config.ArchiveSettings]) -> EventArchive:
        """The archive. It gives up on the stream quickly: what the stream does not take goes to the bucket."""
        from headwater.store.aws.firehose import Archive, ArchiveWithoutDelay

        def make() -> EventArchive:
            stream = Archive(client(self._session(), "firehose"), self.settings.archive_stream, self.bucket())
            return ArchiveWithoutDelay(stream, self.bucket(), lambda: instant_of(datetime.now(UTC)), self.log())

        return self._once("archive", make)

    def forward_queue(self: Root[config.ForwardQueueSettings]) -> Sender | None:
        """The queue of events that are forwarded, if any are. It is given up on quickly: the messages come again."""
        if self.settings.forward_to == NONE:
            return None
        from headwater.store.aws.sqs import Queue

        return self._once("forward queue", lambda: Queue(client(self._session(), "sqs"), self.settings.forward_queue))

    def targets(self: Root[config.ForwardSettings]) -> Mapping[str, ForwardTarget]:
        """What events are forwarded to, by name."""
        from headwater.access.secret import SecretsManagerSecret
        from headwater.forward.targets import CATALOG, URL, HttpEndpoint, SageMakerCatalog

        settings = self.settings
        targets: dict[str, ForwardTarget] = {}
        if settings.forward_domain != NONE:
            targets[CATALOG] = SageMakerCatalog(self.client("datazone"), settings.forward_domain)
        if settings.forward_url != NONE:
            secret = SecretsManagerSecret(self.rare_client("secretsmanager"), settings.forward_secret)
            targets[URL] = HttpEndpoint(settings.forward_url, None if settings.forward_secret == NONE else secret.read)
        return targets

    def redelivery(self: Root[config.QueueSettings]) -> Redelivery:
        from headwater.store.aws.sqs import Redelivery

        return self._once(
            "redelivery", lambda: Redelivery(partial(self.client, "sqs"), self.settings.queue_url, self.log())
        )

    def deadline(self) -> Deadline:
        """The deadline of the invocation, which the table respects."""
        return self._once("deadline", Deadline)

    def bus(self: Root[config.BusSettings]) -> Bus:
        from headwater.alerts.bus import EventBus

        settings = self.settings
        return self._once("bus", lambda: EventBus(self.rare_client("events"), settings.alert_bus, settings.api_url))

    def storing_bus(self: Root[config.AnnouncingSettings]) -> Bus:
        """The bus. Each alert is stored once it was sent."""
        from headwater.alerts.stored_alerts import StoringBus

        return StoringBus(self.store(), self.bus())

    def glue(self: Root[config.GlueSettings]) -> GlueCatalog:
        from headwater.catalog.glue import GlueCatalog

        return self._once("glue", lambda: GlueCatalog(self.client("glue")))

    def catalog_arn(self: Root[config.GlueSettings]) -> CatalogArn:
        from headwater.catalog.identity import CatalogArn

        return CatalogArn(self.settings.catalog_arn)

    def resolver(self: Root[config.GlueSettings]) -> Resolver:
        """The map between datasets and tables of the Glue Data Catalog."""
        from headwater.catalog.glue_retry import GlueRetry
        from headwater.catalog.resolver import Locations, Resolver

        locations = Locations(self.glue(), GlueRetry(time.sleep), self.log())
        return Resolver(self.catalog_arn(), self.naming(), locations)

    def _table(self: Root[config.TableSettings]) -> Table:
        from headwater.store.aws.dynamodb import DynamoTable

        table = self.settings.table_name
        return self._once(
            "table", lambda: DynamoTable(self.client("dynamodb"), table, self.bucket(), deadline=self.deadline())
        )

    def _audit_log(self: Root[config.AuditSettings]) -> AuditLog | None:
        if not self.settings.audit:
            return None
        from headwater.store.audit_log import AuditLog

        return AuditLog(self._table())

    def _retention(self: Root[config.StoreSettings]) -> Retention:
        from headwater.store.table import Retention

        return Retention(self.settings.run_retention_days, self.settings.event_retention_days, self.settings.item_forms)

    def _session(self) -> Session:
        return self._once("session", new_session)

    def _once(self, name: str, make: Callable[[], Part]) -> Part:
        if name not in self._parts:
            self._parts[name] = make()
        return cast("Part", self._parts[name])
