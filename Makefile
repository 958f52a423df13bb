# Everything is set up in .venv by the first target that needs it. Nothing outside this folder is installed.
PYTHON ?= python3
ARENA := .venv/bin/khiva-arena
BIN := .venv/bin
RESULTS := results/demo
# All that the arena needs is compiled once it is there. Bots in Python may write nowhere and would compile at each start, and so
# would every command if PYTHONDONTWRITEBYTECODE is set, as in most containers. Tools of tests are compiled when they are imported.
INSTALL := install --quiet --disable-pip-version-check --no-compile
# A new environment gets its pip in two or three seconds from Python's own copy, in a few tenths from a pip that is there already.
OTHER_PIP := $(PYTHON) -m pip --python $(BIN)/python
NO_VENV = { echo "$(PYTHON) cannot make a virtual environment with pip; if it lacks ensurepip, on Debian and Ubuntu: apt install python3-venv" >&2; exit 2; }
# Twice as many at a time as there are cores: half of their time tests wait, for bots that are late on purpose above all. Those of
# the soak wait longer, for browsers and kills, so there is one more.
AT_A_TIME := 4
test-soak test-tools: AT_A_TIME := 5
TESTS = $(BIN)/pytest -n $(AT_A_TIME) --dist loadgroup -q
# The make of macOS is too old to keep the lines of one target together.
CHECKS = $(MAKE) --no-print-directory --jobs $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) lint types contracts
# Nearly all that tests start is Python: without bytecode on disk each start compiles the package again.
unexport PYTHONDONTWRITEBYTECODE
# The table of a run without the lines on its meaning, as wide as the terminal: they stand once, under the last table.
TABLE := table=$$(COLUMNS=$$(stty size 2>/dev/null | cut -d ' ' -f 2) $(ARENA)
ALONE := ) && echo "$$table" | sed '/^$$/,$$d'

.DEFAULT_GOAL := help
.PHONY: help run test-fast test test-soak test-languages test-long test-tools test-elsewhere check lint types contracts size rewritten pages docs docs-oldest release rehearse rehearse-wheel site interpreters page page-soak schema vectors playthroughs headers pictures clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' $(MAKEFILE_LIST) | \
	  while read -r name text; do printf '  make %-15s %s\n' "$$name" "$$text"; done
	@echo "Simulations, soaks, benchmarks and fuzzers: $(BIN)/python -m tests.tools"

# A compiler that has come since builds the programs in C.
.venv/.compiler: FORCE
	@mkdir -p .venv
	@compiler="$$(command -v $(firstword $(CC)) || echo none)"; [ "$$compiler" = "$$(cat $@ 2>/dev/null)" ] || echo "$$compiler" > $@
FORCE:

.venv/.run: pyproject.toml .venv/.compiler $(wildcard khiva_arena/native/*.[ch] khiva_arena/native/*.py bots/rules/*/*.h)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Khiva Arena needs Python 3.11 or newer; name one with: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	@echo "setting up .venv (once)" >&2
	@# A folder that was moved leaves compiled code behind, and could still be imported.
	@$(PYTHON) -c 'import pathlib, shutil; here = pathlib.Path("khiva_arena"); \
	  [shutil.rmtree(path) for path in [*here.rglob("__pycache__")]]; \
	  [path.rmdir() for path in sorted(here.rglob("*"), reverse=True) if path.is_dir() and not any(path.iterdir())]'
	@$(PYTHON) -m venv --without-pip .venv >&2 || $(NO_VENV)
	@$(OTHER_PIP) --version >/dev/null 2>&1 || $(PYTHON) -m venv .venv >&2 || $(NO_VENV)
	@if [ -e $(BIN)/pip ]; then $(BIN)/pip $(INSTALL) -e .; else $(OTHER_PIP) $(INSTALL) pip -e .; fi
	@$(BIN)/python -m compileall -q -j 0 -x '/(pip|tests)/' .venv/lib khiva_arena
	@touch $@

.venv/.test: .venv/.run pyproject.toml
	@echo "setting up the tools of the tests (once)" >&2
	@$(BIN)/pip $(INSTALL) -e '.[test]'
	@touch $@

.venv/.docs: .venv/.run pyproject.toml
	@echo "setting up the tools of the site (once)" >&2
	@$(BIN)/pip $(INSTALL) -e '.[docs]'
	@touch $@

