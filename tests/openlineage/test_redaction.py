"""No password, token or key of an event is kept, in whatever form it comes; texts that only look so stay."""

import gzip
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.access.admission import Document
from headwater.concurrent import give_way_by
from headwater.graph.producers.trino import TRINO
from headwater.openlineage import exact_json
from headwater.openlineage.event import JobReference, Name
from headwater.openlineage.redaction import RULE, has_hint, read_rule, redacted, redacted_text, use_rules
from headwater.openlineage.secret_rules import PIECE, query_without_secrets, without_secrets
from local.deploy.template import read_template
from tests import factory

FIXTURES = Path(__file__).parents[1] / "fixtures"
SECRET = "Zq7hunter2Xw9"
TEXTS = """
Authorization: Bearer {}
Authorization: Basic {}
curl -H 'Authorization: token {}' https://api
{{"Authorization": "Bearer {}"}}
sent Bearer {} to the server
{{"password": "{}"}}
{{"db": {{"dbPassword":"{}"}}}}
{{\\"password\\": \\"{}\\"}}
aws_secret_access_key={}
aws_secret_access_key = {}
fs.s3a.secret.key={}
fs.azure.account.key.acct.blob.core.windows.net={}
DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}==;EndpointSuffix=core
SharedAccessKey={}
https://acct.blob.core.windows.net/c?sv=2020&sig={}
https://s3/x?X-Amz-Signature={}&x=1
db_passwd={}
PGPASSWORD={} psql
MYSQL_PWD={}
password: {}
password = "{}"
wrong password '{}' for user etl
api_key={}
x-api-key: {}
client_secret={}&grant=1
refresh_token={}
private_key: {}
--db-password {} --verbose
--token={}
jdbc:postgresql://etl:{}@db/shop
jdbc:postgresql://db/shop?user=etl&password={}&ssl=true
jdbc:sqlserver://db;user=sa;password={};encrypt=true
jdbc:oracle:thin:scott/{}@db:1521/x
sqlplus scott/{}@orcl
password\\={}
db.password\\ = {}
\x1b]8;;https://etl:{}@h/x\x07link
mongodb+srv://etl:{}@cluster/shop
redis://:{}@cache:6379
Map(url -> jdbc:mysql://h/db, sfPassword -> {})
https://etl:{}@files/orders.csv
\x1b[31mpassword\x1b[0m={}
pass\x1b[1mword={}
password=\x1b[1m{}\x1b[0m
spark.read.option("password", "{}")
map('password', '{}')
conf.set("fs.s3a.secret.key", "{}")
the key -----BEGIN RSA PRIVATE KEY----- {} -----END RSA PRIVATE KEY-----
PlainLoginModule required username="etl" password="{}";
Caused by: java.sql.SQLException: CREATE USER etl IDENTIFIED BY '{}'
fs.azure.account.oauth2.client.secret.acct.dfs.core.windows.net={}
spark.hadoop.fs.azure.sas.fixed.token.acct.dfs.core.windows.net={}
curl -s -u etl:{} https://api/orders
curl --user 'etl:{}' https://api/orders
https://hooks.slack.com/services/T00000000/B00000000/{}
https://login/?to=https%3A%2F%2Fetl%3A{}%40files%2Forders
POST token%3D{}%26grant%3D1
<property><name>javax.jdo.option.ConnectionPassword</name><value>{}</value></property>
<password>{}</password>
{{&quot;password&quot;:&quot;{}&quot;}}
-----BEGIN PGP PRIVATE KEY BLOCK----- {} -----END PGP PRIVATE KEY BLOCK-----
password = f'{}'
password = \"\"\"{}\"\"\"
pass\x1b]0;title\x07word={}
\\x1b[31mpassword\\x1b[0m=\\u001b[1m{}
mysql -h db -u etl -p{} shop < dump.sql
mysqldump -uroot -p'{}' shop
mongosh -u etl -p {} shop
sshpass -p {} ssh etl@host
sshpass -p'{}' scp a b@c:
sshpass -p {} ssh -p 2222 etl@host
redis-cli -a {} -n 1 ping -a b1
curl --proxy-user u:{} -u a:b https://api
docker login -u etl -p {} registry
sqlcmd -S db -U sa -P {}
beeline -u jdbc:hive2://h:10000 -n etl -p {}
redis-cli -h c -a {} ping
keytool -list -storepass {}
curl -sSuetl:{} https://api
curl --proxy-user u:{} https://api
spark.hadoop.fs.s3a.secret.key {}1
spark.ssl.keyStorePassword {}1
basic.auth.user.info=etl:{}
aws configure set aws_secret_access_key {}
machine h login etl password {}
dbpass={}
DBT_ENV_SECRET_PW={}
fernet_key = {}
Set-Cookie: JSESSIONID={}; Path=/
sent Basic {}1 to host
CREATE USER 'u'@'%' IDENTIFIED WITH mysql_native_password BY '{}'
""".strip().splitlines()
QUERIES = """
CREATE TABLE t USING jdbc OPTIONS ('password' '{}', url 'jdbc:mysql://h/db')
SELECT * FROM users WHERE password='{}'
SELECT * FROM users WHERE u.password <> '{}' AND x = 1
SELECT * FROM users WHERE api_key IN ('{}')
SELECT * FROM users WHERE token LIKE '{}%'
SELECT '{}' AS password, 1 AS id
UPDATE users SET "password" = '{}' WHERE id = 1
CREATE USER etl IDENTIFIED BY '{}'
CREATE USER etl IDENTIFIED BY {}
CREATE ROLE etl WITH LOGIN PASSWORD '{}'
INSERT INTO users (id, password) VALUES (1, 'x'), (2, '{}')
COPY orders FROM 's3://lake' CREDENTIALS 'aws_access_key_id=AKIA1;aws_secret_access_key={}'
COPY INTO t FROM 's3://lake' CREDENTIALS=(AWS_KEY_ID='a' AWS_SECRET_KEY='{}')
CREATE TABLE t (a INT) WITH ('connector' = 'jdbc', 'password' = '{}')
CREATE TABLE t USING jdbc OPTIONS (url 'jdbc:sqlserver://db;user=sa;password={}', dbtable 'x')
CREATE TABLE t USING jdbc OPTIONS (user 'sa', password '{}')
CREATE CONNECTION c URI 'postgresql://etl:{}@db/shop'
SELECT 1 -- the password: {}
SELECT /* token={} */ 1
SELECT * FROM mail WHERE address = '{}@shop.example'
CREATE LOGIN l WITH PASSWORD = N'{}'
SET PASSWORD FOR 'u'@'h' = PASSWORD('{}')
ALTER USER u IDENTIFIED BY VALUES '{}'
ALTER USER u PASSWORD $${}$$
SET spark.hadoop.fs.s3a.secret.key={}
SELECT 1 FROM u WHERE lower(password) = lower('{}')
SELECT 1 FROM u WHERE '{}' = u.password
SELECT 1 FROM u WHERE token IN ('a', '{}')
SELECT CAST('{}' AS STRING) AS password
SELECT CASE WHEN a THEN '{}' END AS password FROM t
SELECT pgp_sym_decrypt(c, '{}') FROM t
SELECT aes_encrypt('a', '{}') FROM t
CREATE CATALOG c PROPERTIES ("aws.s3.secret_key" = "{}1")
CREATE SECRET s TYPE = GENERIC_STRING SECRET_STRING = '{}'
""".strip().splitlines()
TOKENS = (
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4",
    "xoxb-123456789012-abcdefABCDEF",
    "dapi0123456789abcdef0123456789abcdef",
    "xapp-1-A1-12-abcdef0123456789abcdef",
    "sk-proj-aB3xK9mQ7rT2vW8zL5nP0dF4gH6jS1yC",
    "dbtc_aB3xK9mQ7rT2vW8zL5nP0dF4gH6jS1yC",
    "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",
    "npm_aB3xK9mQ7rT2vW8zL5nP0dF4gH6jS1yC",
    "sk-aB3xK9mQ7rT2vW8zL5nP0dF4gH6jS1yC",
    "ya29.aB3xK9mQ7rT2vW8zL5nP0dF4gH6jS1yC",
    "hvs.aB3xK9mQ7rT2vW8zL5nP0dF4gH6jS1yC",
    "eyJ0eXBlIjogInNlcnZpY2VfYWNjb3VudCIsICJwcm9qZWN0X2lkIjogInNob3AiLCAicHJpdmF0ZV9rZXkiOiAiLS0t",
)
INNOCENT_TEXTS = (
    "next=http%3A%2F%2Flocalhost%3A8080%2Fusers%2Fann%40acme.com",
    "jdbc%3Apostgresql%3A%2F%2Fdb%3A5432%2Fshop%2Fpublic.orders%40snapshot",
    'if (a.token>5) { x = "</a>" } <b id=token>orders</b>',
    "client_secret.path=/etc/s client.secret.provider: vault",
    "curl https://api && sort -u file:x; python -u s3://bucket/job.py:main",
    """curl --user-agent=foo:bar -u "$USER:$PASS" https://api""",
    'class ApiKey:\n\t"""A key of a user."""\n  class Secret:\n    """A secret."""',
    "cannot resolve transform(tokens, token -> upper(token))",
    "mismatched token: FROM",
    "Unexpected token: SELECT at line 3",
    "a.password = b.password AND a.secret=b.secret",
    "password=${DB_PASSWORD}",
    "password={{ var.value.pw }}",
    "WHERE password = ? AND token = :token",
    "password=sha2(raw, 256)",
    "cannot cast password::text",
    "abfss://container@account.dfs.core.windows.net/orders",
    "s3://lake/orders@v2",
    "https://host:8443/path?mail=a@b.example",
    "the token_count=5, the secret santa and the compass: north",
    "Bearer authentication failed",
    "sasl.enabled: true, password: null",
    "primary key = id, partition key: day",
    'a row is identified by order_id, and a day identified as "late"',
    "docker run -p 8080:80 shop; ssh -p 22 h; mysql -h db -P 3306 -p shop; mkdir -p /data/a1",
    "basic authentication failed, basic SparkCatalog",
    "the cookie: an id of the visitor",
    "task-0123456789-of-the-job-that-loads-orders-hourly",
    "spark.ssl.keyPassword is not set",
    "docker run --name mongo -p 27017:27017 -p 127.0.0.1:80:8080 mongo",
    "mysqldump -port 3306; mysql_config -pthread",
    "Login with password authentication failed",
    "npm_installationofthepackages hf_customerorderstransformations_daily",
    "sk-orders-2026-11-20-of-the-shops-in-the-north",
    "pypi-packages-of-the-team-that-loads-the-orders-of-all-the-shops",
)
INNOCENT_QUERIES = (
    "SELECT doc -> 'token', doc ->> 'password' AS shown FROM logins",
    "SELECT u.password, v.token FROM users u JOIN vault v ON u.password = v.password",
    "SELECT count(*) AS token_count FROM logs WHERE kind = 'token' AND status = 'secret'",
    "SELECT * FROM keys WHERE key = 'orders' AND primary_key = 5",
    "INSERT INTO orders (id, status) VALUES (1, 'open')",
    """SELECT "password" FROM users WHERE "u"."password" = "v"."password" """,
    "SELECT * FROM orders WHERE owner = '@here' AND path = 's3://lake/x@y'",
    "SELECT get_json_object(doc, '$.access_token') AS access_token, split(text, ' ') AS token FROM t",
    "SELECT coalesce(a, 'x') AS token, to_char(d, 'YYYYMMDD') AS access_key FROM t",
    "SELECT CASE WHEN a THEN 'yes' END AS has_token FROM t",
    """SELECT t.token "t_1", t.password "C1" FROM t""",
    "CREATE PROCEDURE rotate_token $$ BEGIN DELETE FROM t; END $$",
)


