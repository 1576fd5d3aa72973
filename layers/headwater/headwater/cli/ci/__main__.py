"""Compares the lineage of jobs before and after a code change, says what production would lose, and applies the rules
of headwater.yml (docs/ci.md)."""

import argparse
import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path

from headwater.cli.ci import github
from headwater.cli.ci.comparison import ChangeComparison
from headwater.cli.ci.consequences import consequences
from headwater.cli.ci.production import Production
from headwater.cli.ci.report import ChangeReport
from headwater.cli.ci.rules import broken
from headwater.cli.ci.snapshot_side import sides_of
from headwater.cli.ci.suggestion import suggested
from headwater.cli.command_line import command_parser
from headwater.cli.endpoint import KEY_VARIABLE, URL_VARIABLE
from headwater.cli.failure import WRONG_COMMAND, CommandFailure
from headwater.cli.lookups.terminal import display_for, print_anything, told
from headwater.curate.settings import document_of
from headwater.graph.expectations.policy import Policy
from headwater.openlineage.faults import InvalidRequest

SETTINGS = Path("headwater.yml")
NOTE = """exit status: 0 no rule is broken, 1 a rule is broken, 2 a wrong command line, headwater.yml or event,
or no name in common between the two sides, 3 production could not be asked"""


def parser() -> argparse.ArgumentParser:
    parser = command_parser("ci", __doc__, "headwater ci before.jsonl after.jsonl --data copy.db", note=NOTE)
    parser.add_argument("before", type=Path, metavar="BEFORE", help="file or folder of events, or of test snapshots")
    parser.add_argument("after", type=Path, metavar="AFTER", help="the same from the changed code")
    production = parser.add_mutually_exclusive_group()
    production.add_argument("--url", metavar="URL", help=f"production's server (default: ${URL_VARIABLE}, else none)")
    production.add_argument(
        "--data", type=Path, metavar="FILE", help="copy of production's file, made by headwater backup"
    )
    parser.add_argument(
        "--key-file", type=Path, metavar="FILE", help=f"file with the API key (default: ${KEY_VARIABLE})"
    )
    parser.add_argument(
        "--settings", type=Path, metavar="FILE", help=f"names and rules (default: {SETTINGS}, if it exists)"
    )
    parser.add_argument(
        "--suggest-map", action="store_true", help="propose the section `names`, from AFTER and production"
    )
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="(default: %(default)s)")
    parser.add_argument("--comment", action="store_true", help="post the report on the pull request, in GitHub Actions")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """The exit status is explained in __init__.py."""
    options = parser().parse_args(arguments)
    print_anything()
    try:
        with ExitStack() as stack:
            return compare(options, stack)
    except CommandFailure as failure:
        return told(failure)


def compare(options: argparse.Namespace, stack: ExitStack) -> int:
    """Raises CommandFailure."""
    policy = policy_of(options.settings)
    is_asked = options.url or options.data or os.environ.get(URL_VARIABLE)
    production = Production.opened(options.url, options.key_file, options.data, stack) if is_asked else None
    before, after = sides_of((options.before, options.after), policy.meant)
    if options.suggest_map:
        if production is None:
            raise CommandFailure(
                "a map needs production's names", "name its server or file with --url or --data", status=WRONG_COMMAND
            )
        lines = suggested(after, production)
        print("\n".join(lines) if lines else f"no dataset of {production.source} looks like one of {after.source}")
        return 0
    report = report_of(ChangeComparison.of(before, after), policy, production)
    if options.format == "json":
        print(json.dumps(report.as_json(), ensure_ascii=False, indent=2))
    elif options.format == "markdown":
        print(report.markdown())
    else:
        print(report.text(display_for(sys.stdout, os.environ, whole=True)), end="")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        print(*github.annotations(report.broken), sep="\n", file=sys.stderr)
    if options.comment:
        print(f"headwater: {github.comment(report.markdown(), os.environ)}", file=sys.stderr)
    return 1 if report.broken else 0


def report_of(compared: ChangeComparison, policy: Policy, production: Production | None) -> ChangeReport:
    """Raises CommandFailure."""
    notes = [
        f"the newest run of the job {job.name} failed in {side.source}, which may lack what it writes"
        for side in (compared.before, compared.after)
        for job in side.failed
    ]
    if production is None:
        if any(compared.losses()):
            rule = ": the rule keep_columns was not checked" * policy.keeps_columns
            notes.append(f"production was not asked, since neither --url nor --data names it{rule}")
        return ChangeReport(compared, broken=broken(policy, compared, (), None), notes=notes)
    production.check_names(compared.before)
    lost = consequences(compared, production)
    gone = [each.loss for each in lost if policy.is_acknowledged(each.loss.dataset, each.loss.column)]
    return ChangeReport(
        compared,
        production.source,
        lost,
        broken(policy, compared, lost, production),
        [loss.node for loss in gone],
        notes,
    )


def policy_of(settings: Path | None) -> Policy:
    """The names and rules of a file; none without the file, unless it was named. Raises CommandFailure."""
    path = settings or SETTINGS
    if settings is None and not path.is_file():
        return Policy()
    try:
        return Policy.of(document_of(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, InvalidRequest) as error:
        raise CommandFailure(f"{path}: {getattr(error, 'strerror', None) or error}", status=WRONG_COMMAND) from None


if __name__ == "__main__":
    sys.exit(main())