run: .venv/.run ## play the shipped bots against each other at 3 seats and at 2, print the tables, and write a page of results
	@$(TABLE) run --shipped --trust-bots --seats 3 --seeds 6 --lineups auto --jobs 2 --out $(RESULTS)$(ALONE)
	@$(TABLE) run --shipped --trust-bots --seats 2 --seeds 5 --lineups auto --jobs 2 --out $(RESULTS)$(ALONE)
	@echo; echo "Both together, and a check of every match:"; echo
	@$(ARENA) standings $(RESULTS)
	@$(ARENA) verify $(RESULTS)
	@$(ARENA) report $(RESULTS) --out $(RESULTS).html
	@echo; echo "The command is $(ARENA); after \`. $(BIN)/activate\` it is khiva-arena. A bot of your own: $(ARENA) new python my-bot"

test-fast: .venv/.test ## while you write: lint, and the tests that take less than a second each
	$(BIN)/ruff check
	$(TESTS) -m "not slow and not soak and not language and not long"

test: .venv/.test ## set up, lint, types, import contracts, and the tests but those of the next three
	@$(CHECKS) size rewritten
	$(TESTS) -m "not soak and not language and not long"

test-soak: .venv/.test ## the tests that try the machine: kills, stops, full disks, clusters, browsers, simulated tournaments; and what repeats for other seats and games
	$(TESTS) -m "soak and not language and not long"

test-long: .venv/.test ## the tests that only repeat at more sizes what the others try: by hand, before a release
	$(TESTS) -m long

test-languages: .venv/.test ## the tests that need compilers and interpreters
	$(TESTS) -m "language and not long"

test-tools: .venv/.test ## with all tools installed, as in CI: tests of isolation levels, soak and languages, and those that KHIVA_TESTS_SKIPPED lists
	$(TESTS) -m "(level or soak or language or skipped) and not long"

test-elsewhere: .venv/.test ## on another system than Linux: what needs nothing of it, and whole runs at level trusted
	$(BIN)/pytest -q -m "not slow and not soak and not language" tests/games tests/rating/schedule tests/records/replay tests/bots/protocol tests/rating/report
	$(BIN)/pytest -q tests/interface/cli/test_not_linux.py

check: .venv/.test ## only lint, types and import contracts, and how large the package is
	@$(CHECKS) size

lint types contracts size rewritten: .venv/.test