def event_with(job_facets: Document, run_facets: Document | None = None) -> Document:
    event = factory.run_event()
    event["job"]["facets"] = job_facets
    event["run"]["facets"] = run_facets or {}
    return event


def clean(document: Any) -> tuple[str, tuple[str, ...]]:
    """The text of a document without secrets, and where they were."""
    result = redacted(document, exact_json.dumps(document))
    return exact_json.dumps(result.document), result.places


def secrets() -> list[str]:
    """Passwords as people and programs make them."""
    return [SECRET, "hunter2hunter2", "p-ss_w.rd+12/34=", "QUJDREVGR0hJSktMTU5PUA", "x!y#z$w%v^u*16chars0"]


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("secret", [SECRET, "hunter22hunter22", "p-ss_w.rd+1234xyz", "QUJDREVGR0hJ1KTU5PUA"])
def test_a_secret_in_a_text_is_replaced(form: str, secret: str) -> None:
    message = f"org.spark.Error: cannot read: {form.format(secret)}\n\tat org.apache.Main.main(Main.java:1)"
    text, places = clean(event_with({}, {"errorMessage": {"message": message, "stackTrace": message}}))
    assert secret not in text
    assert {place.partition(": redacted")[0] for place in places} == {
        "run.facets.errorMessage.message",
        "run.facets.errorMessage.stackTrace",
    }
    assert "org.apache.Main.main" in text
    assert "cannot read" in text


