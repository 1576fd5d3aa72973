"""A saved model of Spark ML is one dataset, and each training is a run of the same jobs."""

from collections.abc import Iterable

import pytest

from headwater.graph.facets.dataset_reference import sources_of
from headwater.graph.names.identity import dataset_id
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage.event import DatasetReference, Name, RunEvent
from tests import factory
from tests.alerts.stream import World
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, table_after
from tests.producer_records import recorded, recorded_program

MODEL = Name("file", "/srv/lake/models/churn")


def of(scenario: str) -> list[NormalisedEvent]:
    return factory.received(*recorded("spark", scenario))


def datasets(events: list[NormalisedEvent], side: str) -> set[Name]:
    references = [reference for normalised in events for reference in getattr(normalised.event, side)]
    return {reference.name for reference in references}


def jobs(events: list[NormalisedEvent]) -> set[str]:
    return {normalised.event.job.name.name for normalised in events if isinstance(normalised.event, RunEvent)}


@pytest.mark.parametrize("scenario", ["model_trained", "model_trained_again"])
def test_all_folders_of_a_saved_model_are_the_model(scenario: str) -> None:
    assert datasets(of(scenario), "outputs") == {MODEL}


def test_a_job_that_loads_a_model_reads_the_model() -> None:
    assert datasets(of("model_scores"), "inputs") == {MODEL, Name("file", "/srv/lake/visitors")}


def test_two_trainings_are_runs_of_the_same_jobs() -> None:
    assert jobs(of("model_trained")) == jobs(of("model_trained_again"))
    assert "train_churn.adaptive_spark_plan.1_LogisticRegression_data" in jobs(of("model_trained"))


def test_two_trainings_by_sparklyr_are_runs_of_one_job() -> None:
    ids = ("b057554b_c684_4d8f_91ee_a02dc4c27405", "a6764a0b_c363_4dfb_be5e_05f67ebf5c9b")
    names = [f"train.adaptive_spark_plan.1_linear_regression__{each}_data" for each in ids]
    sent = factory.received(*(factory.run_event("START", job=name, job_facets=SQL) for name in names))
    assert jobs(sent) == {"train.adaptive_spark_plan.1_linear_regression_data"}


def test_the_folder_of_the_metadata_is_an_alias_of_the_model() -> None:
    aliases = {alias for normalised in of("model_trained") for alias in normalised.aliases}
    rules = {alias.sent.name: alias.rules for alias in aliases}
    assert rules["/srv/lake/models/churn/metadata"] == ("model",)


SPARK = {"jobType": factory.facet(integration="SPARK", jobType="RDD_JOB")}
SQL = {"jobType": factory.facet(integration="SPARK", jobType="SQL_JOB")}


@pytest.mark.parametrize(
    ("output", "job_facets"),
    [
        (factory.dataset("wh/metadata"), SQL),
        (factory.dataset("wh/metadata"), {}),
        (factory.dataset("wh/metadata", schema=factory.schema("id:long")), SPARK),
        (factory.dataset("metadata"), SPARK),
        (factory.dataset("wh/metadata", "kafka://broker:9092"), SPARK),
    ],
    ids=["sql", "no spark", "with a schema", "root", "topic"],
)
def test_a_dataset_called_metadata_is_no_model(output: factory.Document, job_facets: factory.Document) -> None:
    (normalised,) = factory.received(factory.run_event("COMPLETE", outputs=[output], job_facets=job_facets))
    assert isinstance(normalised.event, RunEvent)
    (reference,) = normalised.event.outputs
    assert dataset_id(reference.name) == dataset_id(Name(output["namespace"], output["name"]))


@pytest.mark.parametrize(
    ("name", "facets"),
    [
        ("load.map_partitions_orders_202611200800_part", SPARK),
        ("load.execute_insert.orders_4b1f9d2e3a1c", SQL),
        ("load.map_partitions_logistic_regression_052a7c363ac6_training", {}),
    ],
)
def test_other_names_of_jobs_stay(name: str, facets: factory.Document) -> None:
    assert jobs(factory.received(factory.run_event("START", job=name, job_facets=facets))) == {name}


def normalised(
    query: str, kind: str = "SQL_JOB", run_facets: Document | None = None, **sides: list[Document]
) -> RunEvent:
    """An event of a query of the application `my.app`."""
    facets = {"jobType": factory.facet(integration="SPARK", jobType=kind)}
    document = factory.run_event("COMPLETE", job=f"my.app.{query}", job_facets=facets, run_facets=run_facets, **sides)  # type: ignore[arg-type]
    event = factory.received(document)[0].event
    assert isinstance(event, RunEvent)
    return event


