"""Any alert fits the templates of the rules: its message is JSON, and Datadog accepts its event."""

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from headwater.alerts.alert import Alert, DetailType
from headwater.graph.names.identity import NodeKind
from headwater.graph.states.stored_states import Severity
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from local.alerts.datadog_event import parse_event
from local.deploy.template import read_template
from tests.deployment.conftest import ROOT, Resources
from tests.deployment.input_transformer import rendered

URL = "https://lineage.example.com"
RESOURCES = Resources(read_template(ROOT / "template.yaml")["Resources"])
TO_TOPIC, TO_DATADOG, TO_SLACK, TO_TEAMS = (
    dict(RESOURCES[rule]["Targets"][0]["InputTransformer"])
    for rule in ("AlertsToTopic", "AlertsToDatadog", "AlertsToSlack", "AlertsToTeams")
)

texts = st.text(st.characters(codec="utf-8"))
names = st.builds(Name, texts, texts)
alerts = st.builds(
    Alert,
    type=st.sampled_from(DetailType),
    id=st.text("0123456789abcdef", min_size=32, max_size=32),
    time=st.just(Instant("2026-11-20T08:00:00.000000000Z")),
    severity=st.sampled_from(Severity),
    kind=st.sampled_from([NodeKind.JOB, NodeKind.DATASET]),
    name=names,
    owners=st.lists(texts, max_size=3).map(tuple),
    title=st.text(st.characters(codec="utf-8"), min_size=1),
    lines=st.lists(texts, max_size=3).map(tuple),
    group=texts,
    details=st.dictionaries(st.just("breaks"), st.lists(texts, max_size=2)),
)

LONG = Name("s3://" + "lake" * 500, "*_`" * 2000)
LONGEST = Alert(
    type=DetailType.SCHEMA_CHANGED,
    id="a" * 32,
    time=Instant("2026-11-20T08:00:00.000000000Z"),
    severity=Severity.CRITICAL,
    kind=NodeKind.DATASET,
    name=LONG,
    owners=("owner" * 100,) * 100,
    title="changed " * 100,
    lines=("*_`[]" * 500,) * 100,
    group="x" * 1000,
)


@example(LONGEST)
@given(alerts)
def test_datadog_shows_any_alert_as_markdown_with_its_id(alert: Alert) -> None:
    sent = parse_event(rendered(TO_DATADOG, event(alert)).encode(), now=0)
    assert sent["text"].startswith("%%% \n")
    assert sent["text"].endswith("\n %%%")
    assert f"id:{alert.id}" in sent["tags"]


@example(LONGEST)
@given(alerts)
def test_the_message_of_any_alert_can_be_read_back(alert: Alert) -> None:
    message = json.loads(rendered(TO_TOPIC, event(alert), null_in_quotes="null"))
    assert message["detail"] == alert.detail(URL)
    assert message["alert"] == alert.type


@example(LONGEST)
@given(alerts)
def test_slack_shows_any_alert_as_plain_text_with_a_button_to_the_page(alert: Alert) -> None:
    header, section, actions = json.loads(rendered(TO_SLACK, event(alert)))["blocks"]
    (button,) = actions["elements"]
    assert 0 < len(header["text"]["text"]) <= 150
    assert 0 < len(section["text"]["text"]) <= 3_000
    assert {header["text"]["type"], section["text"]["type"]} == {"plain_text"}
    assert button["url"] == f"{URL}/#/alerts?id={alert.id}"


@example(LONGEST)
@given(alerts)
def test_teams_shows_any_alert_as_a_card_without_markdown(alert: Alert) -> None:
    text = rendered(TO_TEAMS, event(alert))
    (attachment,) = json.loads(text)["attachments"]
    card = attachment["content"]
    assert {block["type"] for block in card["body"]} == {"RichTextBlock"}
    assert card["actions"][0]["url"] == f"{URL}/#/alerts?id={alert.id}"
    assert len(text.encode()) < 28_000


def event(alert: Alert) -> dict[str, Any]:
    return {"detail-type": alert.type.value, "source": "headwater.lineage", "detail": alert.detail(URL)}
