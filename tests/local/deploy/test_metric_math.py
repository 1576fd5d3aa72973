"""The emulator's stack has every alarm that it can evaluate."""

from local.deploy.template import read_template, without_rates
from local.layout import Layout


def test_only_alarms_on_rates_leave_the_template() -> None:
    template = read_template(Layout.here().template)
    left = without_rates(template)["Resources"]
    taken = {name: each for name, each in template["Resources"].items() if name not in left}
    assert {each["Type"] for each in taken.values()} == {"AWS::CloudWatch::Alarm"}
    assert all("Metrics" in each["Properties"] for each in taken.values())
    assert not any("Metrics" in each.get("Properties", {}) for each in left.values())
    assert "ApiServerErrorsAlarm" in taken
    assert "DeadLettersAlarm" in left
