"""The graphs that a person would draw of the recorded events of producers: `job: state, inputs -> outputs`.

Names of tables are short: orders is shop.main.orders in the events of dbt, and shop.public.orders in those of Airflow.
tests/fixtures/producers has a page for each engine, which says what ran.
"""

STAGING = {
    "model.shop.stg_customers": "COMPLETED, raw_customers -> stg_customers",
    "model.shop.stg_orders": "COMPLETED, raw_orders -> stg_orders",
}
MARTS = {
    "model.shop.paid_orders": "COMPLETED, stg_customers stg_orders -> paid_orders",
    "model.shop.revenue_by_country": "COMPLETED, paid_orders -> revenue_by_country",
    "model.shop.top_customers": "COMPLETED, paid_orders stg_customers -> top_customers",
}
SEEDS = {"seed.shop.raw_customers": "COMPLETED, -> raw_customers", "seed.shop.raw_orders": "COMPLETED, -> raw_orders"}
TESTS = {
    "model.shop.paid_orders.test": "COMPLETED, paid_orders ->",
    "model.shop.revenue_by_country.test": "COMPLETED, revenue_by_country ->",
    "model.shop.stg_orders.test": "COMPLETED, stg_orders ->",
    "test.shop.no_negative_revenue": "COMPLETED, revenue_by_country ->",
}
ENDED, BROKEN = {"dbt-run-shop": "COMPLETED, ->"}, {"dbt-run-shop": "FAILED, ->"}
PAID_ORDERS_FAILED = {"model.shop.paid_orders": "FAILED, stg_customers stg_orders -> paid_orders"}
SKIPPED_MARTS = {name: MARTS[name].replace("COMPLETED", "ABORTED") for name in list(MARTS)[1:]}

