"""Takes alarms on rates out of a template.

Workaround: metric-math. The emulator's CloudFormation refuses a template with an alarm on an expression.
"""

from local.deploy.template import Template


def without_rates(template: Template) -> Template:
    """The template without the alarms that evaluate an expression."""
    resources = template["Resources"]
    rates = {name for name, resource in resources.items() if "Metrics" in resource.get("Properties", {})}
    return template | {"Resources": {name: each for name, each in resources.items() if name not in rates}}