@pytest.mark.parametrize("form", QUERIES)
@pytest.mark.parametrize("secret", [SECRET, "hunter22hunter22"])
def test_a_secret_in_a_query_is_replaced(form: str, secret: str) -> None:
    text, places = clean(event_with({"sql": {"query": form.format(secret)}}))
    assert secret not in text
    assert any(place.startswith("job.facets.sql.query: redacted ") for place in places)


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_is_known_by_its_own_form(token: str) -> None:
    assert redacted_text(f"cannot sign in as {token}, sorry").startswith("cannot sign in as ***token***")


def test_only_a_word_that_begins_so_is_a_hint_of_a_token() -> None:
    assert not has_hint("task-1, disk-2 and risk-3")
    for before in ("", " ", '"', "(", "=", "\n", "\u201c", "'", "/"):
        assert has_hint(before + "sk-1")
        assert has_hint(exact_json.dumps({"text": before + "sk-1"}))


@pytest.mark.parametrize("text", INNOCENT_TEXTS)
def test_a_text_that_only_speaks_of_secrets_stays(text: str) -> None:
    assert redacted_text(text) == text


@pytest.mark.parametrize("query", INNOCENT_QUERIES)
def test_a_query_that_only_reads_columns_of_such_names_stays(query: str) -> None:
    assert query_without_secrets(query, []) == query


