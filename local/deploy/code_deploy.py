"""Takes the gradual deployment of functions out of a template.

Workaround: code-deploy. The emulator has no CodeDeploy. An update moves each alias to its new version at once.
"""

from local.deploy.template import Template


def without_code_deploy(template: Template) -> Template:
    """The template whose aliases move by themselves. Its functions have versions and aliases as on AWS."""
    for resource in template["Resources"].values():
        resource.get("Properties", {}).pop("DeploymentPreference", None)
    return template