def names_in(references: Iterable[DatasetReference]) -> list[str]:
    return [reference.name.name for reference in references]


AS_TEXT = factory.dataset("raw/sales/part.csv", schema=factory.schema("value:string"))


def test_a_text_probe_reads_no_dataset() -> None:
    """Spark reads lines of a CSV file as text, to learn its columns."""
    assert normalised("collect_limit", inputs=[AS_TEXT]).inputs == ()


def test_files_of_a_probe_have_no_alias() -> None:
    facets = {"jobType": factory.facet(integration="SPARK", jobType="SQL_JOB")}
    probe = {**AS_TEXT, "namespace": "s3a://lake"}
    (event,) = factory.received(factory.run_event(job="a.collect_limit", job_facets=facets, inputs=[probe]))
    assert event.aliases == ()


@pytest.mark.parametrize(
    ("query", "reference"),
    [
        ("scan_text", AS_TEXT),
        ("collect_limit", factory.dataset("raw/sales", schema=factory.schema("id:long"))),
        ("collect_limit", factory.dataset("raw/sales")),
        ("collect_limit", factory.dataset("topic", "kafka://b:9092", schema=factory.schema("value:string"))),
    ],
)
def test_other_queries_read_their_datasets(query: str, reference: Document) -> None:
    assert names_in(normalised(query, inputs=[reference]).inputs) == [reference["name"]]


def test_a_look_at_text_from_python_reads_the_text() -> None:
    """The event that has the place in the program; the other events of the run look like those of a probe."""
    details = {"spark_jobDetails": factory.facet(jobId=9, jobCallSite="head at /srv/look.py:16")}
    assert names_in(normalised("collect_limit", run_facets=details, inputs=[AS_TEXT]).inputs) == ["raw/sales/part.csv"]


def test_a_listing_of_folders_reads_and_writes_none_of_them() -> None:
    folders = [factory.dataset("land/01"), factory.dataset("land/02")]
    event = normalised("map_partitions_parallel_collection", "RDD_JOB", inputs=folders, outputs=folders)
    assert (event.inputs, event.outputs) == ((), ())


def test_the_result_of_a_statement_repeats_the_statement() -> None:
    event = normalised("command_result", inputs=[factory.dataset("in")], outputs=[factory.dataset("out")])
    assert (event.inputs, event.outputs) == ((), ())


def test_a_file_in_column_lineage_is_the_path_that_is_read() -> None:
    made = factory.columns(id=("s3://lake", "land/2026/1.csv", "id"), name=("s3://lake", "landing/1.csv", "name"))
    event = normalised("w", inputs=[factory.dataset("land")], outputs=[factory.dataset("out", columnLineage=made)])
    assert names_in(event.inputs) == ["land", "landing/1.csv"]
    assert {name.name for name in sources_of(event.outputs[0].facets["columnLineage"])} == {"land", "landing/1.csv"}


def test_the_rows_of_a_program_are_written() -> None:
    event = normalised("map_partitions_parallel_collection", "RDD_JOB", outputs=[factory.dataset("out")])
    assert names_in(event.outputs) == ["out"]


def test_the_numbered_rdds_of_hudi_are_one_job() -> None:
    assert {normalised(number, "RDD_JOB").job.name.name for number in ("15", "308")} == {"my.app.rdd"}
    assert normalised("15").job.name.name == "my.app.15"


@pytest.mark.parametrize(
    "query",
    [
        "execute_insert_into_hadoop_fs_relation_command.out",
        "execute_create_data_source_table_as_select_command.out",
        "append_data.out",
        "adaptive_spark_plan.out",
    ],
)
def test_what_is_no_hudi_table_lacks_its_columns(query: str) -> None:
    schema = factory.schema("_hoodie_file_name:string", "id:long")
    lineage = factory.facet(fields={"id": {"inputFields": []}, "_hoodie_file_name": {"inputFields": []}})
    output = factory.dataset("out", schema=schema, columnLineage=lineage)
    (written,) = normalised(query, outputs=[output]).outputs
    assert [field["name"] for field in written.facets["schema"]["fields"]] == ["id"]
    assert list(written.facets["columnLineage"]["fields"]) == ["id"]
    (of_hudi,) = normalised("execute_save_into_data_source_command.trips", outputs=[output]).outputs
    assert len(of_hudi.facets["schema"]["fields"]) == 2


MAINTENANCE = "lake_ddl.append_data.default_cache_iceberg_ice_db_orders"