@pytest.mark.parametrize(
    "form", [*TEXTS, *QUERIES, "password=>({})", "Cookie: token=abc", "machine h login a password 'abc'"]
)
def test_a_redacted_text_stays_as_it_is(form: str) -> None:
    for rules in (without_secrets, query_without_secrets):
        once = rules(form.format(SECRET), [])
        assert rules(once, []) == once


def test_variables_of_the_environment_are_told_by_an_allow_list() -> None:
    variables = [{"name": "DB_HOST", "value": "10.0.0.1"}, {"name": "AWS_REGION", "value": "eu-west-1"}]
    facet = {
        "_producer": "https://spark",
        "environmentVariables": [*variables, {"name": "DB_PASSWORD", "value": SECRET}],
    }
    text, places = clean(event_with({}, {"environmentVariables": facet}))
    assert "10.0.0.1" not in text
    assert SECRET not in text
    assert "eu-west-1" in text
    assert "https://spark" in text
    assert [place.rpartition(" ")[2] for place in places] == ["environment", "environment"]


def test_a_member_with_the_name_of_a_secret_is_replaced() -> None:
    properties = {"spark.hadoop.fs.s3a.secret.key": SECRET, "dbPassword": 123456, "spark.app.name": "nightly"}
    text, places = clean(
        event_with({}, {"spark_properties": {"properties": properties}, "my_token": {"token": SECRET}})
    )
    assert SECRET not in text
    assert "123456" not in text
    assert "nightly" in text
    assert "run.facets.spark_properties.properties.spark.hadoop.fs.s3a.secret.key: redacted key" in places


