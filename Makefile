# The verbs. Each makes sure of .venv first (make setup), which costs nothing when it is up to date.
PY := .venv/bin/python
ROOMS := game data bot cogs
JOBS ?= auto
RATCHET := 0
NAME ?= engine
PICK := $(if $(filter none,$(BROWSER)),-m "not browser")

.DEFAULT_GOAL := help
.PHONY: help setup browser play test check types bench golden locale run migrate clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile

.venv/ready: requirements.lock tools/setup.sh
	@tools/setup.sh

setup: .venv/ready  ## build .venv from requirements.lock

browser: setup
	@tools/browser.sh
	@$(if $(PICK),echo "BROWSER=none: the browser tests are left out of this run")

play: setup  ## the whole bot in a make-believe Discord, in your browser, without a token
	@$(PY) -m sandbox $(ARGS)

run: setup  ## the bot on Discord; needs DISCORD_TOKEN or TOKEN_FILE
	@$(PY) -m bot $(ARGS)

test: check browser  ## every check and test (JOBS=2 for two workers; BROWSER=none leaves the browser tests out)
	$(PY) -m pytest -n $(JOBS) --cov --cov-report= $(PICK) $(ARGS)
	$(PY) -m coverage report --include='game/*' --fail-under=100
	$(PY) -m coverage report --omit='game/*' --fail-under=$(RATCHET)

check: types  ## lint, format, import order, types
	$(PY) -m ruff check --quiet . && $(PY) -m ruff format --check --quiet .
	.venv/bin/lint-imports --no-logo

types: setup  ## strict types of the rooms the bot is made of
	$(PY) -m basedpyright $(ROOMS)

bench: setup  ## measure: make bench NAME=engine
	@$(PY) -m bench $(NAME) $(ARGS)

golden: setup  ## write the golden files anew; read the diff before you commit it
	$(PY) -m pytest tests -k golden --rewrite-golden

locale: setup  ## collect the texts of the bot and bring the catalogues up to date

migrate: setup  ## bring the database to the newest schema
	@$(PY) -m data

clean:  ## forget everything that can be built again (never the database or .env)
	rm -rf .venv .coverage* .pytest_cache .ruff_cache .hypothesis .import_linter_cache htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
