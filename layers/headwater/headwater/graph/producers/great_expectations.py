"""Great Expectations, recognised by the names of its facets, whichever producer sends them: its own facet for
assertions, and Postgres tables without their database."""

from urllib.parse import urlsplit

from headwater.graph.facets.dataset_reference import ASSERTIONS
from headwater.graph.facets.members import assertions_in, facet_text
from headwater.graph.names.naming import IdentifiedName, Naming
from headwater.openlineage.event import DatasetReference, Facets, Name

GREAT_EXPECTATIONS = "greatExpectations_assertions"
"""The facet of its OpenLineageValidationAction."""
_POSTGRES = "postgres://"
_PARTS = 2
"""Parts of a name without its database: `public.orders`."""


def with_standard_assertions(facets: Facets) -> Facets:
    """Facets of a dataset, with the assertions as a dataQualityAssertions facet of OpenLineage. Other facets stay as
    they are."""
    if ASSERTIONS in facets:
        return facets
    checks = [
        {
            "assertion": check.get("expectationType"),
            "success": check.get("success"),
            **({"column": check["column"]} if check.get("column") else {}),
        }
        for check in assertions_in(facets.get(GREAT_EXPECTATIONS)) or ()
    ]
    return {**facets, ASSERTIONS: {**facets[GREAT_EXPECTATIONS], "assertions": checks}} if checks else facets


def with_database(identified: IdentifiedName, reference: DatasetReference, naming: Naming) -> IdentifiedName:
    """The dataset that a reference means, with the database of its data source if the name lacks the database.

    Example: `public.orders` with the data source `postgresql://db/shop` is `shop.public.orders`. Great Expectations
    sends such names, and dbt and Airflow the whole names.
    """
    shown = identified.shown
    if not shown.namespace.startswith(_POSTGRES) or len(shown.name.split(".")) != _PARTS:
        return identified
    database = _database(reference.facets)
    if not database:
        return identified
    whole = naming.identify(Name(shown.namespace, f"{database}.{shown.name}"))
    return whole._replace(rules=(*identified.rules, "database", *whole.rules))


def _database(facets: Facets) -> str:
    """The database in the URI of a data source; empty if there is none."""
    uri = facet_text(facets, "dataSource", "uri") or ""
    if not uri.startswith("postgres"):
        return ""
    try:
        path = urlsplit(uri).path.strip("/")
    except ValueError:  # no URL
        return ""
    return "" if "/" in path else path