SPARK_ACCOUNT = "spark.hadoop.fs.azure.account.key.acct.dfs.core.windows.net"


@pytest.mark.parametrize(
    "facet",
    [
        {"parameters": [{"key": "auth_token", "value": SECRET}]},
        {"parameters": {"password": {"value": SECRET}}},
        {"properties": {SPARK_ACCOUNT: SECRET}},
        {"arguments": ["--user", "etl", "--password", SECRET]},
        {"sourceCode": f"PASSWORD = \\\n    '{SECRET}'\n"},
        {"sourceCode": f"curl -s \\\n  -u etl:{SECRET} https://api"},
        {"parameters": [{"key": "name", "value": f"password={SECRET}"}]},
        {"parameters": {"sql": {"value": f"password={SECRET}"}}},
    ],
)
def test_a_value_is_told_by_its_key_or_the_flag_before_it(facet: Document) -> None:
    text, places = clean(event_with({}, {"custom": facet}))
    assert SECRET not in text
    assert len(places) == 1
    assert clean(json.loads(text)) == (text, ())


def test_flags_and_keys_of_no_secret_keep_their_values() -> None:
    facet = {
        "arguments": ["--password", "--verbose", "--date", "2026-11-20"],
        "tags": [{"key": "pii", "value": "high"}, {"key": "token", "value": 3}, {"key": "secret", "value": "high"}],
        "statements": ["-- rotate the api token", "INSERT INTO t SELECT 1"],
    }
    event = event_with({}, {"custom": facet})
    assert redacted(event, exact_json.dumps(event)).document is event


def test_colours_beside_a_secret_that_has_none_stay() -> None:
    text, _ = clean(event_with({}, {"sourceCode": {"sourceCode": f'PAT = "\\x1b[31mred"\npassword = "{SECRET}"'}}))
    assert SECRET not in text
    assert r"\\x1b[31mred" in text


def test_the_end_of_an_encoded_secret_is_that_of_its_part() -> None:
    text, _ = clean(event_with({}, {"custom": {"path": f"s3://b/token%3D{SECRET}/date%3D2026-01-01/part-0"}}))
    assert "s3://b/token%3D***token***/date%3D2026-01-01/part-0" in text


def test_a_column_with_the_name_of_a_secret_keeps_its_lineage() -> None:
    event = factory.run_event()
    fields = [{"name": "password", "type": "string", "description": "the hashed token"}]
    sources = [{"namespace": "s3://lake", "name": "users", "field": "password"}]
    facets = {"schema": {"fields": fields}, "columnLineage": {"fields": {"password": {"inputFields": sources}}}}
    event["outputs"] = [{"namespace": "s3://lake", "name": "secrets/token=eu/users", "facets": facets}]
    assert redacted(event, exact_json.dumps(event)).document is event


def test_the_secret_beside_the_id_of_a_key_of_aws_is_replaced() -> None:
    """It has no name: in files of credentials, and in calls."""
    secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    for form in ("{}:{}", "{}\n{}", "Access key ID,Secret access key\n{},{}", "client('s3', '{}', '{}')"):
        assert secret not in clean({"text": form.format("AKIAIOSFODNN7EXAMPLE", secret)})[0]


def test_of_a_name_the_credentials_of_a_url_are_replaced_and_nothing_else() -> None:
    event = factory.run_event()
    event["inputs"] = [{"namespace": f"postgres://etl:{SECRET}@db:5432", "name": f"shop.password={SECRET}"}]
    result = redacted(event, exact_json.dumps(event)).document
    assert result["inputs"][0]["namespace"] == "postgres://***credentials***@db:5432"
    assert result["inputs"][0]["name"] == f"shop.password={SECRET}"


def test_a_signature_of_a_url_in_a_name_is_replaced() -> None:
    """A SAS of Azure and a signed URL are read as files. A folder of a partition stays."""
    for signed in (f"c/orders.csv?sv=2022-11-02&sig={SECRET}", f"orders.csv?X-Amz-Date=1&X-Amz-Signature={SECRET}"):
        assert SECRET not in clean(factory.run_event(inputs=[factory.dataset(signed)]))[0]
    assert clean(factory.run_event(inputs=[factory.dataset("orders/token=eu/sig=1")]))[1] == ()


