# Every target sets up what it needs: a fresh clone with Python 3.11 (or
# 3.12 and 3.13 without PyBullet's worlds), pip and make is enough.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready

.PHONY: setup demo reproduce results test test-core style lint audit bench docs pictures wheel clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14) and "ncs needs Python 3.11 to 3.13")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

demo: setup
	$(BIN)/ncs demo

SCALE ?= smoke

reproduce: setup  # make reproduce SCALE=laptop
	$(BIN)/ncs reproduce --scale $(SCALE) --out runs/reproduce-$(SCALE)

results: setup  # fills the tables of README and docs from the files in results/
	$(BIN)/python -m benchmarks.fill_tables

test: setup style
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder  # two cores, and one that waits

CORE := analysis control graph puzzle test_layout.py test_registry.py test_settings.py test_storage.py

test-core: setup  # what needs no PyBullet, for Python 3.12 and 3.13
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 $(addprefix tests/,$(CORE))

style: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

lint: setup style audit

audit: setup  # asks PyPI for known vulnerabilities of every pin
	$(BIN)/python -m benchmarks.figures.audit

pictures: setup  # draws the pictures of the documents with the models that ship
	$(BIN)/python docs/draw_pictures.py

bench: setup
	for file in benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done

docs: setup  # the site, in site/; warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

wheel: setup  # the package with the model of every world inside, in dist/
	rm -rf build dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
	rm -rf build

clean:
	rm -rf .venv build dist runs site
