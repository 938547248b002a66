# Each target does its own set-up: a virtual environment in .venv with everything it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready
# Without its cache every process of a run, and the tests start hundreds, would compile the sources again.
unexport PYTHONDONTWRITEBYTECODE
# Compiling everything would cost 100 MB and half a minute; most modules are never imported.
COMPILE_WHAT_IS_USED := $(BIN)/python -m surefoot.cli.warmup
TEST := $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: demo test coverage lint bench harden generated docs clean

demo: $(CORE)
	$(BIN)/surefoot demo

test: $(READY)
	$(TEST)

coverage: $(READY)
	$(BIN)/coverage erase
	$(TEST) --cov --cov-report=term:skip-covered

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m benchmarks

# Minutes as it is; more with INPUTS=1000000 and the options of python -m tests.harden.
INPUTS ?= 20000
harden: $(READY)
	$(BIN)/python -m tests.harden fuzz --inputs $(INPUTS)
	$(BIN)/python -m tests.harden kill
	$(BIN)/python -m tests.harden power
	$(BIN)/python -m tests.harden soak
	$(BIN)/python -m tests.harden mutants
	$(BIN)/python -m tests.harden versions

generated: $(READY)
	$(BIN)/python -m surefoot.cli.generated

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "The site: out/site/index.html"

clean:
	rm -rf $(VENV) out .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*

$(CORE): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13) and "Surefoot needs Python 3.11 to 3.13; say which with: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --editable .
	$(COMPILE_WHAT_IS_USED)
	touch $(CORE)

$(READY): $(CORE)
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet --editable '.[dask,torch,onnx,tflite,parquet,frames,remote,text,audio,tracking,fast,sign,pdf,xlsx,docs,dev]'
	@command -v chromium >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; } \
	  || echo "Chromium is missing and could not be installed: tests that open the report in a browser are skipped."
	@command -v scram >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -qq -y --no-install-recommends scram >/dev/null; } \
	  || echo "SCRAM is missing and could not be installed: tests that compare fault trees with it are skipped."
	@$(BIN)/python -c 'import weasyprint' 2>/dev/null \
	  || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -qq -y --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0 >/dev/null; } \
	  || echo "Pango is missing and could not be installed: tests that write PDF are skipped."
	touch $(READY)