HOSPITAL = {
    "dbt-run-hospital": "FAILED, ->",
    "model.hospital.dim_patient": "COMPLETED, snap.patients_snapshot -> dim_patient",
    "model.hospital.dim_patient.test": "COMPLETED, dim_patient ->",
    "model.hospital.fct_stays": "COMPLETED, raw_wards stg_admissions -> fct_stays",
    "model.hospital.fct_stays.test": "COMPLETED, fct_stays ->",
    "model.hospital.inc_lab": "COMPLETED, stg_lab -> inc_lab",
    "model.hospital.lab_abnormal": "COMPLETED, inc_lab stg_patients -> lab_abnormal",
    "model.hospital.readmissions": "COMPLETED, fct_stays -> readmissions",
    "model.hospital.stg_admissions": "COMPLETED, raw_admissions -> stg_admissions",
    "model.hospital.stg_lab": "COMPLETED, lab.results -> stg_lab",
    "model.hospital.stg_patients": "COMPLETED, raw_patients -> stg_patients",
    "model.hospital.stg_patients.test": "FAILED, stg_patients ->",
    "model.hospital.ward_occupancy": "COMPLETED, fct_stays -> ward_occupancy",
    "model.hospital.ward_occupancy.test": "COMPLETED, ward_occupancy ->",
    "snapshot.hospital.patients_snapshot": "COMPLETED, stg_patients -> snap.patients_snapshot",
    "test.hospital.no_negative_days": "COMPLETED, fct_stays ->",
}
SKIPPED = ("model.hospital.readmissions", "model.hospital.ward_occupancy")
HOSPITAL_FAILING_MODEL = {name: text for name, text in HOSPITAL.items() if name not in SKIPPED} | {
    "model.hospital.fct_stays": "FAILED, raw_wards stg_admissions -> fct_stays",
    "model.hospital.fct_stays.test": "ABORTED, fct_stays ->",
    "model.hospital.stg_patients.test": "COMPLETED, stg_patients ->",
    "model.hospital.ward_occupancy.test": "ABORTED, ward_occupancy ->",
    "test.hospital.no_negative_days": "ABORTED, fct_stays ->",
}
HARBOUR = {
    "dbt-run-harbour": "FAILED, ->",
    "model.harbour.after_broken": "ABORTED, broken -> after_broken",
    "model.harbour.berth_load": "ABORTED, fct_calls -> berth_load",
    "model.harbour.broken": "ABORTED, berth_load -> broken",
    "model.harbour.busy": "ABORTED, berth_load -> busy",
    "model.harbour.fct_calls": "ABORTED, stg_calls stg_vessels -> fct_calls",
    "model.harbour.flag_tonnage": "ABORTED, fct_calls -> flag_tonnage",
    "model.harbour.flags_over_time": "COMPLETED, vessels_history -> flags_over_time",
    "model.harbour.forecast": "ABORTED, busy -> forecast",
    "model.harbour.inc_tonnage": "ABORTED, fct_calls -> inc_tonnage",
    "model.harbour.stg_calls": "COMPLETED, calls -> stg_calls",
    "model.harbour.stg_vessels": "COMPLETED, vessels -> stg_vessels",
    "seed.harbour.calls": "COMPLETED, -> calls",
    "seed.harbour.vessels": "COMPLETED, -> vessels",
    "snapshot.harbour.vessels_history": "COMPLETED, vessels -> vessels_history",
    "test.harbour.no_negative": "ABORTED, berth_load ->",
    "test.harbour.not_null_fct_calls_call_id.de5b001682": "ABORTED, fct_calls ->",
    "test.harbour.not_null_fct_calls_tonnes.3a82efe81a": "ABORTED, fct_calls ->",
    "test.harbour.not_null_stg_calls_tonnes.e2b1e96989": "FAILED, stg_calls ->",
    "test.harbour.unique_fct_calls_call_id.eea4ad0e92": "ABORTED, fct_calls ->",
    "test.harbour.unique_stg_vessels_vessel_id.cf31546410": "COMPLETED, stg_vessels ->",
}
DBT = {
    "harbour_skipped_ephemeral": HARBOUR,
    "hospital_failing_model": HOSPITAL_FAILING_MODEL,
    "hospital_failing_relationship": HOSPITAL,
    "seed": ENDED,
    "run": {**ENDED, **STAGING, **MARTS},
    "test": {**ENDED, **TESTS},
    "build": {**ENDED, **STAGING, **MARTS, **TESTS},
    "run_failing_model": {**BROKEN, **STAGING, **PAID_ORDERS_FAILED},
    "test_failing": {**BROKEN, **TESTS, "model.shop.paid_orders.test": "FAILED, paid_orders ->"},
    "run_column_removed_from_schema_yml": {**ENDED, **STAGING, **MARTS},
    "run_with_catalog": {**ENDED, **STAGING, **MARTS},
    "build_with_catalog": {**ENDED, **STAGING, **MARTS, **TESTS},
    "run_without_catalog_again": {**ENDED, **STAGING, **MARTS},
    "structured_logs_seed": {**ENDED, **SEEDS},
    "structured_logs_run": {**ENDED, **STAGING, **MARTS},
    "structured_logs_run_failing_model": {**BROKEN, **STAGING, **PAID_ORDERS_FAILED, **SKIPPED_MARTS},
    "postgres_seed": ENDED,
    "postgres_run": {**ENDED, **STAGING, **MARTS},
    "postgres_build": {**ENDED, **STAGING, **MARTS, **TESTS},
    "postgres_structured_logs_run": {**ENDED, **STAGING, **MARTS},
}
TRINO = {
    "create_schema": {"create lake.shop": "COMPLETED, ->", "create memory.shop": "COMPLETED, ->"},
    "create_table": {"create lake.shop.audit": "COMPLETED, -> lake.shop.audit"},
    "create_table_as": {
        "create lake.shop.customers": "COMPLETED, tpch.tiny.customer -> lake.shop.customers",
        "create lake.shop.orders": "COMPLETED, tpch.tiny.orders -> lake.shop.orders",
        "create memory.shop.revenue": "COMPLETED, lake.shop.customers lake.shop.orders -> memory.shop.revenue",
    },
    "create_view": {"create lake.shop.open_orders": "COMPLETED, lake.shop.orders -> lake.shop.open_orders"},
    "insert": {"insert memory.shop.revenue": "COMPLETED, lake.shop.customers lake.shop.orders -> memory.shop.revenue"},
    "insert_values": {"insert lake.shop.customers": "COMPLETED, -> lake.shop.customers"},
    "same_insert_three_times": {"insert lake.shop.audit": "COMPLETED, lake.shop.orders -> lake.shop.audit"},
    "update": {"update lake.shop.orders": "COMPLETED, -> lake.shop.orders"},
    "delete": {"delete lake.shop.orders": "COMPLETED, -> lake.shop.orders"},
    "merge": {"merge lake.shop.orders": "COMPLETED, tpch.tiny.orders -> lake.shop.orders"},
    "fails_while_running": {
        "insert memory.shop.revenue": "FAILED, lake.shop.customers lake.shop.orders -> memory.shop.revenue"
    },
    "create_table_as_fails_while_running": {"create lake.shop.broken": "FAILED, lake.shop.orders -> lake.shop.broken"},
    "fails_in_analysis": {"insert lake.shop.audit": "FAILED, ->"},
    "cancelled": {"insert lake.music.royalties": "ABORTED, lake.music.plays lake.music.tracks -> lake.music.royalties"},
    "create_or_replace_drops_a_column": {
        "create lake.shop.customers": "COMPLETED, tpch.tiny.customer -> lake.shop.customers"
    },
}
FLINK = {
    "sql_datagen_to_kafka": {"insert-into_default_catalog.default_database.orders": "COMPLETED, -> orders"},
    "sql_kafka_to_filesystem": {
        "insert-into_default_catalog.default_database.large_orders": "COMPLETED, paid_orders ->"
    },
    "datastream_kafka_to_kafka": {"clear_payments": "COMPLETED, orders -> paid_orders"},
    "datastream_failed": {"clear_payments": "FAILED, orders -> paid_orders"},
    "datastream_fails_at_once": {"clear_payments": "FAILED, no_such_topic -> paid_orders"},
    "datastream_restarts_and_fails": {"clear_payments": "FAILED, orders -> paid_orders"},
    "datastream_cancelled": {"clear_payments": "ABORTED, orders -> paid_orders"},
    "datastream_killed": {"clear_payments": "RUNNING, orders -> paid_orders"},
    "datastream_started_again": {"clear_payments": "ABORTED, orders -> paid_orders"},
    "datastream_without_detached_tracking": {"clear_payments": "RUNNING, orders -> paid_orders"},
}
AIRFLOW = {
    "sql_column_removed": {
        "shop": "COMPLETED, ->",
        "shop.load": "COMPLETED, -> customers orders revenue",
        "shop.paid_orders": "COMPLETED, customers orders -> paid_orders",
        "shop.revenue": "COMPLETED, paid_orders -> revenue",
    },
    "python_tried_again": {
        "freight": "COMPLETED, ->",
        "freight.flaky": "COMPLETED, ->",
        "freight.flaky.query.2": "FAILED, -> hospital.ship.parcels",
        "freight.flaky.query.5": "FAILED, hospital.ship.parcels -> hospital.ship.ports",
    },
    "python_fails": {
        "shop_python": "FAILED, ->",
        "shop_python.fetch_orders": "COMPLETED, ->",
        "shop_python.price_orders": "FAILED, ->",
    },
}
PRESTO = {
    "create_table_as": {
        "create lake.shop.orders": "COMPLETED, hive.raw.orders -> lake.shop.orders",
        "create lake.shop.revenue": "COMPLETED, hive.raw.customers lake.shop.orders -> lake.shop.revenue",
    },
    "create_view": {"create lake.shop.open_orders": "COMPLETED, ->"},
    "insert_of_three_days": {"insert lake.shop.orders": "COMPLETED, hive.raw.orders -> lake.shop.orders"},
    "update": {"update lake.shop.orders": "COMPLETED, -> lake.shop.orders"},
    "delete": {"delete lake.shop.orders": "COMPLETED, lake.shop.orders -> lake.shop.orders"},
    "select": {"query": "RUNNING, ->", "analyze lake.shop.orders": "RUNNING, ->"},
    "fails": {"create lake.shop.broken": "FAILED, ->"},
    "fails_while_running": {"insert lake.shop.revenue": "FAILED, hive.raw.customers -> lake.shop.revenue"},
    "cancelled": {"insert lake.shop.revenue": "ABORTED, hive.raw.customers -> lake.shop.revenue"},
    "create_table_drops_a_column": {
        "create lake.shop.orders": "COMPLETED, hive.raw.orders -> lake.shop.orders",
        "drop lake.shop.orders": "COMPLETED, ->",
    },
}
HIVE = {
    "create_table_as": {"createtable_as_select.shop.revenue": "COMPLETED, shop.customers shop.orders -> shop.revenue"},
    "insert_of_two_days": {"query.shop.orders": "COMPLETED, shop.landing -> shop.orders"},
    "another_insert": {"query.shop.orders": "COMPLETED, shop.returns -> shop.orders"},
    "two_inserts_of_one_query": {"query.shop.per_day": "COMPLETED, shop.orders -> shop.large shop.per_day"},
    "load": {"load.shop.customers": "COMPLETED, /in/customers -> shop.customers"},
    "export": {"export./out/revenue": "COMPLETED, shop.revenue -> /out/revenue"},
    "import": {"import.shop.revenue_copy": "COMPLETED, /out/revenue -> shop.revenue_copy"},
    "fails": {"query.shop.large": "FAILED, shop.orders -> shop.large"},
}
GRAPHS = {"dbt": DBT, "trino": TRINO, "flink": FLINK, "airflow": AIRFLOW, "presto": PRESTO, "hive": HIVE}