def test_a_rewrite_of_data_files_reads_and_writes_nothing() -> None:
    events = of("statements")
    rewrites = [each for each in events if each.event.job.name.name == MAINTENANCE]  # type: ignore[union-attr]
    assert len(rewrites) == 4
    assert not datasets(rewrites, "inputs") | datasets(rewrites, "outputs")


def test_a_rewrite_of_manifests_is_no_consumer() -> None:
    rewrites = [each for each in of("statements") if each.event.job.name.name == "lake_ddl.adaptive_spark_plan"]  # type: ignore[union-attr]
    assert rewrites
    assert not datasets(rewrites, "inputs")


@pytest.mark.parametrize(
    ("job", "job_facets", "is_maintenance"),
    [
        ("app.append_data.default_cache_iceberg_lake_db_t", SQL, True),
        ("my.app.adaptive_spark_plan.default_cache_iceberg_lake_db_t", SQL, True),
        ("app.append_data.default_rewrite_catalog_lake_db_t", SQL, True),
        ("app.append_data.default_iceberg_lake_db_t", SQL, False),
        ("app.execute_optimize_table_command", SQL, True),
        ("app.execute_vacuum_table_command.wh_t", SQL, True),
        ("app.append_data.default_cache_iceberg_lake_db_t", {}, False),
        ("app.append_data.ice_db_default_cache_iceberg_t", SQL, False),
        ("app.append_data.lake_db_t", SQL, False),
        ("app.replace_data.lake_db_t", SQL, False),
    ],
)
def test_only_maintenance_has_no_datasets(job: str, job_facets: factory.Document, is_maintenance: bool) -> None:
    table = [factory.dataset("t")]
    events = factory.received(factory.run_event(job=job, inputs=table, outputs=table, job_facets=job_facets))
    assert (not datasets(events, "inputs"), not datasets(events, "outputs")) == (is_maintenance,) * 2


def events_of_application(own: str, job: str, ending: str, **facets: Document) -> tuple[Document, Document]:
    """The ends of an application and of its query, whose author calls it `own`."""
    details = {"spark_properties": factory.facet(properties={"spark.app.name": own}), **facets}
    of_app = {"jobType": factory.facet(integration="SPARK", jobType="APPLICATION")}
    of_query = {"jobType": factory.facet(integration="SPARK", jobType="SQL_JOB")}
    parent = {**details, "parent": factory.parent(1, job)}
    query = f"{job}.append_data.lake_invoices"
    app = factory.run_event(ending, run=1, job=job, run_facets=details, job_facets=of_app)
    writes = [factory.dataset("invoices")]
    return app, factory.run_event(ending, run=2, job=query, outputs=writes, run_facets=parent, job_facets=of_query)


def application_named(own: str, job: str = "invoices_daily", **facets: Document) -> tuple[LookupClient, str]:
    """The answers after such an application, and the name of its query."""
    events = events_of_application(own, job, "COMPLETE", **facets)
    return LookupClient(table_after(*events)), events[1]["job"]["name"]


@pytest.mark.parametrize(
    ("own", "job", "title", "finding"),
    [
        (
            "Invoices of the day",
            "invoices_of_the_day",
            "Invoices of the day",
            "Invoices of the day.append_data.lake_invoices",
        ),
        ("Bills", "invoices", "Bills", "Bills.append_data.lake_invoices"),
        ("invoices", "invoices", "invoices", "invoices.append_data.lake_invoices"),
    ],
)
def test_a_failure_is_told_by_what_the_author_calls_the_application(
    own: str, job: str, title: str, finding: str
) -> None:
    events = events_of_application(own, job, "FAIL")
    (alert,) = [each for each in World().alerts_of_batch(*events) if each["alert"] == "Run Failed"]
    assert alert["title"] == f"{title} failed while writing invoices"
    found = LookupClient(table_after(*events))("rootcause", nodeId=f"dataset:{LAKE}:invoices")["findings"]
    assert [each["summary"] for each in found] == [f"{finding} failed"]


def test_alerts_and_findings_call_a_failed_application_as_its_author_does() -> None:
    own, at = (
        {"spark_properties": factory.facet(properties={"spark.app.name": "Invoices of the day"})},
        "invoices_daily",
    )
    query = factory.run_event(
        "FAIL",
        run=2,
        job=f"{at}.append_data.lake_invoices",
        outputs=[factory.dataset("invoices")],
        run_facets={**own, "parent": factory.parent(1, at)},
        job_facets={"jobType": factory.facet(integration="SPARK", jobType="SQL_JOB")},
    )
    started = factory.run_event("START", run=1, job=at, run_facets=own)
    assert [alert["title"] for alert in World().alerts_one_by_one([started, query])] == [
        "Invoices of the day failed while writing invoices"
    ]
    (finding,) = LookupClient(table_after(started, query))("rootcause", nodeId="dataset:s3://lake:invoices")["findings"]
    assert finding["summary"].startswith("Invoices of the day.append_data.lake_invoices failed")


