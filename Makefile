# make demo | test | test-all | check | thorough | fuzz | lint | web | web-test | serve-test | remote-test | coverage | bench | bench-web | validation | faults | mutants | reproduce | minimal | text | setup | tools | examples | docs | clean   (needs make, sh and Python ≥ 3.11)

.PHONY: demo setup test test-all check thorough fuzz coverage minimal text browser lint lint-python lint-web web web-test serve-test remote-test bench bench-web validation faults mutants reproduce tools examples docs clean
.DEFAULT_GOAL := demo

bin     := .venv/bin
bare    := .venv-minimal/bin
text    := .venv-text/bin
sources := $(shell find src -type f -not -name '*.pyc')

# Every process of the tests would otherwise compile podium and its tests anew, where this is set.
export PYTHONDONTWRITEBYTECODE :=

# What is never imported is never compiled, which in a new environment is most of what comes from others.
install := pip install --quiet --no-compile

# Each worker takes neighbouring tests, so that it makes what they share once, and helps the others at the end.
pytest := $(bin)/pytest -n auto --dist worksteal

# The core alone is enough for the demo; the stamps remember what is installed, and for which pyproject.toml.
demo: .venv/.core
	@$(bin)/podium demo

test: minimal text .venv/.tools browser
	$(pytest) -m 'not whole'

# The tests and all that takes long or needs luck: clusters, browsers, the papers again, faults.
test-all: minimal text .venv/.tools browser
	$(pytest)
	$(MAKE) remote-test faults reproduce

# Before each commit, in under a minute: style, types, contracts, the tests of what has changed, and the core of all tests.
check: .venv/.tools
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/lint-imports
	files=$$(.ci/changed) && HYPOTHESIS_PROFILE=quick $(pytest) $$files

# Before a release: many more random examples of each law, other ones each time.
thorough: .venv/.tools
	HYPOTHESIS_PROFILE=thorough $(pytest)

# Damaged files and odd options, ten thousand cases; another seed makes other cases: make fuzz SEED=1
SEED := 0
fuzz: .venv/.tools
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(bin)/python fuzz/fuzz.py --seed $(SEED)

# All tests, and which lines they ran; watching them takes half as long again.
coverage: .venv/.tools
	$(pytest) --cov --cov-report=term

# What a user gets who installs podium without extras: the wheel, built, checked and installed in an empty environment.
minimal: .venv-minimal/.core
	$(bare)/python tests/minimal/smoke.py

# Encoders that need PyTorch, in an environment of their own, with a model that comes as a package.
text: .venv-text/.tools
	$(text)/python -m pytest tests/text

# All environments that lint and test need; with --jobs=2 in two thirds of the time.
setup: .venv/.tools .venv-minimal/.core .venv-text/.tools browser

# Style, types and contracts; of Python and of the front end side by side with --jobs=2.
lint: lint-python lint-web

lint-python: .venv/.tools
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/lint-imports
	$(bin)/python docs/generate_cli.py --check
	$(bin)/python -m pip check

lint-web: web/node_modules
	cd web && npm run --silent check && npm run --silent fresh && npm test --silent

# The page's front end, built to src/podium/webpage/static; `lint` checks that this is what the sources build to.
web: web/node_modules
	cd web && npm run --silent build

bench: .venv/.bench
	$(bin)/python benchmarks/run.py

# How soon pages open and answer, in Chromium; `bench` measures it too, where Chromium and Node are there.
bench-web: .venv/.bench browser
	$(bin)/python benchmarks/run.py --only page

# One thread a process, since processes share the cores.
validation: .venv/.tools
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(bin)/python validation/validate.py

# Fifty random tables and released ones on the page in Chromium, beside what Python ranks.
web-test: .venv/.tools browser
	$(bin)/python validation/chromium.py

# The server under load: fifty users at once, odd questions, and all that its description allows.
serve-test: .venv/.tools .venv-serve/bin/schemathesis
	$(bin)/python validation/serving.py --schemathesis .venv-serve/bin/schemathesis