# Files whose bytes are pinned, or that newcomers read as they are: lines of up to 130 columns.
WIDE_FOLDERS := bots protocol/examples interpreters/python khiva_arena/extensions/own_games/template tests/published
WIDE := $(wildcard $(foreach folder,$(WIDE_FOLDERS),$(addprefix $(folder)/,*.py */*.py */*/*.py */*/*/*.py)))

lint:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/ruff check $(WIDE) --line-length 130 --config 'lint.pycodestyle.max-doc-length = 130'
	$(BIN)/ruff format --check $(WIDE) --line-length 130

types:
	$(BIN)/mypy

contracts:
	$(BIN)/lint-imports

size:
	@$(BIN)/python tests/support/count_code.py

# A test module is rewritten by pytest when it is first imported, in half a minute for all. One process does so for the four that
# run the tests, while types are checked, if a module has changed. If one cannot be imported, these four say so.
rewritten: .venv/.rewritten
.venv/.rewritten: .venv/.test $(wildcard tests/*.py tests/*/*.py tests/*/*/*.py tests/*/*/*/*.py)
	@$(BIN)/pytest --collect-only -q >/dev/null || true
	@touch $@

pages: .venv/.test ## type the commands of the pages and write what they print below them; read the diff; PAGES="docs/x.md" for some
	$(BIN)/python tests/support/make_outputs.py $(PAGES)

docs: .venv/.docs ## build the site from docs/ and the pages beside it into docs/_build/html, from nothing; a warning is an error
	@rm -rf docs/_build
	$(BIN)/sphinx-build $(SITE)
	@echo "docs/_build/html/index.html"

# A page that is unchanged is not read again, and says nothing: so all of them are read each time.
SITE := --fresh-env --fail-on-warning --keep-going --quiet -c docs . docs/_build/html
OLDEST_SITE := $(shell sed -n '/^docs = \[/,/^\]/s/.*"\(.*\)>=\([0-9.]*\).*/\1==\2/p' pyproject.toml)
docs-oldest: .venv/.oldest-docs ## build the site with the oldest tools that pyproject.toml allows; a warning is an error
	@rm -rf docs/_build
	.venv/oldest-docs/bin/sphinx-build $(SITE)

.venv/.oldest-docs: .venv/.run pyproject.toml
	@$(PYTHON) -m venv .venv/oldest-docs
	@.venv/oldest-docs/bin/pip $(INSTALL) -e . $(OLDEST_SITE)
	@touch $@

release: .venv/.release ## build all of a release from the commit, twice, into dist/: wheels, sdist, page that checks, site, notes, hashes (needs npm); ten minutes; UNRELEASED=yes to try it between releases, WITHOUT_ADDRESS=yes if the project has no address
	@.venv/release/bin/python .ci/release.py $(if $(UNRELEASED),--unreleased) $(if $(WITHOUT_ADDRESS),--without-address)

rehearse: .venv/.release ## type every install line of the pages against dist/, each in an empty environment; PYTHONS="python3.12 python3.13" WITHOUT=package
	@.venv/release/bin/python .ci/rehearse.py $(PYTHONS) $(if $(WITHOUT),--without $(WITHOUT))

rehearse-wheel: .venv/.test ## type README's line and the first commands against a wheel of this checkout, without a compiler; CI does
	@rm -rf build/wheel && $(BIN)/python -m hatchling build -t wheel -d build/wheel >/dev/null
	@$(BIN)/python .ci/rehearse.py --first --dist build/wheel

site: docs .venv/.test ## one folder for any static host, docs/_build/site: the docs, a recorded cup with its page, a league's pages, khiva-arena.html (from dist/, or as make page does); a dead link is an error
	@[ -e dist/khiva-arena.html ] || $(MAKE) --no-print-directory page OUT=docs/_build/khiva-arena.html
	@$(BIN)/python .ci/site.py

# In an environment of its own: pip compares no hash of a package that is there already.
.venv/.release: .venv/.run pyproject.toml .ci/release.txt
	@echo "setting up the tools of a release (once)" >&2
	@$(PYTHON) -m venv --clear .venv/release
	@.venv/release/bin/pip $(INSTALL) --require-hashes -r .ci/release.txt
	@.venv/release/bin/pip $(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

pictures: .venv/.test ## take the pictures of the README and the docs again (needs Chromium); ALL=1: every game, on a desk and on a phone, into build/pictures
	@$(BIN)/python -m tests.tools pictures $(if $(ALL),--all)

headers: .venv/.run ## join the rules in C into a header a game, bots/rules/khiva.h, and build the library of them
	@$(BIN)/python khiva_arena/native/build.py

# The compiler lies in an environment of theirs, and what they become in interpreters/build, where a checkout finds it.
interpreters: .venv/.test ## build the interpreters of bots in ticks to the bytes of their release, and a wheel of them, in some minutes
	@$(PYTHON) interpreters/build.py
	@cd interpreters && ../$(BIN)/python -m hatchling build -t wheel -d build

# What runs the page, by pinned hashes, lies in interpreters/build; neither git nor the wheel has it.
RUNTIME := interpreters/build/page-runtime.tar
page: .venv/.run ## fetch what runs the page that checks bundles (needs npm), and write khiva-arena.html; OUT=khiva-arena.html
	@[ $(RUNTIME) -nt khiva_arena/extensions/checker/runtime.toml ] || $(BIN)/python .ci/page_runtime.py $(RUNTIME)
	@$(ARENA) page --runtime $(RUNTIME) --out $(or $(OUT),khiva-arena.html)

page-soak: .venv/.test ## play about 260 matches in the page, in Chromium and in Firefox, and compare them with the command's: by hand, before a release
	@$(BIN)/python -m tests.tools page-soak

schema: .venv/.test ## write the published schemas, the parts of docs/index.md, standings.md, command-line.md, the games in brief and bots/README.md that follow from code; read the diff
	$(BIN)/python tests/support/make_schemas.py --write
	$(BIN)/python tests/support/make_columns_page.py --write
	$(BIN)/python tests/together/support/make_commands_page.py --write
	$(BIN)/python tests/support/make_home_page.py --write
	$(BIN)/python tests/support/make_strength_page.py --write

vectors: .venv/.test ## write protocol/vectors, the generated parts of its pages and the draws of leagues again; read the diff
	$(BIN)/python tests/games/make_vectors.py --write
	$(BIN)/python tests/bots/protocol/make_frames.py --write
	$(BIN)/python tests/bots/modules/meter/make_modules.py --write
	$(BIN)/python tests/bots/modules/runner/make_runner.py --write
	$(BIN)/python tests/bots/modules/make_ticks.py --write
	$(BIN)/python tests/bots/modules/keep_rows.py --write
	$(BIN)/python tests/extensions/league/support/make_draws.py --write

playthroughs: .venv/.test ## write tests/playthroughs and protocol/games again; read the diff
	$(BIN)/python tests/playthroughs/make.py --write
	$(BIN)/python tests/games/make_pages.py --write

clean: ## remove .venv, caches, the site, and the results of make run
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache docs/_build interpreters/build $(RESULTS)
