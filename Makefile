# Every target works in a bare clone: the first one that needs the tools installs them.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.hanazono-installed
PIP_FLAGS ?=
ARGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install demo test coverage lint format bench clean

help:  ## Show the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo "Variables: PYTHON=$(PYTHON) VENV=$(VENV), PIP_FLAGS for pip install, ARGS for test and bench"

install: $(INSTALLED)  ## Make the virtual environment and install everything in it

$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet $(PIP_FLAGS) -c constraints.txt -e ".[train,play,dev]"
	touch $@

demo: $(INSTALLED)  ## Train a small player, then measure it against scripted ones
	$(BIN)/python scripts/demo.py

# A thread count left over in the shell would change what the tests run with, so it is dropped.
test: $(INSTALLED)  ## Run the tests on all cores; ARGS="-k packaging" selects
	env -u OMP_NUM_THREADS $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal $(ARGS)

# Coverage sees a rule's lines only when numba does not compile them.
coverage: $(INSTALLED)  ## Run the rule tests as plain Python; fail if lines of the rules stay unseen
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -n auto --maxprocesses 8 --dist worksteal tests/rules
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: $(INSTALLED)  ## Check format, style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(INSTALLED)  ## Rewrite the files in the project's format
	$(BIN)/ruff check --fix-only --select I .
	$(BIN)/ruff format .

bench: $(INSTALLED)  ## Measure decisions a second
	$(BIN)/python scripts/benchmark.py $(ARGS)

clean:  ## Remove what builds and checks leave behind; keeps .venv and runs/
	rm -rf build dist *.egg-info .coverage* .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find envs models training configs scripts tests -name __pycache__ -type d -prune -exec rm -rf {} +
