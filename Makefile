# The commands of the project; `make` alone lists them. README.md has the commands for Windows.
#
# PYTHON builds the environments (default: python3). An existing environment is kept; remove .venv to build it anew.
# PYTEST_ARGS is passed to pytest by `make test`, as in PYTEST_ARGS=tests/values. MUTANTS is passed to `make mutants`.
# BENCHMARKS names scripts in benchmarks/.

PYTHON ?= python3
PYTEST_ARGS ?=
MUTANTS ?= 20
BENCHMARKS ?= operators json_documents plugin_unused report_overhead many_comparisons replay_speed templates \
  trajectories datasets

export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: help demo test generate check docs bench mutants
# Two targets may install into the same environment.
.NOTPARALLEL:
# A partly built environment is removed.
.DELETE_ON_ERROR:

help:
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

EXAMPLE = .venv/bin/pytest examples/capitals --verify-report
define AS_EXPECTED
import json, sys; totals = json.load(open("verify-report/report.json"))["totals"]["comparisons"]; \
sys.exit(totals != {"total": 4, "pass": 3, "fail": 1, "error": 0})
endef

demo: .venv/.installed-demo ## set up .venv, run the example and say where to look
	@rm -f verify-report/report.json
	@echo '$(EXAMPLE)'
	@$(EXAMPLE); status=$$?; [ $$status -eq 1 ] || \
	  { echo "make demo: one test fails on purpose, so pytest exits with 1; it exited with $$status" >&2; exit 1; }
	@[ -s verify-report/report.json ] || { echo 'make demo: verify-report/report.json was not written' >&2; exit 1; }
	@.venv/bin/python -c '$(AS_EXPECTED)' || \
	  { echo 'make demo: the report does not have 3 comparisons that pass and 1 that fails' >&2; exit 1; }
	@echo
	@echo 'The demo works: one of the four tests fails on purpose. Where to look:'
	@echo '  examples/capitals/test_capitals.py  the tests'
	@echo '  verify-report/report.html           the page: open it in a browser'
	@echo '  verify-report/                      the report: junit.xml for CI, report.json, records.jsonl'
	@echo '  docs/tutorial.md                    a first test of your own'
	@echo 'and what to try:'
	@echo '  .venv/bin/pytest-verdict explain --failed'
	@echo '  .venv/bin/pytest-verdict replay verify-report'

test: .venv/.installed-test ## set up .venv and run the tests, in about 3 minutes; PYTEST_ARGS=tests/values runs some
	@echo 'All tests take about 3 minutes on two free cores. make check runs those that this leaves out.'
	.venv/bin/pytest -n 2 $(PYTEST_ARGS)

generate: .venv/.installed-test ## write every file that is made from something else: stubs, tables in docs, corpus, pictures
	.venv/bin/python -m tools.generate

mutants: .venv/.installed-test ## change random lines of a copy and print the changes that no test noticed; MUTANTS='50 --seed 7'
	.venv/bin/python tools/mutation/mutants.py $(MUTANTS)

check: ## run everything that CI checks, in temporary environments
	PYTHON='$(PYTHON)' bash .ci/run

docs: .venv/.installed-docs ## build the documentation into docs/_build/html
	.venv/bin/sphinx-build -W --keep-going -b html docs docs/_build/html
	@echo 'Open docs/_build/html/index.html'

bench: .venv-bench/.installed ## measure beside other libraries and print the tables; BENCHMARKS=operators runs one
	@set -e; for name in $(BENCHMARKS); do echo; echo ".venv-bench/bin/python benchmarks/$$name.py"; \
	  .venv-bench/bin/python "benchmarks/$$name.py"; done

# Built when its Python is missing; then everything is installed again.
.venv/bin/python .venv-bench/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "Python 3.11 or newer is needed, $(PYTHON) is " + sys.version.split()[0] + "; name another: make PYTHON=python3.13")'
	$(PYTHON) -m venv --clear $(@:/bin/python=)

# A stamp says what an environment holds. A newer pyproject.toml installs it again.

# The example needs only the package; conftest.py and the settings of pytest need hypothesis and pytest-asyncio.
.venv/.installed-demo: pyproject.toml .venv/bin/python
	.venv/bin/python -m pip install --quiet -e ".[laws]" pytest-asyncio
	@touch $@

.venv/.installed-test: pyproject.toml .venv/bin/python
	.venv/bin/python -m pip install --quiet -e ".[test]"
	@touch .venv/.installed-demo $@

# The pip of Python 3.11 to 3.13 does not know dependency groups.
.venv/.installed-docs: pyproject.toml .venv/bin/python
	.venv/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv/bin/python -m pip install --quiet -e . --group docs
	@touch $@

.venv-bench/.installed: pyproject.toml benchmarks/requirements.txt .venv-bench/bin/python
	.venv-bench/bin/python -m pip install --quiet -e . -r benchmarks/requirements.txt
	@touch $@
