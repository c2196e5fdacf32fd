# The verbs. Each makes sure of .venv first (make setup), which costs nothing when it is up to date.
PY := .venv/bin/python
# One worker more than there are cores: many tests wait for a process or a browser.
JOBS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
NAME ?= engine
VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' bot/__init__.py)
# What must stay covered by all tests outside game/ (there it is everything). It only ever goes up.
RATCHET := 88
# Tests start the bot dozens of times; without compiled files each start would compile it anew.
export PYTHONDONTWRITEBYTECODE :=
PICK := $(if $(filter none,$(BROWSER)),and not browser)

.DEFAULT_GOAL := help
.PHONY: help setup browser play gallery run test coverage check types bench soak chaos fuzz golden locale migrate lock wheel image recipes clean

help: ## this list
	@grep -E '^[a-z]+:.* ## ' Makefile | sed 's/:.* ## /: /'

.venv/ready: requirements.lock
	@tools/setup.sh

setup: .venv/ready ## build .venv from requirements.lock

browser: setup ## find a Chromium for the browser tests, or install one
	@tools/browser.sh
	@$(if $(PICK),echo "BROWSER=none: the browser tests are left out of this run",:)

play: setup ## the whole bot in a make-believe Discord in your browser, without a token
	@$(PY) -m sandbox $(ARGS)

gallery: browser ## a picture of every screen in every language, into build/gallery
	@$(PY) -m tools.gallery --chromium "$$(cat .venv/browser)" $(ARGS)

run: setup ## the bot on Discord; needs DISCORD_TOKEN or TOKEN_FILE
	@$(PY) -m bot $(or $(ARGS),run --sync)

test: check browser ## every check and test, each once (BROWSER=none leaves the browser tests out)
	$(PY) -m coverage erase && $(PY) -m pytest -n $(JOBS) --dist worksteal --cov=game --cov-report= -m "not long" tests/game
	$(PY) -m coverage report --fail-under=100
	$(PY) -m pytest -n $(JOBS) --dist worksteal -m "not covered $(PICK)"

coverage: setup ## how much of everything all tests but the long ones cover
	$(PY) -m coverage erase && $(PY) -m pytest -n $(JOBS) --dist worksteal --cov --cov-report= -m "not long and not browser"
	$(PY) -m coverage report --omit='game/*' --fail-under=$(RATCHET)

check: types ## lint, format, import order, strict types
	$(PY) -m ruff check --quiet && $(PY) -m ruff format --check --quiet
	.venv/bin/lint-imports --no-logo

types: setup ## strict types of game, data, bot and cogs
	.venv/bin/basedpyright

bench: setup ## measure: make bench NAME=engine
	@$(PY) -m bench $(NAME) $(ARGS)

soak: setup ## 10,000 games through the engine and through the doorway
	@$(PY) -m bench soak $(ARGS)
	@$(PY) -m bench doorway $(ARGS)

chaos: setup ## kill a playing process 1,000 times and look whether anything is lost
	@$(PY) -m bench chaos $(ARGS)

fuzz: setup ## 20,000 forged interactions
	@$(PY) -m bench fuzz $(ARGS)

golden: setup ## write the golden files and docs/variants.md anew; read the difference before you commit it
	$(PY) -m testkit.golden && $(PY) -m tools.variants_page

locale: setup ## collect the texts, bring the catalogues up to date, list what is not translated
	@$(PY) -m tools.catalogues

migrate: setup ## bring the database to the newest schema
	@$(PY) -m bot migrate

lock: setup ## write requirements.lock and deploy/requirements.lock anew from pyproject.toml
	tools/lock.sh

wheel: setup ## the package for uv, pipx and pip, into build/dist
	$(PY) -m hatchling build --directory build/dist

image: ## the container image, labelled with this version, commit and (SOURCE=address) origin
	docker build --file deploy/Dockerfile --tag shithead --build-arg VERSION=$(VERSION) --build-arg SOURCE=$(SOURCE) \
		--build-arg REVISION=$(shell git rev-parse HEAD) .

recipes: setup ## the tests of deploy/ with all that they can use: schemas come into .venv, programs must be there
	$(PY) -m pip install --quiet --disable-pip-version-check --requirement tests/deploy/requirements.txt
	$(PY) -m pytest -rs tests/deploy

clean: ## forget everything that can be built again (never the database or .env)
	rm -rf .venv build .coverage* .pytest_cache .ruff_cache .hypothesis .import_linter_cache htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
