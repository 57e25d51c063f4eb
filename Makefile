# Every target sets up .venv first; a stamp file says that it is current.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Workers of later runs, and the processes that tests start, find modules compiled, also where the variable is set.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
# The first pip that knows dependency groups is 25.1.
UPGRADE_PIP = $(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

# What the native module is built from: library formulas become kernels in it.
BUILD_INPUTS := pyproject.toml lint/pyproject.toml CMakeLists.txt $(wildcard cmake/* engine/native/*.py engine/native/*.cpp \
	$(shell find engine/native/src engine/native/include -type f) formulas/*.py \
	$(shell find transpile -name '*.py'))

.PHONY: help demo test test-all test-new test-slow test-typed check docs format sanitize sanitize-address sanitize-thread dev \
	clean

help:
	@echo "make demo      lint, transpile, compile, check and time the examples"
	@echo "make test      the test suite"
	@echo "make test-all  the test suite, the slow tests, all types, and the sanitizers; goes on after a part that fails"
	@echo "make test-slow only the slow tests, and which of them took longest"
	@echo "make check     ruff, formatting, types"
	@echo "make docs      the documentation site, in build/docs"
	@echo "make format    format Python and C++"
	@echo "make sanitize  the native engine's tests under the address, undefined-behaviour and thread sanitizers"
	@echo "make clean     remove what the targets made"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: $(BUILD_INPUTS) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/test.stamp: $(BUILD_INPUTS) | $(BIN)/python
	$(UPGRADE_PIP)
	$(BIN)/python -m pip install --quiet --editable '.[torch,jax,cuda]' --group test
	touch $(VENV)/demo.stamp $@

$(VENV)/dev.stamp: $(VENV)/test.stamp
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

$(VENV)/docs.stamp: $(VENV)/demo.stamp
	$(UPGRADE_PIP)
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

dev: $(VENV)/dev.stamp

demo: $(VENV)/demo.stamp
	$(BIN)/python -m pullback.tools.demo

test: $(VENV)/test.stamp
	$(PYTEST) -n auto -m 'not slow'

# One run tells all: a part that fails stops none of the others, and make fails at the end.
test-all: $(VENV)/test.stamp
	$(MAKE) --keep-going test-new test-slow test-typed sanitize

# The suite with examples of hypothesis that nobody has seen.
test-new: $(VENV)/test.stamp
	$(PYTEST) -n auto -m 'not slow' --hypothesis-profile=new

test-slow: $(VENV)/test.stamp
	$(PYTEST) -n auto -m slow --hypothesis-profile=new --durations=40

# Types at run time of what the suite leaves out because it takes long (see pyproject.toml).
test-typed: $(VENV)/test.stamp
	$(PYTEST) -n auto -m 'not slow' --typeguard-packages=pullback \
		tests/conformance tests/constructs tests/tools tests/transpile

check: $(VENV)/dev.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	git ls-files '*.cpp' '*.h' | grep -vE '^(tests/golden|cpp_out)/' | xargs $(BIN)/clang-format --dry-run -Werror

# Strict: a warning is an error. Material says at every build how long it will be maintained; that is no warning.
docs: $(VENV)/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

format: $(VENV)/dev.stamp
	$(BIN)/ruff format
	git ls-files '*.cpp' '*.h' | grep -vE '^(tests/golden|cpp_out)/' | xargs $(BIN)/clang-format -i

sanitize: sanitize-address sanitize-thread

sanitize-address: $(VENV)/test.stamp
	PYTHON=$(BIN)/python sh engine/native/sanitize.sh address,undefined

sanitize-thread: $(VENV)/test.stamp
	PYTHON=$(BIN)/python sh engine/native/sanitize.sh thread

clean:
	rm -rf $(VENV) build dist
