"""Normalises archived events, as the fold does."""

from emr_jobs.archive.events import ArchivedEvent, LineFault
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage import exact_json
from headwater.openlineage.wire import read_event


def normalised(archived: ArchivedEvent, naming: Naming) -> NormalisedEvent | LineFault:
    """The normalised event; a fault if the text is not an event, or cannot be normalised."""
    try:
        document = exact_json.loads_trusted(archived.text)
        canonical = exact_json.dumps(document)
        event = read_event(document, canonical=canonical)
        return normalise_event(canonical, naming, archived.received_at, event)
    except Exception as error:  # noqa: BLE001 - such an event is in quarantine, and not in the table
        return LineFault(f"the event {archived.text[:200]}", f"{type(error).__name__}: {error}")