def test_an_application_and_its_queries_are_shown_by_what_the_author_calls_them() -> None:
    get, query = application_named("Invoices of the day")
    shown = {job["name"]: job.get("displayName") for job in get("namespaces/demo/jobs")["jobs"]}
    own = "Invoices of the day"
    assert shown == {"invoices_daily": own, query: f"{own}.append_data.lake_invoices"}
    for found in (get("search", q="of the day")["results"], get("search/groups", q="of the day")["results"]):
        assert {entry["displayName"] for entry in found} == set(shown.values())
        assert {entry["nodeId"] for entry in found} == {f"job:demo:{name}" for name in shown}
    assert [run["displayName"] for run in get("runs")["runs"]] == [own]
    graph = get("lineage", nodeId=f"job:demo:{query}")["graph"]
    assert [node["data"].get("displayName") for node in graph if node["type"] == "JOB"] == [shown[query]]
    assert [run["displayName"] for run in get("runs")["runs"]] == [own]


def test_a_job_with_a_name_of_its_own_setting_is_found_by_the_author_s() -> None:
    get, query = application_named("Bills", "lake_invoices")
    found = {entry["name"] for entry in get("search", q="bills", filter="JOB")["results"]}
    assert found == {"lake_invoices", query}
    assert get("search", q="lake_invoices", filter="JOB")["results"][0]["displayName"].startswith("Bills")


def test_the_details_of_an_application_name_it_too() -> None:
    get, _ = application_named("", spark_applicationDetails=factory.facet(appName="Invoices"))
    assert get("namespaces/demo/jobs/invoices_daily")["displayName"] == "Invoices"


@pytest.mark.parametrize(
    ("own", "job"),
    [
        ("invoices_daily", "invoices_daily"),
        ("nativespark-invoices-jr_27897ad718cfca473928fdd53d57bec6d351c4fe", "invoices"),
        ("Databricks Shell", "invoices"),
        ("", "unknown"),
    ],
)
def test_a_name_that_nobody_gave_is_not_shown(own: str, job: str) -> None:
    get, query = application_named(own, job)
    assert {each["name"]: "displayName" in each for each in get("namespaces/demo/jobs")["jobs"]} == {
        job: False,
        query: False,
    }


def test_a_query_that_is_not_named_by_its_application_keeps_its_name() -> None:
    facets = {
        "spark_properties": factory.facet(properties={"spark.app.name": "Own"}),
        "parent": factory.parent(1, "app"),
    }
    job = {"jobType": factory.facet(integration="SPARK", jobType="SQL_JOB")}
    get = LookupClient(table_after(factory.run_event(job="apples.append_data", run_facets=facets, job_facets=job)))
    assert "displayName" not in get("namespaces/demo/jobs/apples.append_data")


def test_the_version_that_a_merge_of_delta_has_read_is_none_that_it_made() -> None:
    get = LookupClient(table_after(*recorded_program("delta")))
    dim, namespace = "%2Fsrv%2Flake%2Fwh%2Fdim", "file"
    versions = get(f"namespaces/{namespace}/datasets/{dim}/versions")["versions"]
    told = [version["facets"].get("version", {}).get("datasetVersion") for version in versions]
    assert told == [None, "0"]


def test_a_table_of_hudi_has_a_version_for_each_run_and_its_rdds_are_one_job() -> None:
    get = LookupClient(table_after(*recorded_program("hudi")))
    found = get("namespaces/file/datasets")["datasets"]
    assert [table["name"] for table in found] == ["/srv/lake/orders", "/srv/lake/raw"]
    versions = get("namespaces/file/datasets/%2Fsrv%2Flake%2Forders/versions")["versions"]
    states = [version["createdByRun"]["state"] for version in versions]
    assert states == ["RUNNING", "COMPLETED"]  # the driver was killed while it upserted
    assert {"version" in version["facets"] for version in versions} == {False}
    assert [field["name"] for field in found[0]["fields"]][-4:] == ["order_id", "amount", "ts", "day"]
    names = {job["name"]: job["displayName"] for job in get("namespaces/demo/jobs")["jobs"]}
    assert names["hudi_shop"] == "Hudi Shop"
    assert [name for name in names if name.endswith(".rdd")] == ["hudi_shop.rdd"]