def test_queries_that_differ_in_a_secret_alone_are_one_query() -> None:
    queries = [f"CREATE USER etl PASSWORD '{secret}'" for secret in secrets()]
    clean_queries = {query_without_secrets(query, []) for query in queries}
    assert len(clean_queries) == 1
    assert {stable_name(query) for query in queries} == {stable_name(clean_queries.pop())}


def stable_name(query: str) -> str:
    facets = {"sql": {"query": query}, "jobType": {"integration": "TRINO"}}
    return TRINO.stable_name(JobReference(Name("trino", "20261122_193927_00008_e2k6e"), facets))


def recorded() -> Iterator[Document]:
    for path in sorted(FIXTURES.rglob("*.jsonl*")):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for line in content.splitlines():
            document = json.loads(line)
            event = document.get("event", document) if isinstance(document, dict) else None
            if isinstance(event, dict) and "eventTime" in event:
                yield event


def test_nothing_of_the_recorded_events_is_taken_for_a_secret() -> None:
    events = list(recorded())
    assert sum("sql" in (event.get("job", {}).get("facets") or {}) for event in events) > 500
    assert [clean(event)[1] for event in events if clean(event)[1]] == []


def test_of_a_long_name_only_the_end_is_searched_and_told() -> None:
    """Searched whole for each entry below it, it took minutes."""
    name = "-" + "c" * 500_000 + "password"
    document = {name: ["x"] * 1_000, "flags": [name, ["true"] * 1_000]}
    places = redacted(document, exact_json.dumps(document)).places
    assert len(places) == 1_000
    assert max(map(len, places)) < 300


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.dictionaries(st.text(), inner, max_size=4)))
def test_any_document_can_be_redacted_and_redacted_again(document: Any) -> None:
    once = redacted(document, exact_json.dumps(document)).document
    assert redacted(once, exact_json.dumps(once)).places == ()


