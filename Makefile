# Needs Python 3.11 or newer and make; everything else is installed into .venv by the targets that need it.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
# The tests that the rules answer to alone; they are all that coverage is watched by, for it costs time.
RULES := tests/rules tests/test_conformance.py
# An environment of its own: what looks at packages brings many that nothing else needs.
AUDIT := .venv-audit
INSTALL := -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps
PIP := $(BIN)/python $(INSTALL)
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header pyproject.toml
LOCKS := $(wildcard requirements*.txt)
LOCKED := sed -n 's/^\([a-z0-9.-]*\)==.*/\1/p' requirements.txt
KUBERNETES := $(filter-out %/kustomization.yaml,$(wildcard deploy/kubernetes/*/*.yaml))

.PHONY: run test test-rules check mutate fix openapi client foundry-module kit bench soak lock audit sbom licenses clean

run: $(VENV)/.run  ## Serve on HOST:PORT.
	WURF_HOST=$(HOST) WURF_PORT=$(PORT) $(BIN)/python -m app serve

ifdef TESTS
test: $(VENV)/.dev  ## Run all tests, or those in TESTS.
	$(BIN)/python -m pytest -n auto $(TESTS)
else
test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --cov --cov-report= $(RULES)
	$(BIN)/python -m coverage report --include='app/rules/*' --fail-under=100 --skip-covered
	$(BIN)/python -m pytest -n auto tests $(addprefix --ignore=,$(RULES))
endif

test-rules: $(VENV)/.dev  ## Run the tests of the rules alone, for another Python.
	WURF_HYPOTHESIS="another Python" $(BIN)/python -m pytest -q -n auto $(RULES) tests/test_openapi.py

check: $(VENV)/.dev  ## Everything about the code that is not a test.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m app openapi | diff -u openapi/openapi.json - >/dev/null || \
		{ echo "openapi/openapi.json is not current; run make openapi"; exit 1; }
	$(BIN)/python -m pytest -q tests/test_project.py
	$(BIN)/hadolint Dockerfile
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	$(BIN)/kubernetes-validate --strict --quiet $(KUBERNETES)

mutate: $(VENV)/.mutate  ## Change the rules in every small way and see whether a test notices; MODULES for some.
	$(BIN)/python -m tests.mutate $(MODULES)

fix: $(VENV)/.dev  ## Format, and mend what can be mended.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

openapi: $(VENV)/.dev  ## Write openapi/openapi.json anew.
	$(BIN)/python -m app openapi > openapi/openapi.json

client: openapi  ## Write the types of clients/typescript anew and build the package; needs Node and npm.
	cd clients/typescript && npm ci --ignore-scripts && npm run generate && npm run build

foundry-module:  ## Pack clients/foundry as build/wurf-foundry.zip.
	$(PYTHON) -m clients.pack_foundry build/wurf-foundry.zip

kit: $(VENV)/.run  ## Pack what other implementations can hold themselves against.
	$(BIN)/python -m kit.pack build/wurf-conformance-kit.zip

bench: $(VENV)/.bench  ## Measure everything, or ONLY="odds parts http memory"; options in BENCH="--rounds 5".
	$(BIN)/python -m benchmarks $(ONLY) $(BENCH)

soak: $(VENV)/.bench  ## Ask everything for MINUTES, 10 by default, and watch memory, files and errors.
	$(BIN)/python -m benchmarks soak $(if $(MINUTES),--minutes $(MINUTES))

lock: $(VENV)/.dev  ## Pin the newest versions of everything.
	$(LOCK) --upgrade --output-file requirements.txt
	$(LOCK) --upgrade --extra telemetry --output-file requirements-telemetry.txt
	$(LOCK) --upgrade --group dev --output-file requirements-dev.txt
	$(LOCK) --upgrade --group bench --output-file requirements-bench.txt
	$(LOCK) --upgrade --group dev --group mutate --output-file requirements-mutate.txt
	$(LOCK) --upgrade --group audit --output-file requirements-audit.txt

audit: $(AUDIT)/.done  ## Ask whether a locked package has a known hole; fails where nobody can be asked.
	$(AUDIT)/bin/pip-audit --strict --disable-pip --require-hashes --progress-spinner off \
		$(foreach lock,$(LOCKS),--requirement $(lock))

sbom: $(AUDIT)/.done  ## Write sbom.json: all that the service runs on, in CycloneDX.
	$(AUDIT)/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
		--output-file sbom.json requirements.txt

licenses: $(AUDIT)/.done  ## Write deploy/licenses.md: the licenses of all that the service runs on.
	$(AUDIT)/bin/pip-licenses --from=mixed --format=markdown --no-version \
		--packages $$($(LOCKED)) --output-file deploy/licenses.md

clean:  ## Remove what the targets above made.
	rm -rf $(VENV) $(AUDIT) sbom.json .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage* tests/web/node_modules benchmarks/express/node_modules \
		clients/typescript/node_modules clients/typescript/dist clients/typescript/test/readme build

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Wurf needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.txt | $(BIN)/python
	$(PIP) --requirement requirements.txt
	touch $@

$(VENV)/.dev: requirements-dev.txt | $(BIN)/python
	$(PIP) --requirement requirements-dev.txt
	touch $@ $(VENV)/.run

$(VENV)/.bench: requirements-bench.txt | $(BIN)/python
	$(PIP) --requirement requirements-bench.txt
	touch $@ $(VENV)/.run

$(VENV)/.mutate: requirements-mutate.txt | $(BIN)/python
	$(PIP) --requirement requirements-mutate.txt
	touch $@ $(VENV)/.dev $(VENV)/.run

$(AUDIT)/.done: requirements-audit.txt
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/python $(INSTALL) --requirement requirements-audit.txt
	touch $@