# Scores on an S3 store that another project wrote.
remote-test: .venv-remote/.core
	.venv-remote/bin/pytest -q tests/source/test_s3.py

# Full disks, killed processes and other faults, in under fifteen minutes; others by chance: make faults SEED=1
faults: .venv/.tools
	$(bin)/python validation/faults.py --seed $(SEED)

# Small faults in mathematical files, which tests must find; half an hour.
mutants: .venv/.tools
	$(bin)/python validation/mutants.py --seed $(SEED)

# The papers' experiments again, from the released scores beside this folder.
reproduce: .venv/.tools
	$(bin)/python reproduce/reproduce.py

# Files for the tests, written anew by the tools whose results podium reads.
tools: .venv/.core
	$(MAKE) -C tests/source/tool/writers

# What commands print and draw on all pages, and cells in notebooks: half an hour.
examples: .venv/.tools
	$(bin)/python tests/support/pages.py
	$(bin)/python tests/support/notebooks.py

# The reference of the command line, and all pages as a site: site/index.html.
docs: .venv/.docs
	$(bin)/python docs/generate_cli.py
	NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --quiet
	@echo 'open site/index.html'

clean:
	rm -rf .venv-minimal .venv-text .venv-serve .venv-remote .tools-env dist site .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -path ./.venv -prune -o -name __pycache__ -type d -print | xargs rm -rf

.venv/.core: pyproject.toml | .venv/bin/python
	@echo 'installing podium into .venv, which takes about half a minute' >&2
	@$(bin)/python -m $(install) --editable .
	@touch $@

# Dependency groups need a pip newer than the one that comes with Python 3.11.
.venv/.tools: pyproject.toml | .venv/bin/python
	$(bin)/python -m $(install) 'pip>=25.1'
	$(bin)/python -m $(install) --editable . --group test --group lint
	touch $@ .venv/.core

# What is measured beside podium, and needed by nothing else.
.venv/.bench: .venv/.tools
	$(bin)/python -m $(install) --group bench
	touch $@

# What checks and builds the page; only those who change it need Node.
web/node_modules: web/package-lock.json | .venv/bin/python
	command -v npm > /dev/null || { apt-get update -qq && apt-get install -qq -y nodejs npm; }
	cd web && npm ci --silent
	touch $@

# What looks at the page in tests.
browser: web/node_modules | .venv/bin/python
	@sh .ci/chromium

# What builds the site.
.venv/.docs: .venv/.tools
	$(bin)/python -m $(install) --group docs
	touch $@

.venv-serve/bin/schemathesis: | .venv-serve/bin/python
	.venv-serve/bin/python -m $(install) 'schemathesis>=4'

.venv-remote/.core: pyproject.toml | .venv-remote/bin/python
	.venv-remote/bin/python -m $(install) 'pip>=25.1'
	.venv-remote/bin/python -m $(install) --editable . --group remote
	touch $@

.venv-minimal/.core: pyproject.toml README.md $(sources) .venv/.tools | .venv-minimal/bin/python
	rm -rf dist
	$(bin)/python -m build --outdir dist . > /dev/null
	$(bin)/twine check --strict dist/*
	$(bare)/python -m $(install) dist/*.whl
	$(bare)/python -m $(install) --force-reinstall --no-deps dist/*.whl
	touch $@

# PyTorch first, and one version: left to choose, pip takes a newer build that brings gigabytes of CUDA.
.venv-text/.tools: pyproject.toml | .venv-text/bin/python
	$(text)/python -m $(install) 'pip>=25.1'
	$(text)/python -m $(install) 'torch==2.13.0'
	$(text)/python -m $(install) --editable . --group text
	touch $@

.venv/bin/python .venv-minimal/bin/python .venv-text/bin/python .venv-serve/bin/python .venv-remote/bin/python:
	@sh .ci/venv $(@:/bin/python=)
