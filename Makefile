# Nearly every target first makes sure that .venv is up to date (make setup).
PY := .venv/bin/python
CORES := $(shell getconf _NPROCESSORS_ONLN)
# More workers than cores, because many tests wait for a process, a browser or a database. Twice as many were slower:
# each worker loads and caches everything for itself.
JOBS ?= $(shell echo $$((($(CORES) * 3 + 1) / 2)))
NAME ?= engine
VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' bot/__init__.py)
# The percentage of the code outside game/ that the tests must cover (100 for game/). It only ever goes up.
RATCHET := 97
# Tests start the bot dozens of times; without .pyc files each start would compile it again.
export PYTHONDONTWRITEBYTECODE :=
# These are meant for another Python, and could keep ours from starting or have it load other packages.
unexport PYTHONHOME PYTHONPATH PYTHONSAFEPATH PYTHONWARNINGS PYTHONOPTIMIZE PYTHONINSPECT
# .venv is of no use any more if its Python is gone or has become another version, as when the system was upgraded.
STALE := $(shell $(PY) -c 'import pip' 2>/dev/null || echo stale)
PICK := $(if $(filter none,$(BROWSER)),and not browser)

.DEFAULT_GOAL := help
.PHONY: help stale setup browser play gallery run test long collected covered coverage check lint format types house bench soak chaos fuzz golden locale migrate lock wheel image recipes clean

help: ## list what make can do
	@grep -E '^[a-z]+:.* ## ' Makefile | sed 's/:.* ## /: /'

.venv/ready: requirements.lock $(STALE)
	@sh tools/setup.sh

.venv/plays: deploy/play.lock $(STALE)
	@sh tools/setup.sh deploy/play.lock

.venv/runs: deploy/requirements.lock $(STALE)
	@sh tools/setup.sh deploy/requirements.lock

setup: .venv/ready ## build .venv from requirements.lock

browser: setup ## find a Chromium for the browser tests, or install one
	@sh tools/browser.sh
	@$(if $(PICK),echo "BROWSER=none: the browser tests are left out of this run",:)

play: .venv/plays ## start the whole bot in a simulated Discord in your browser; needs no token
	@$(PY) -m sandbox $(ARGS)

gallery: browser ## take a picture of every screen in every language, into build/gallery
	@$(PY) -m tools.gallery --chromium "$$(cat .venv/browser)" $(ARGS)

run: .venv/runs ## start the bot on Discord; needs DISCORD_TOKEN or TOKEN_FILE
	@$(PY) -m bot $(or $(ARGS),run --sync)

# The checks keep one core busy for most of their time. The covered tests run beside them: they are bound by the
# processor, so one worker for each core is enough.
test: setup ## run every check, and each test once but the long ones
	@$(MAKE) --no-print-directory --jobs=2 check collected covered
	$(PY) -m pytest -n $(JOBS) --dist worksteal -m "not covered and not long"
	@echo "The long tests were left out: make long runs them."

# CHROMIUM may name a browser that does not start; then tools/browser.sh has found another.
long: browser ## run the long tests: whole games, the browser, kills, benchmarks (BROWSER=none leaves out the browser)
	CHROMIUM= $(PY) -m pytest -n $(JOBS) --dist worksteal -m "long $(PICK)"

# Collecting compiles everything once; otherwise every worker of the two test runs would do so for itself. Those runs
# report any errors.
collected: setup
	@$(PY) -m pytest -qq --collect-only -o python_functions=none -o python_classes=none >/dev/null || true

covered: setup ## run the tests that must cover every line and branch of game/
	$(PY) -m coverage erase
	$(PY) -m pytest -n $(CORES) --dist worksteal --cov --cov-config=tests/game/coverage.toml --cov-report= -m covered tests/game
	$(PY) -m coverage report --fail-under=100

coverage: setup ## measure how much of the code outside game/ the tests cover, without long tests and browser tests
	$(PY) -m coverage erase && $(PY) -m pytest -n $(JOBS) --dist worksteal --cov --cov-report= -m "not long"
	$(PY) -m coverage report --omit='game/*' --fail-under=$(RATCHET)

check: house lint types ## check style, format, direction of imports, types, the size of the product

lint: setup ## check style, format, direction of imports
	$(PY) -m ruff check --quiet && $(PY) -m ruff format --check --quiet
	$(PY) .venv/bin/lint-imports --no-logo

format: setup ## format the code, and fix what the linter can fix
	$(PY) -m ruff check --quiet --fix; $(PY) -m ruff format

types: setup ## check the types, strictly except in tests
	$(PY) -m basedpyright

house: setup ## measure the size and the shape of the product, and compare them with their bounds
	$(PY) -m tools.house

bench: setup ## measure something, for example make bench NAME=engine
	@$(PY) -m bench $(NAME) $(ARGS)

soak: setup ## play 10,000 games in the engine, and 10,000 through the doorway
	@$(PY) -m bench soak $(ARGS)
	@$(PY) -m bench doorway $(ARGS)

chaos: setup ## kill a playing process 1,000 times and check that nothing is lost
	@$(PY) -m bench chaos $(ARGS)

fuzz: setup ## send 20,000 forged interactions
	@$(PY) -m bench fuzz $(ARGS)

golden: setup ## regenerate the golden files and docs/variants.md; read the diff before you commit it
	$(PY) -m testkit.golden && $(PY) -m tools.variants_page

locale: setup ## collect the texts, update the catalogues, list what is not translated
	@$(PY) -m tools.catalogues

migrate: .venv/runs ## bring the database to the newest schema
	@$(PY) -m bot migrate

lock: setup ## regenerate requirements.lock and the two parts of it in deploy/ from pyproject.toml
	sh tools/lock.sh $(ARGS)

wheel: setup ## build the package for uv, pipx and pip, into build/dist
	$(PY) -m hatchling build --directory build/dist

image: ## build the container image, labelled with its version, commit and origin (SOURCE=address)
	docker build --file deploy/Dockerfile --tag shithead --build-arg VERSION=$(VERSION) --build-arg SOURCE=$(SOURCE) \
		--build-arg REVISION=$(shell git rev-parse HEAD) .

recipes: setup ## test deploy/ with the tools that read it; installs schemas into .venv, needs the programs
	$(PY) -m pip install --quiet --disable-pip-version-check --requirement tests/deploy/requirements.txt
	$(PY) -m pytest -rs tests/deploy

clean: ## delete everything that can be built again (never the database or .env)
	rm -rf .venv build .coverage* .pytest_cache .ruff_cache .hypothesis .import_linter_cache htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
