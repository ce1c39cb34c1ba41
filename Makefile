# Everything works in a fresh clone: each target makes the environment it needs.
PYTHON ?= python3
VENV   := .venv
PEERS  := .venv-peers
BIN    := $(VENV)/bin
UV     := $(shell command -v uv 2>/dev/null)

# Tests start hundreds of processes, and where nothing compiled is kept each of them compiles the whole source anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo parties test test-spark browser quick fuzz lint format bench package sbom image interop docs site pictures requirements clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 22

setup: $(VENV)/.ready  ## make the environment in .venv

$(VENV)/.ready: requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "unveil needs Python 3.11 or newer; try: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
ifneq ($(UV),)
	$(UV) venv --quiet --clear --python $(PYTHON) $(VENV)
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.txt
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
else
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
endif
	@touch $@

demo: setup  ## link generated people and write demo/report.html
	$(BIN)/unveil demo --out demo

parties: setup  ## the same through five processes over TLS; writes parties/
	$(BIN)/unveil parties --out parties

test: setup browser  ## run every test, with branch coverage of the pure rooms
	$(BIN)/python -m pytest -n 3 --cov --cov-report=
	@$(BIN)/python -m coverage report --skip-covered --fail-under=90 \
	  --include='src/unveil/protocol/*,src/unveil/encoding/*,src/unveil/forms/*,src/unveil/linkage/*,src/unveil/models/*,src/unveil/screening/*,src/unveil/roles/*,src/unveil/privacy/*'

browser: setup  ## fetch a browser for tests and pictures, if this machine has none; nothing is installed
	@$(BIN)/python -m tools.browser

quick: setup  ## run the tests of the rooms that only compute, in under a minute
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

# Spark is large, and nobody else needs it: it is installed here and not with everything else.
test-spark: setup  ## compare on Spark, which this installs; Java 17 or newer must be there
	@command -v java >/dev/null || test -n "$$JAVA_HOME" || { echo "Java was not found: install Java 17 or newer" >&2; exit 1; }
ifneq ($(UV),)
	$(UV) pip install --quiet --python $(BIN)/python 'pyspark>=4,<5'
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pyspark>=4,<5'
endif
	$(BIN)/python -m pytest tests/engines/test_spark_engine.py tests/engines/test_spark_plan.py

fuzz: setup  ## send 20,000 odd requests to each unit; make test sends 1,000
	UNVEIL_FUZZ_CASES=20000 $(BIN)/python -m pytest -n 2 tests/security/test_fuzz_units.py

lint: setup  ## ruff, formatting, mypy, room borders
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup  ## mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup $(PEERS)/.ready  ## measure speed and memory, against the tools people use today; writes bench/
	$(BIN)/python benchmarks/run.py --out bench
	$(BIN)/python benchmarks/parties.py --out bench

interop: setup $(PEERS)/.ready  ## hold the formats of other tools against the real packages
	$(BIN)/python benchmarks/interop.py

# The peers need older libraries than we do, so they get an environment of their own.
$(PEERS)/.ready: requirements/peers.txt
ifneq ($(UV),)
	$(UV) venv --quiet --clear --python $(PYTHON) $(PEERS)
	$(UV) pip install --quiet --python $(PEERS)/bin/python --require-hashes -r requirements/peers.txt
else
	$(PYTHON) -m venv --clear $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/peers.txt
endif
	@touch $@

package: setup  ## build wheel and source distribution, and work with the wheel on every Python that is here
	$(BIN)/python -m tools.packaging bare

sbom: setup  ## write dist/*.spdx.json: what the wheel and its pinned requirements are made of
	$(BIN)/python -m tools.packaging sbom

image: setup  ## build the image from the Containerfile, or run its steps in a clean root where nothing builds images
	$(BIN)/python -m tools.packaging image

docs: setup  ## write the command and schema reference anew from the code
	$(BIN)/python -m tools.reference docs

site: setup  ## build the documentation into site/: static files that load nothing from elsewhere
	$(BIN)/python -m tools.site site

pictures: setup browser  ## draw the pictures of the documentation anew from a run of the demo
	$(BIN)/python -m tools.pictures docs/images

COMPILE = uv pip compile --quiet --no-strip-extras --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header

requirements:  ## compile the pinned requirements anew (needs uv)
	$(COMPILE) pyproject.toml -o requirements/run.txt
	$(COMPILE) pyproject.toml --extra postgres --constraint requirements/run.txt -o requirements/unit.txt
	$(COMPILE) pyproject.toml --group dev -o requirements/dev.txt
	$(COMPILE) --group peers -o requirements/peers.txt

clean:  ## remove the environment and everything generated
	rm -rf $(VENV) $(PEERS) .browser demo parties bench dist site .coverage* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
