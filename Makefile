# Two commands set everything up by themselves: make demo, make test. They need Python 3.11+ and make.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
DATASETS ?=

.PHONY: demo docs test quick plain coverage check bench clean label-studio packages
.DEFAULT_GOAL := demo

$(VENV)/core: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Askwise needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(VENV)/dev: $(VENV)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

$(VENV)/bench: $(VENV)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	touch $@

# Compiling the engine takes about 25 seconds, once; numba keeps the result.
$(VENV)/compiled: $(VENV)/core $(wildcard src/askwise/kernels/*.py)
	@echo "compiling the engine, once ..."
	@$(BIN)/python -c 'from askwise.demo.customers import customers; from askwise.demo.comparison import warm_up; warm_up(customers())'
	@touch $@

demo: $(VENV)/compiled
	$(BIN)/askwise demo

# The tests talk to a real Label Studio server, in an environment of its own: a gigabyte, some minutes, once.
.venv-label-studio/ready:
	$(PYTHON) -m venv .venv-label-studio
	.venv-label-studio/bin/python -m pip install --quiet --disable-pip-version-check label-studio==1.23.2
	touch $@

label-studio: .venv-label-studio/ready

packages:
	@bash .ci/packages

# The tests of a module stay in one process. Spark's mostly wait for Java, so they run beside the others.
# A shell lets what runs in the background ignore Ctrl+C, so the trap ends it.
test: $(VENV)/dev label-studio packages
	@$(BIN)/python -m pytest -p no:cacheprovider -m spark >.spark-tests 2>&1 & beside=$$!; \
	trap 'kill $$beside 2>/dev/null; rm -f .spark-tests' EXIT; trap 'exit 130' INT TERM; \
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile -m "not spark"; others=$$?; \
	wait $$beside; spark=$$?; cat .spark-tests; exit $$((others > spark ? others : spark))

# Under two minutes, with nothing but pip: for every change while you work on it.
quick: $(VENV)/dev
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile -m quick

# The small kernels without the compiler.
plain: $(VENV)/dev
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests/kernels/test_kernels.py

# Lines of kernels count where they run as plain Python; all other lines, in the tests that need no Java, browser or Label Studio.
coverage: $(VENV)/dev
	rm -f .coverage .coverage.*
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest tests/kernels/test_kernels.py tests/test_resolution.py tests/test_tables.py
	$(BIN)/python -m coverage run -m pytest -m "not spark and not browser and not label_studio"
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

check: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/typos

$(VENV)/docs: $(VENV)/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[crowds,docs,web]'
	touch $@

# The site, in site/: it opens offline. Broken links fail.
docs: $(VENV)/docs
	$(BIN)/python -m mkdocs build --strict --quiet

# Measures on real votes too with: make bench DATASETS=folder
bench: $(VENV)/bench
	$(BIN)/python benchmarks/run.py $(DATASETS)

clean:
	rm -rf $(VENV) .venv-label-studio .venv-audit askwise-demo
