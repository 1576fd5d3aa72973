"""The API keys of a file: `headwater key add NAME --data lineage.db`. The file has only hashes of keys."""

import argparse
import hashlib
import json
import secrets
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from headwater.access.keys import BadKeys, read_keys
from headwater.access.principal import Scope
from headwater.cli.command_line import command_parser
from headwater.cli.file import add_data, opened, readable
from headwater.store.home import ApiKeys


def parser() -> argparse.ArgumentParser:
    examples = ("headwater key add etl --data lineage.db", "headwater key list --data lineage.db")
    parser = command_parser("key", __doc__, *examples)
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="make a key, and print it once")
    add.add_argument("name", help="names the key for people and logs")
    add.add_argument(
        "--scope", action="append", choices=list(Scope), help="what the key permits; repeatable (default: ingest, read)"
    )
    add.add_argument(
        "--namespace",
        action="append",
        metavar="PATTERN",
        help="namespaces that the key reads and writes, such as prod or team-*; repeatable "
        "(default: all, unless --read or --write names some)",
    )
    add.add_argument(
        "--read", action="append", metavar="PATTERN", help="further namespaces that the key reads; repeatable"
    )
    add.add_argument(
        "--write", action="append", metavar="PATTERN", help="further namespaces that the key writes; repeatable"
    )
    add.add_argument("--expires", type=time, metavar="TIME", help="such as 2027-01-31T00:00:00Z (default: never)")
    remove = commands.add_parser("remove", help="remove a key; it stops working within a minute")
    remove.add_argument("name")
    listed = commands.add_parser("list", help="list the keys, without the keys themselves")
    for command in (add, remove, listed):
        add_data(command)
    return parser


def time(text: str) -> str:
    """Read a time. Raises ArgumentTypeError."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no ISO 8601 time; try 2027-01-31T00:00:00Z") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if there is a key of that name already, or none to remove."""
    options = parser().parse_args(arguments)
    with opened(options.data, make=options.command == "add") as home:
        secret = home.api_keys
        if options.command == "add":
            return added(secret, options)
        return removed(secret, options.name) if options.command == "remove" else listed(secret)


def added(secret: ApiKeys, options: argparse.Namespace) -> int:
    key = secrets.token_hex(24)
    entry = {
        "id": options.name,
        "sha256": hashlib.sha256(key.encode()).hexdigest(),
        "scopes": options.scope or [Scope.INGEST, Scope.READ],
        "namespaces": options.namespace or ([] if options.read or options.write else ["*"]),
        "read": options.read or [],
        "write": options.write or [],
        "expires": options.expires,
        "seal": secrets.token_hex(32),
    }
    if not secret.add(entry):
        print(f"failed: there is a key {options.name}; remove it first, or choose another name", file=sys.stderr)
        return 1
    print(key)
    print(
        "No copy is kept. Clients send it as `Authorization: Bearer KEY`, or as OPENLINEAGE_API_KEY.", file=sys.stderr
    )
    return 0


def removed(secret: ApiKeys, name: str) -> int:
    if secret.remove(name):
        return 0
    print(f"failed: there is no key {name}; headwater key list names them", file=sys.stderr)
    return 1


def listed(secret: ApiKeys) -> int:
    for entry in secret.entries():
        try:
            read_keys(json.dumps({"keys": [entry]}))
        except BadKeys as wrong:
            print(f"{entry.get('id')}: REFUSED, since {str(wrong).replace('keys[0]', 'it')}")
            continue
        until = f", until {entry['expires']}" if entry.get("expires") else ""
        print(f"{entry['id']}: {', '.join(entry['scopes'])} for {_namespaces(entry)}{until}")
    return 0


def _namespaces(entry: Mapping[str, Any]) -> str:
    """The namespaces of an entry: `team-a, reading s3://shared`."""
    more = [
        f"{verb} {', '.join(map(str, entry.get(member) or ()))}"
        for verb, member in (("reading", "read"), ("writing", "write"))
    ]
    return ", ".join([*map(str, entry["namespaces"]), *(part for part in more if not part.endswith(" "))])