@pytest.mark.parametrize(
    "repeated",
    [
        *("password", "password=", "password='", 'password="', 'password=\\"', "pass" * 3, "://a:", "://:@", "'", "''"),
        *(
            "bearer ",
            "authorization: ",
            "--",
            "-----BEGIN PRIVATE KEY-----",
            "eyJ",
            "identified by ",
            ") values (",
            "/*",
        ),
        *("option('", "token ", "'a' as ", "password \\", "a@", "'@", "AKIA", "$", "\x1b[", "thin:a/", "sqlplus "),
        *("%3a%2f%2fa%3ab", "curl ", "curl -u a:", "token>", "token</name> <value>x", "password=&quot;", "\x1b]0;"),
        *(
            "mysql ",
            "sshpass -p ",
            "redis-cli -",
            "spark.",
            "spark.token ",
            "machine h login a password",
            "cookie: a=",
            "sk-",
        ),
        *(
            "password in ('",
            "token a(",
            "token = $",
            "aes_encrypt('",
            "'a' = ",
            "user a identified with a ",
            'token="1',
        ),
    ],
)
def test_no_text_takes_long(repeated: str) -> None:
    text = repeated * (60_000 // len(repeated))
    started = time.process_time()
    without_secrets(text, [])
    query_without_secrets(text, [])
    assert time.process_time() - started < 5


def test_a_long_text_is_searched_in_pieces_and_loses_the_same_secrets() -> None:
    secrets = ["password=hunter2", "mysql -u etl -phunter2", f"token: {'x' * 3_000}", "://a:hunter2@db/"]
    for length in range(PIECE - 40, PIECE + 10):
        text = " ".join(f"{'.' * length} {secret}" for secret in secrets)
        found: list[str] = []
        clean = without_secrets(text, found)
        assert (found.count("password"), "hunter2" in clean, "xx" in clean) == (2, False, False)
        assert clean.count(".") >= 4 * length
    looks: list[None] = []
    give_way_by(lambda: looks.append(None))
    try:
        without_secrets("mysql " * PIECE, [])
    finally:
        give_way_by(None)
    assert len(looks) > 6 * 20, "others compute between the pieces"


@pytest.fixture
def _own_rules() -> Iterator[None]:
    use_rules([r"acme_[A-Za-z0-9]{8,60}", r"PL\d{26}"])
    yield
    use_rules([])


@pytest.mark.usefixtures("_own_rules")
def test_rules_of_an_operator_are_replaced_and_told_like_others() -> None:
    query = "SELECT 'acme_kkkkkkkkkk', 'acme_short' FROM t -- PL77777777777777777777777777"
    event = event_with({"sql": {"query": query}, "x": {"note": "acme_12345678, password=hunter2"}})
    event["outputs"] = [{"namespace": "s3://acme_12345678", "name": "acme_12345678"}]
    text, places = clean(event)
    assert json.loads(text)["job"]["facets"] == {
        "sql": {"query": "SELECT '***rule***', 'acme_short' FROM t -- ***rule***"},
        "x": {"note": "***rule***, password=***password***"},
    }
    assert json.loads(text)["outputs"] == event["outputs"]
    assert places == (
        *["job.facets.sql.query: redacted rule"] * 2,
        "job.facets.x.note: redacted rule",
        "job.facets.x.note: redacted password",
    )
    assert clean(json.loads(text)) == (text, ())
    assert redacted_text("refused: acme_12345678") == "refused: ***rule***"


RULES = ("acme_[A-Za-z0-9]{20,60}", r"PL\d{26}", r"\w{3}-[a-f]{4}x{2,9}\.y", r"[(]\d{4}[)]", "x", "a.b")
NO_RULES = (
    *("(a+)+", "a|b", "a*", "a+", "a?", "[a-z]{1,9}[a-z]{1,9}", "(?i)x", r"\1", "[z-a]", "a{9,2}", "{3}"),
    *("a{2}{3}", "", "a{0,9}", "[a-z", "(", "\\"),
)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_has_characters_classes_and_counts(rule: str) -> None:
    assert read_rule(rule).pattern == rule
    started = time.process_time()
    read_rule(rule).sub("", "a" * 60_000 + "acme_" * 10_000 + "x" * 60_000)
    assert time.process_time() - started < 1


@pytest.mark.parametrize("rule", NO_RULES)
def test_a_rule_that_might_take_long_is_refused(rule: str) -> None:
    with pytest.raises(ValueError, match=r"not a|nothing"):
        read_rule(rule)


def test_the_template_takes_what_the_code_takes() -> None:
    parameter = read_template(FIXTURES.parents[1] / "template.yaml")["Parameters"]["SecretRules"]
    assert parameter["AllowedPattern"] == f"{RULE}( {RULE})*"
    assert re.fullmatch(parameter["AllowedPattern"], "NONE")


WORDS = "aB3xK9mQ7rT2vW8zL5nP0dF4gH6jS1yC"


def planted(number: int) -> tuple[str, Document]:
    """A secret, and an event that has it in one of the listed forms."""
    random = Random(number)
    secret = "".join(random.choices(WORDS, k=random.randint(10, 24))) + str(number)
    forms = [*((form, "sql") for form in QUERIES), *((form, "text") for form in TEXTS)]
    form, kind = forms[number % len(forms)]
    text = form.format(secret)
    if kind == "sql":
        member = random.choice(["query", "sql", "statement"])
        return secret, event_with({random.choice(["sql", "custom"]): {member: text}})
    holder = random.choice(["message", "stackTrace", "description", "sourceCode", "note"])
    padded = "x " * random.randint(0, 200) + text + "\n\tat Main.run(Main.java:1)" * random.randint(0, 3)
    facet = {holder: random.choice([padded, [padded], {"inner": padded}])}
    return secret, event_with(*(({"a": facet}, None) if number % 2 else ({}, {"errorMessage": facet})))


def test_none_of_two_thousand_planted_secrets_is_left() -> None:
    left = []
    for number in range(2_000):
        secret, event = planted(number)
        text, places = clean(event)
        if secret in text or not places:
            left.append(exact_json.dumps(event)[-300:])
    assert left == []
