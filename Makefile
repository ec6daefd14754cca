# Every target sets up .venv by itself: a fresh clone needs Python >= 3.11 and make, nothing else.

VENV        := .venv
READY       := $(VENV)/.ready
BIN         := $(VENV)/bin
CONSTRAINTS := infra/constraints.txt

# The pins were frozen with 3.11, so that is tried first. -I: a broken PYTHONHOME must not decide.
MODERN := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$python -I -c '$(MODERN)' 2>/dev/null && echo $$python && break; done)

# What a user's shell may carry and what would change the installation, or the outcome or length of
# a test: without compiled files, each of the hundreds of processes that tests start compiles anew.
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONOPTIMIZE PYTHONWARNINGS PYTHONSAFEPATH
unexport PIP_USER PIP_TARGET PIP_PREFIX PIP_CONSTRAINT PIP_NO_BUILD_ISOLATION
unexport MYPYPATH PYTEST_ADDOPTS PYTEST_PLUGINS RUFF_CONFIG PYTHONDONTWRITEBYTECODE

# Tests on real services wait as much as they compute, so twice as many run at once as the two cores
# that everything is measured on; each takes up to 1.5 GB. Fewer for less: make test TEST_WORKERS=2
TEST_WORKERS := 4

# Targets run in the order given, also under -j; pytest uses all cores by itself.
.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help setup demo stream kafka test slow check bench constraints clean

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.* ## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: $(READY) ## Install everything into .venv (every other target does it by itself)
	@echo "$(VENV) is ready; make demo shows Ladderman at work, make help lists the rest"

demo: $(READY) ## Watch Ladderman audit a simulated floor, live
	@$(BIN)/ladderman demo

stream: $(READY) ## Watch the same through a real Kafka broker, two workers and a sink
	@$(BIN)/ladderman demo --kafka

kafka: $(READY) ## Run a real Kafka broker on this machine until Ctrl-C
	@$(BIN)/python -m streams.development.kafka

test: $(READY) ## Run the tests
	$(BIN)/python -m pytest -n $(TEST_WORKERS) -m "not slow"

slow: $(READY) ## Run the long sweeps
	$(BIN)/python -m pytest -n 2 -m slow

check: $(READY) ## Check format, lint, types and the import contract
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY) ## Measure speed
	@$(BIN)/python -m tests.benchmarks

# .ready names the directory that .venv was built for and is absent while pip works. Without it
# (never built, interrupted, checkout moved or copied) .venv is built from nothing; with it, a
# change of the pins is installed on top.
BUILT_FOR := $(shell test -x $(BIN)/python && cat $(READY) 2>/dev/null)
ifneq "$(BUILT_FOR)" "$(CURDIR)"
.PHONY: $(READY)
endif

$(READY): pyproject.toml $(CONSTRAINTS)
	@$(need_python)
	@test "$(BUILT_FOR)" = "$(CURDIR)" || "$(PYTHON)" -m venv --clear $(VENV)
	@rm -f $(READY)
	@echo "Installing the versions of $(CONSTRAINTS) into $(VENV) (about a minute, once)"
	@$(call install,$(BIN)/python,-c $(CONSTRAINTS))
	@echo "$(CURDIR)" > $(READY)

need_python = test -n "$(PYTHON)" && "$(PYTHON)" -I -c '$(MODERN)' 2>/dev/null || { echo >&2 \
	"Ladderman needs Python 3.11 or newer, none found: install it, or name it: make PYTHON=/path/to/python3"; \
	exit 1; }

# $(call install,PYTHON,OPTIONS): the build backend first, since pip would otherwise fetch one of its
# own choice for every build, also when everything else is already there and the network is not.
install = $(1) -m pip install --disable-pip-version-check --quiet $(2) setuptools && \
	$(1) -m pip install --disable-pip-version-check --no-build-isolation $(2) -e ".[dev]"

constraints: ## Refresh the pins: the newest versions that pyproject.toml allows
	@$(need_python)
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && \
	"$(PYTHON)" -m venv "$$scratch/venv" && $(call install,"$$scratch/venv/bin/python",--upgrade) && \
	{ sed -n '/^#/p' $(CONSTRAINTS) && \
	  "$$scratch/venv/bin/python" -m pip freeze --all --exclude-editable --exclude pip; \
	} > "$$scratch/constraints.txt" && \
	cp "$$scratch/constraints.txt" $(CONSTRAINTS) && git --no-pager diff --stat $(CONSTRAINTS)

clean: ## Remove .venv and every cache
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
