# GNU make and bash; everything is installed into .local, from requirements that are pinned by their hashes.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

PYTHON ?=
ARGS ?=
DATA ?=
AUTH ?=
OPEN ?=
ALERTS ?=
PARAMETERS ?=
SAM ?=
PORT ?=
URL ?=
KEY_FILE ?=
NAMESPACE ?=
MACHINE ?= x86_64
ARCHIVE ?=
WAREHOUSE ?= $(STATE)/lake
REPORT ?= $(STATE)/insights.html

STATE := .local
UV := $(STATE)/uv/bin/uv
BIN := $(STATE)/venv/bin
# The web page as it is served, built of web/ by Node: that of PATH if it is recent, else one installed into .local.
PAGE := layers/headwater/headwater/web_files/built/index.html.gz
# The jar beside Spark's listener, of agent/, where a JDK is.
AGENT := layers/headwater/headwater/web_files/jars/headwater-spark.jar
JAVAC := $(shell command -v "$${JAVA_HOME:+$$JAVA_HOME/bin/}javac")
NODE_IS_RECENT := $(shell node -e 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' 2>/dev/null && echo 1)
NODE_PATH := $(if $(NODE_IS_RECENT),,$(CURDIR)/$(STATE)/node/bin:)
NPM := PATH="$(NODE_PATH)$$PATH" npm --prefix web
CONTAINERS := $(firstword $(notdir $(shell command -v podman docker)))
export UV_CACHE_DIR ?= $(CURDIR)/$(STATE)/cache
export UV_PYTHON_DOWNLOADS := never
export SAM_CLI_TELEMETRY := 0
export PYTHONUTF8 := 1

# Tools that read a template need no AWS account, and must not find the user's own.
NO_AWS := env $(patsubst %,-u %,$(filter AWS_%,$(.VARIABLES))) AWS_DEFAULT_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true
COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header $(ARGS)
WHEEL = $(UV) build --quiet --wheel --build-constraints requirements/build.txt --require-hashes

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ------------------------------------------------------------------------------------------------------- to see it work
.PHONY: demo
demo: $(STATE)/venv.stamp $(PAGE) ## run a Spark pipeline against the embedded stack, show its lineage and an alert (PORT=8765)
	@PYTHONPATH=layers/headwater $(BIN)/python -m local demo $(if $(PORT),--port '$(PORT)')

.PHONY: up
up: $(STATE)/venv.stamp $(PAGE) ## run the embedded stack until Ctrl-C (PORT=8765, DATA=dir keeps the data, AUTH=1 enforces IAM, OPEN=1 wants no key, ALERTS=url posts alerts there, PARAMETERS="NAME=VALUE ..." of template.yaml, SAM=1 lets `sam local invoke` in)
	@PYTHONPATH=layers/headwater $(BIN)/python -m local up $(if $(PORT),--port '$(PORT)') $(if $(DATA),--data '$(DATA)') $(if $(filter 1,$(AUTH)),--auth) $(if $(filter 1,$(OPEN)),--open) $(if $(ALERTS),--alerts '$(ALERTS)') $(if $(filter 1,$(SAM)),--sam) $(foreach each,$(PARAMETERS),--parameter '$(each)')

.PHONY: down
down: $(STATE)/venv.stamp ## stop the stack that `make up` runs
	@PYTHONPATH=layers/headwater $(BIN)/python -m local down

.PHONY: rebuild
rebuild: $(STATE)/venv.stamp ## rebuild a table from an archive with Spark: ARCHIVE=dir ARGS="--verify lineage.db", or --into, --import-format; see emr_jobs/README.md
	@PYTHONPATH=.:layers/headwater $(BIN)/python -m emr_jobs.rebuild '$(ARCHIVE)' $(ARGS)

ON_LAKE = env PYTHONPATH=.:layers/headwater $(BIN)/python -m

.PHONY: lakehouse
lakehouse: $(STATE)/venv.stamp ## keep lineage as Iceberg tables: ARCHIVE=dir (WAREHOUSE=.local/lake; ARGS=--strict), with lineage of its own if a server runs; see emr_jobs/README.md
	@$(ON_LAKE) emr_jobs.lakehouse $(if $(ARCHIVE),'$(ARCHIVE)' --warehouse '$(abspath $(WAREHOUSE))') $(ARGS)

.PHONY: insights
insights: $(STATE)/venv.stamp ## analyse the tables of `make lakehouse` (WAREHOUSE=.local/lake REPORT=.local/insights.html; ARGS=--post posts to the server that runs here)
	@$(ON_LAKE) emr_jobs.insights --warehouse '$(abspath $(WAREHOUSE))' --report '$(abspath $(REPORT))' $(ARGS)

.PHONY: doctor
doctor: $(STATE)/venv.stamp ## say why a graph is empty: of the server that runs here, or of URL= with KEY_FILE= (NAMESPACE=prod, ALERT=1), or of a driver's SPARK_DEFAULTS=file
	@PYTHONPATH=layers/headwater $(BIN)/python -m headwater.cli.doctor $(if $(URL),--url '$(URL)') $(if $(KEY_FILE),--key-file '$(KEY_FILE)') $(if $(NAMESPACE),--namespace '$(NAMESPACE)') $(if $(ALERT),--alert) $(if $(SPARK_DEFAULTS),--spark-defaults '$(SPARK_DEFAULTS)')

# ------------------------------------------------------------------------------------------------------------ to change
# By files, the longest first (tests/conftest.py): xdist would begin with the files of the most tests, which are quick ones.
PARALLEL := -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: test
test: $(STATE)/venv.stamp $(STATE)/spark4.stamp $(PAGE) ## run the tests, in two processes (ARGS="-k front" and the like go to pytest)
	@$(BIN)/python -m pytest $(PARALLEL) -m 'not engine' $(ARGS)

.PHONY: test-engines
test-engines: $(STATE)/venv.stamp $(STATE)/iceberg.stamp $(PAGE) ## run the tests with real engines (dbt, Airflow, Flink, Kafka, DuckDB), and long jobs of Spark
	@$(BIN)/python -m pytest $(PARALLEL) -m engine $(ARGS)

.PHONY: rie
rie: $(STATE)/venv.stamp $(STATE)/sam.stamp $(STATE)/rie.stamp $(PAGE) ## send each sample of events/ through its function in the runtime interface emulator of AWS (Linux)
	@PYTHONPATH=layers/headwater $(BIN)/python -m local samples

.PHONY: sam-local
sam-local: $(STATE)/venv.stamp build ## send each sample of events/ through its function in a container of `sam local` (Docker, or podman by DOCKER_HOST)
	@PYTHONPATH=layers/headwater $(BIN)/python -m local samples --containers

.PHONY: image
image: $(STATE)/venv.stamp $(PAGE) $(AGENT) ## build the container image of `headwater serve`, and try it (Docker or podman)
	rm -rf $(STATE)/image && $(WHEEL) --out-dir $(STATE)/image
	$(CONTAINERS) build $(if $(filter podman,$(CONTAINERS)),--format docker) --tag headwater --file Containerfile $(ARGS) $(STATE)/image
	@CONTAINERS='$(CONTAINERS)' $(BIN)/python -m pytest tests/serve/test_image.py

.PHONY: week
week: $(STATE)/venv.stamp $(PAGE) $(AGENT) ## live a week with the wheel in compressed time: alerts beside what happened, a hostile team, a kill, a restore, a pull request
	rm -rf $(STATE)/week && $(WHEEL) --out-dir $(STATE)/week
	$(UV) venv --quiet --python $(BIN)/python $(STATE)/week/venv
	$(UV) pip install --quiet --python $(STATE)/week/venv -c $(STATE)/week/*-constraints.txt "$$(echo $(STATE)/week/*.whl)[serve]"
	@PYTHONPATH=. $(STATE)/week/venv/bin/python -m tests.week

.PHONY: faults
faults: $(STATE)/venv.stamp ## play thousands of scenes in which calls to AWS fail and functions are killed (ARGS="--scenes 5000 --seed 7")
	@PYTHONPATH=.:layers/headwater $(BIN)/python -m tests.faults.play $(ARGS)

.PHONY: fuzz
fuzz: $(STATE)/venv.stamp $(STATE)/fuzz.stamp ## send generated requests of every route to `headwater serve` (ARGS=--seed=7 repeats them)
	@$(BIN)/python -m tests.serve.fuzz '$(CURDIR)/$(STATE)/fuzz/bin/schemathesis' $(ARGS)

.PHONY: web
web: $(PAGE) ## build the web page

.PHONY: test-web
test-web: web/node_modules/.package-lock.json $(PAGE) $(STATE)/venv.stamp ## check the types of the web page and run its tests; those in a browser need Debian's chromium
	$(NPM) run types
	$(NPM) test
	PYTHON='$(CURDIR)/$(BIN)/python' $(NPM) run browser

.PHONY: pictures
pictures: web/node_modules/.package-lock.json $(PAGE) $(STATE)/venv.stamp ## take the pictures of the documentation in a browser
	PYTHON='$(CURDIR)/$(BIN)/python' $(NPM) run pictures

.PHONY: bench-web
bench-web: web/node_modules/.package-lock.json $(PAGE) $(STATE)/venv.stamp ## measure the web page in a browser: drawing, panning, opening
	PYTHON='$(CURDIR)/$(BIN)/python' $(NPM) run speed

.PHONY: bench
bench: $(STATE)/venv.stamp $(STATE)/bench.stamp ## measure `headwater serve`, or servers side by side (ARGS="--server marquez=http://localhost:5000")
	@PYTHONPATH=.:layers/headwater $(BIN)/python -m benchmarks.side_by_side $(ARGS)
	@$(STATE)/bench/bin/python -m benchmarks.plots benchmarks/results

.PHONY: bench-cold
bench-cold: $(STATE)/venv.stamp ## measure the CPU time of each function's cold start, beside boto3's client of DynamoDB
	@PYTHONPATH=.:layers/headwater $(BIN)/python -m benchmarks.cold_starts

.PHONY: cost
cost: $(STATE)/venv.stamp ## what a million events cost on AWS, by counted calls and units and a dated price file
	@PYTHONPATH=.:layers/headwater $(BIN)/python -m benchmarks.cost $(ARGS)

.PHONY: simulate
simulate: $(STATE)/venv.stamp $(STATE)/bench.stamp ## what of the stack on AWS breaks first as events a second grow: a simulation, with table and plot
	@PYTHONPATH=.:layers/headwater $(BIN)/python -m benchmarks.simulation $(ARGS)
	@$(STATE)/bench/bin/python -m benchmarks.plots benchmarks/results

.PHONY: bench-spark
bench-spark: $(STATE)/venv.stamp ## measure the rebuild of the table on generated archives (ARGS="--events 10000 --shapes one-job one-dataset"), and the insights on a generated graph
	@PYTHONPATH=.:layers/headwater $(BIN)/python -m benchmarks.rebuild $(ARGS)
	@PYTHONPATH=.:layers/headwater $(BIN)/python -m benchmarks.insights

.PHONY: lint
lint: $(STATE)/venv.stamp web/node_modules/.package-lock.json ## check style, format and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PYTHONPATH=layers/headwater $(BIN)/lint-imports
	$(NPM) run --silent lint

.PHONY: types
types: $(STATE)/venv.stamp ## check the types
	$(BIN)/python -m mypy

.PHONY: lock
lock: $(UV) ## compile the requirements again (ARGS=--upgrade for newer versions)
	$(COMPILE) layers/dependencies/requirements.in -o layers/dependencies/requirements.txt
	for name in uv build dev spark4 sam checkov bench fuzz iceberg jobs node rie; do $(COMPILE) requirements/$$name.in -o requirements/$$name.txt; done
	$(UV) pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --all-extras \
	  --constraint requirements/dev.txt pyproject.toml -o constraints.txt
	for folder in jvm engines/airflow engines/dbt engines/trino; do \
	  $(COMPILE) layers/headwater/headwater/cli/$$folder/requirements.in -o layers/headwater/headwater/cli/$$folder/requirements.txt; done

# ------------------------------------------------------------------------------------------------------------ to deploy
.PHONY: jobs
jobs: $(STATE)/venv.stamp $(STATE)/headwater_spark.zip ## pack what jobs on a cluster import: .local/headwater_spark.zip (--py-files), .local/headwater_jobs.tar.gz (--archives; MACHINE=aarch64 for Graviton)
	@rm -rf $(STATE)/headwater_jobs && mkdir -p $(STATE)/headwater_jobs/emr_jobs
	@$(UV) pip install --quiet --target $(STATE)/headwater_jobs --python-platform $(MACHINE)-manylinux2014 --python-version 3.11 \
	  --only-binary :all: --require-hashes --requirement requirements/jobs.txt
	@cp -R layers/headwater/headwater layers/headwater/job_lineage.py $(STATE)/headwater_jobs/ && cp -R emr_jobs/{archive,insights,lakehouse,rebuild} $(STATE)/headwater_jobs/emr_jobs/
	@tar --exclude=__pycache__ -czf $(STATE)/headwater_jobs.tar.gz -C $(STATE)/headwater_jobs . && echo $(STATE)/headwater_jobs.tar.gz

$(STATE)/headwater_spark.zip: layers/headwater/headwater/__init__.py $(wildcard layers/headwater/headwater/spark/*.py) layers/headwater/job_lineage.py | $(STATE)/venv.stamp
	@rm -rf $@ $(basename $@) && mkdir -p $(basename $@)
	@tar -C layers/headwater -cf - $(patsubst layers/headwater/%,%,$^) | tar -C $(basename $@) -xf -
	@cd $(basename $@) && $(abspath $(BIN))/python -m zipfile -c $(abspath $@) headwater/ job_lineage.py

.PHONY: agent
agent: $(AGENT) ## build the jar that runs beside Spark's listener into the package, with a JDK: headwater-spark.jar (--jars)

$(AGENT): agent/build.py $(shell find agent/src -type f) | $(if $(JAVAC),$(STATE)/venv.stamp)
	@$(if $(JAVAC),PYTHONPATH=.:layers/headwater $(BIN)/python -m agent.build '$(JAVAC)',echo 'headwater-spark.jar was not built, since there is no JDK here: Spark jobs run without it' >&2)

.PHONY: validate
validate: $(STATE)/sam.stamp ## check template.yaml with sam and cfn-lint
	$(NO_AWS) $(STATE)/sam/bin/sam validate --lint

.PHONY: build
build: $(STATE)/sam.stamp $(PAGE) $(AGENT) layers/compiler/node_modules/.package-lock.json ## build what `sam deploy` uploads, without a container, and list what it is made of (CycloneDX)
	PATH="$(CURDIR)/$(STATE)/uv/bin:$(NODE_PATH)$$PATH" BYTECODE='node $(CURDIR)/layers/compiler/compile.mjs' \
	  $(NO_AWS) $(STATE)/sam/bin/sam build $(ARGS)
	@$(STATE)/uv/bin/python -m local.bill_of_materials > $(STATE)/headwater.cdx.json && echo $(STATE)/headwater.cdx.json

.PHONY: checkov
checkov: $(STATE)/checkov.stamp ## check the security of template.yaml
	$(NO_AWS) $(STATE)/checkov/bin/checkov --quiet --compact --skip-download --framework cloudformation --file template.yaml

.PHONY: clean
clean: ## remove everything that was installed, built or kept in this folder
	@for kind in up demo; do if [ -s $(STATE)/$$kind.pid ]; then \
	  echo "make $$kind runs in this folder: end it, or run make down, first." >&2; exit 1; fi; done
	rm -rf $(STATE) web/node_modules layers/compiler/node_modules $(dir $(PAGE)) $(AGENT) .aws-sam .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --------------------------------------------------------------------------------------------------------- environments
# The first of these that is recent enough, or the one named by PYTHON=.
PYTHONS := $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.14)
RECENT := import sys; sys.exit(sys.version_info < (3, 11))

$(UV): requirements/uv.txt
	@for python in $(PYTHONS); do \
	  if "$$python" -c '$(RECENT)' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$${found:-}" ]; then \
	  echo 'Headwater needs Python 3.11 or later, and none of these is: $(PYTHONS)' >&2; \
	  echo 'next: install one, or name it: make PYTHON=/path/to/python3' >&2; exit 1; \
	fi; \
	echo "installing uv with $$found into $(STATE)/uv"; \
	if ! "$$found" -m venv --clear $(STATE)/uv; then \
	  echo 'next: install the venv module of that Python (Debian and Ubuntu: apt install python3-venv)' >&2; exit 1; \
	fi; \
	$(STATE)/uv/bin/python -m pip install --quiet --disable-pip-version-check --no-cache-dir --require-hashes -r $<
	@touch $@

# An environment of their own for tools whose pins clash with the emulator's, and for another Spark.
$(STATE)/venv.stamp: requirements/dev.txt
$(STATE)/spark4.stamp: requirements/spark4.txt
$(STATE)/iceberg.stamp: requirements/iceberg.txt
$(STATE)/sam.stamp: requirements/sam.txt
$(STATE)/checkov.stamp: requirements/checkov.txt
$(STATE)/bench.stamp: requirements/bench.txt
$(STATE)/fuzz.stamp: requirements/fuzz.txt
$(STATE)/node.stamp: requirements/node.txt
$(STATE)/rie.stamp: requirements/rie.txt
$(STATE)/%.stamp: requirements/build.txt | $(UV)
	@echo 'installing $(filter-out $<,$^) into $(STATE)/$*'
	@$(UV) venv --quiet --allow-existing --python $(STATE)/uv/bin/python $(STATE)/$*
	@$(UV) pip sync --quiet --python $(STATE)/$*/bin/python --require-hashes --build-constraints $< $(filter-out $<,$^)
	@touch $@

web/node_modules/.package-lock.json: web/package.json web/package-lock.json | $(if $(NODE_IS_RECENT),,$(STATE)/node.stamp)
	@echo 'installing what builds the web page into web/node_modules'
	@$(NPM) ci --silent
	@touch $@

layers/compiler/node_modules/.package-lock.json: layers/compiler/package-lock.json | $(if $(NODE_IS_RECENT),,$(STATE)/node.stamp)
	@echo 'installing what compiles the layers into layers/compiler/node_modules'
	@PATH="$(NODE_PATH)$$PATH" npm --prefix layers/compiler ci --silent
	@touch $@

$(PAGE): $(shell find web/src web/index.html web/vite.config.ts web/tsconfig.json -type f) web/node_modules/.package-lock.json
	@echo 'building the web page'
	@$(NPM) run --silent build -- --logLevel warn
	@touch $@
