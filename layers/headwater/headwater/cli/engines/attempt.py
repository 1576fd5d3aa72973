"""One run of an engine's pipeline, from its server to what is printed."""

import argparse
import importlib
from pathlib import Path

from headwater.cli.engines.headwater_server import Events, of_a_new_server, of_a_running_server
from headwater.cli.engines.trial import Engine, Trial
from headwater.cli.machine.progress import say
from headwater.cli.machine.state import state_folder


def attempt(options: argparse.Namespace, folder: Path) -> None:
    """Run the pipeline, and show what became of its events."""
    engine: Engine = importlib.import_module(f"headwater.cli.engines.{options.engine}.driver")
    server = (
        of_a_running_server(options.url, options.key_file) if options.url else of_a_new_server(folder / "lineage.db")
    )
    with server as events:
        run(engine, Trial(state_folder(), folder, events.url, events.key, say), events)


def run(engine: Engine, trial: Trial, events: Events) -> None:
    engine.run(trial)
    events.show_lineage(engine.TABLE)
    events.show_alerts()
