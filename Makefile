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
.PHONY: help run test-fast test test-soak test-languages test-long test-tools test-elsewhere check lint types contracts size rewritten docs docs-oldest oldest release rehearse rehearse-wheel site bench bench-guard bench-league bench-modules bench-peers bench-rules coverage coverage-swiss league-simulation fresh-versions swiss-factors overload fairness fuzz meter modules-oldest modules-soak modules-elsewhere verifier-mutants interpreters page page-soak crash stops cluster schema layout vectors playthroughs openspiel-page references zoo pictures mutants strength vm headers rules-alike rules-mutants rules-elsewhere clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' $(MAKEFILE_LIST) | \
	  while read -r name text; do printf '  make %-17s %s\n' "$$name" "$$text"; done

# A compiler that has come since builds the programs in C.
.venv/.compiler: FORCE
	@mkdir -p .venv
	@compiler="$$(command -v $(firstword $(CC)) || echo none)"; [ "$$compiler" = "$$(cat $@ 2>/dev/null)" ] || echo "$$compiler" > $@
FORCE:

.venv/.run: pyproject.toml .venv/.compiler $(wildcard khiva_arena/native/*.[ch] khiva_arena/native/*.py bots/rules/*/*.h)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Khiva Arena needs Python 3.11 or newer; name one with: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	@echo "setting up .venv (once)" >&2
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
	$(BIN)/pytest -q -m "not slow and not soak and not language" tests/games tests/schedule tests/replay tests/protocol tests/report
	$(BIN)/pytest -q tests/cli/test_not_linux.py

check: .venv/.test ## only lint, types and import contracts, and how large the package is
	@$(CHECKS) size

lint types contracts size rewritten: .venv/.test

lint:
	$(BIN)/ruff check
	$(BIN)/ruff format --check

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

OLDEST := sed -n 's/^    "\([A-Za-z_-]*\)>=\([0-9.]*\).*/\1==\2/p' pyproject.toml
oldest: .venv/.oldest ## the tests of make test on the oldest versions that pyproject.toml allows
	.venv/oldest/bin/pytest -n 4 --dist loadgroup -q -m "not soak and not language and not long"

.venv/.oldest: .venv/.run pyproject.toml
	@$(PYTHON) -m venv .venv/oldest
	@$(OLDEST) > .venv/oldest.txt
	@.venv/oldest/bin/pip $(INSTALL) -c .venv/oldest.txt -e '.[test]'
	@touch $@

release: .venv/.release ## build all of a release from the commit, twice, into dist/: wheels, sdist, page that checks, site, notes, hashes (needs npm); ten minutes; UNRELEASED=yes to try it between releases
	@.venv/release/bin/python .ci/release.py $(if $(UNRELEASED),--unreleased)

rehearse: .venv/.release ## type every install line of the pages against dist/, each in an empty environment; PYTHONS="python3.12 python3.13" WITHOUT=package
	@.venv/release/bin/python .ci/rehearse.py $(PYTHONS) $(if $(WITHOUT),--without $(WITHOUT))

rehearse-wheel: .venv/.test ## type README's line and the first commands against a wheel of this checkout, without a compiler; CI does
	@rm -rf build/wheel && $(BIN)/python -m hatchling build -t wheel -d build/wheel >/dev/null
	@$(BIN)/python .ci/rehearse.py --first --dist build/wheel

site: docs .venv/.test ## one folder for any static host, docs/_build/site: the docs, a recorded cup with its page, a league's pages; a dead link is an error
	@$(BIN)/python .ci/site.py

# In an environment of its own: pip compares no hash of a package that is there already.
.venv/.release: .venv/.run pyproject.toml .ci/release.txt
	@echo "setting up the tools of a release (once)" >&2
	@$(PYTHON) -m venv --clear .venv/release
	@.venv/release/bin/pip $(INSTALL) --require-hashes -r .ci/release.txt
	@.venv/release/bin/pip $(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

bench: .venv/.test ## measure every figure of the project, one JSON object a line (needs cc); ONLY=arbiter BASE=commit
	$(BIN)/python tests/benchmarks/bench.py --only "$(ONLY)" --base "$(BASE)"
	$(if $(ONLY)$(BASE),,$(BIN)/python tests/benchmarks/screen.py)
	$(if $(ONLY)$(BASE),,$(BIN)/python tests/benchmarks/kits.py)

bench-guard: .venv/.test ## before a release: whether counts or CPU are worse than in BASE=commit (needs cc and strace); an hour or two
	@$(BIN)/python tests/benchmarks/guard.py --base "$(BASE)"

bench-league: .venv/.test ## what a batch of a league costs at 100, 1,850 and 2,000 batches: start, table, write, enter; half an hour
	@$(BIN)/python tests/benchmarks/league_year.py $(BATCHES)

bench-rules: .venv/.test ## the rules in C beside the engine, and the environments beside those of others, in one run (needs cc)
	@$(BIN)/python tests/benchmarks/rules_speed.py

bench-modules: .venv/.test ## modules beside the same bots as processes: starts, decisions, memory, compiling (needs clang and go); PART=memory
	@$(BIN)/python tests/benchmarks/module_bots.py $(PART)

bench-peers: .venv/.test ## the arbiter beside other ones, whose programs you name (needs cc); PEERS="fastchess=/path/to/it cutechess=/path/to/it"
	@$(BIN)/python tests/benchmarks/peers.py $(PEERS)

crash: .venv/.test ## kill -9 real runs at hundreds of moments and compare digests; KILLS=300 SEED=1
	$(BIN)/python tests/crash/run.py $(or $(KILLS),300) $(or $(SEED),1)

stops: .venv/.test ## stop real runs by SIGTERM, SIGHUP and SIGINT in every way, at every level (needs cc); STOPS=200 SEED=1
	$(BIN)/python tests/crash/stops.py $(or $(STOPS),200) $(or $(SEED),1)

fairness: .venv/.test ## 100 matches a level of a bot of two threads beside one that makes itself wait: it may not forfeit; 15 minutes
	PARTS=10 $(TESTS) -m soak -k two_threads tests/arbiter/test_hogs.py

fuzz: .venv/.test ## throw mutated bytes at codec, session and meter, frames at the relay, calls at the rules in C; MINUTES=2 SEED=1 of each
	$(BIN)/python tests/fuzz/run.py --minutes $(or $(MINUTES),2) $(if $(SEED),--seed $(SEED))
	$(BIN)/python tests/fuzz/fuzz_relay.py --minutes $(or $(MINUTES),2) $(if $(SEED),--seed $(SEED))
	$(BIN)/python tests/fuzz/fuzz_meter.py --minutes $(or $(MINUTES),2) $(if $(SEED),--seed $(SEED))
	$(BIN)/python tests/crules/fuzz_calls.py --minutes $(or $(MINUTES),2) $(if $(SEED),--seed $(SEED))

headers: .venv/.run ## join the rules in C into a header a game, bots/rules/khiva.h, and build the library of them
	@$(BIN)/python khiva_arena/native/build.py

# The compiler lies in an environment of theirs, and what they become in interpreters/build, where a checkout finds it.
interpreters: .venv/.test ## build the interpreters of bots in ticks to the bytes of their release, and a wheel of them, in some minutes
	@$(PYTHON) interpreters/build.py
	@cd interpreters && ../$(BIN)/python -m hatchling build -t wheel -d build

# What runs the page, by pinned hashes, lies in interpreters/build; neither git nor the wheel has it.
RUNTIME := interpreters/build/page-runtime.tar
page: .venv/.run ## fetch what runs the page that checks bundles (needs npm), and write khiva-arena.html; OUT=khiva-arena.html
	@[ $(RUNTIME) -nt khiva_arena/page/runtime.toml ] || $(BIN)/python .ci/page_runtime.py $(RUNTIME)
	@$(ARENA) page --runtime $(RUNTIME) --out $(or $(OUT),khiva-arena.html)

page-soak: .venv/.test ## check 1,058 matches in ticks in Chromium and Firefox and say what it costs beside verify --rerun-bots; SEEDS=2 OUT=results/page-soak
	nice $(BIN)/python tests/page/page_soak.py $(or $(OUT),results/page-soak) $(or $(SEEDS),2) chromium firefox

rules-alike: .venv/.test ## play random matches in the engine and in C and compare every step; GAME=khiva MATCHES=1000000 SEED=1
	$(BIN)/python tests/crules/alike.py $(or $(GAME),khiva) --matches $(or $(MATCHES),10000) --seed $(or $(SEED),1)

rules-mutants: .venv/.test ## change the rules in C in small ways and see whether a comparison notices; GAME=khiva MUTANTS=20 SEED=1
	$(BIN)/python tests/crules/mutants.py $(or $(GAME),khiva) --mutants $(or $(MUTANTS),20) --seed $(or $(SEED),1)

rules-elsewhere: .venv/.test ## play by the rules in C on machines of 32 bits and of another order of bytes, by qemu; MATCHES=20 SEED=1
	$(BIN)/python tests/crules/other_machines.py --matches $(or $(MATCHES),20) --seed $(or $(SEED),1)

meter: .venv/.test ## measure how long a tick of modules lasts, by class of instructions, and in JavaScript; CASE=loads
	$(BIN)/python tests/benchmarks/meter.py $(CASE)
	$(if $(CASE),,$(BIN)/python tests/benchmarks/interpreted.py)

# .venv has the newest version of the VM that pyproject.toml allows.
VM := $(shell sed -n 's/.*"\(wasmtime>=[^"]*\)".*/\1/p' pyproject.toml)
OLDEST_VM := $(shell sed -n 's/.*"wasmtime>=\([0-9]*\),.*/\1/p' pyproject.toml)
TIMES ?= 1000
.venv/oldest-vm: .venv/.test
	$(BIN)/pip $(INSTALL) --upgrade --no-deps --target $@ 'wasmtime==$(OLDEST_VM).*'
	@touch $@

modules-oldest: .venv/oldest-vm ## play matches of modules on their oldest VM and the newest, which have to come out equal (needs clang)
	OTHER_VMS=$< $(BIN)/pytest -q tests/modules/test_equal.py -k other_versions

modules-soak: .venv/oldest-vm ## play, forge and overhear TIMES=1000 matches of modules and of bots in JavaScript, also on their oldest VM and on Node's; an hour (needs clang)
	MATCHES=$(TIMES) FORGERIES=$(TIMES) TRIES=$(TIMES) OTHER_VMS=$< $(BIN)/pytest -n 2 --dist loadgroup -q -o faulthandler_timeout=0 \
	  tests/modules/test_equal.py tests/modules/test_channels.py tests/audit/test_forgeries.py

# Debian's Python for ARM64, with all that it needs, and wheels of the VM: in a folder, with lists of packages of its own.
ARM64 := $(CURDIR)/.venv/arm64
APT := apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
  -o Dir::State=$(ARM64)/apt -o Dir::State::status=$(ARM64)/apt/status -o Dir::Cache=$(ARM64)/apt
WHEEL := $(INSTALL) --upgrade --no-deps --only-binary=:all: --platform manylinux2014_aarch64
.venv/.arm64: .venv/.test
	@rm -rf $(ARM64) && mkdir -p $(ARM64)/apt/lists/partial $(ARM64)/apt/archives/partial && : > $(ARM64)/apt/status
	@$(APT) update
	@$(APT) install --download-only -y --no-install-recommends python3-minimal libpython3-stdlib
	@for package in $(ARM64)/apt/archives/*.deb; do dpkg-deb -x "$$package" $(ARM64) || exit; done
	@[ -e $(ARM64)/lib ] || ln -s usr/lib $(ARM64)/lib
	@$(BIN)/pip $(WHEEL) --target $(ARM64)/newest-vm '$(VM)'
	@$(BIN)/pip $(WHEEL) --target $(ARM64)/oldest-vm 'wasmtime==$(OLDEST_VM).*'
	@touch $@

python_in = .venv/python-$(subst /,-,$(1))
modules-elsewhere: TIMES = 300
modules-elsewhere: .venv/.arm64 ## play TIMES=300 matches of modules on emulated ARM64 and in PYTHONS="python3.12 ...", and all vectors (needs clang, qemu-user, Debian's apt)
	@$(foreach python,$(PYTHONS),$(python) -m venv $(call python_in,$(python)) && \
	  $(call python_in,$(python))/bin/pip $(INSTALL) pytest -e '.[modules]' &&) true
	MATCHES=$(TIMES) ARM64=$(ARM64) OTHER_PYTHONS="$(foreach python,$(PYTHONS),$(call python_in,$(python))/bin/python)" \
	  $(BIN)/pytest -q -o faulthandler_timeout=0 -k 'everywhere or other_pythons or arm64' tests/modules

verifier-mutants: .venv/.test ## change protocol/verifier in small ways and list what all vectors let pass, some 20 minutes for all; MUTANTS=0 SEED=1 FILE= (needs node)
	$(BIN)/python tests/modules/mutate_verifier.py --mutants $(or $(MUTANTS),0) --seed $(or $(SEED),1) --file "$(FILE)"

coverage: .venv/.test ## simulate how often errors of ratings and sequential tests hold, the long form; some 20 minutes; TRIALS=3000
	$(BIN)/python tests/ratings/coverage.py --trials $(or $(TRIALS),3000)

coverage-swiss: .venv/.test ## simulate how often errors and ranks of whole swiss tournaments hold; hours; TRIALS=400
	$(BIN)/python tests/ratings/swiss_coverage.py --trials $(or $(TRIALS),400) --more

league-simulation: .venv/.test ## simulate leagues of bots of known strength: whether errors and ranks hold; CASE=large|equal|spread LEAGUES=20
	$(BIN)/python tests/league/simulation.py --case $(or $(CASE),equal) --leagues $(or $(LEAGUES),20)

fresh-versions: .venv/.test ## simulate leagues in which a bot is entered anew: whether that gains anything; LEAGUES=400, ten minutes
	$(BIN)/python tests/support/fresh_versions.py $(or $(LEAGUES),400)

swiss-factors: .venv/.test ## replay swiss tournaments of equal bots of many shapes and write their factors; half an hour
	$(BIN)/python tests/ratings/measure_shapes.py

overload: .venv/.test ## 100,000 decisions of honest bots on an overloaded machine, twice: nobody may forfeit (needs cc)
	$(BIN)/python tests/benchmarks/overload.py
	$(BIN)/python tests/benchmarks/overload.py --elsewhere

cluster: .venv/.test ## kill and stop workers, scheduler and command of real Dask clusters and compare digests; KILLS=100 SEED=1
	$(BIN)/python tests/cluster/soak.py $(or $(KILLS),100) $(or $(SEED),1)

schema: .venv/.test ## write the published schemas and the tables of docs/standings.md; read the diff
	$(BIN)/python tests/support/make_schemas.py --write
	$(BIN)/python tests/support/make_columns_page.py --write

layout: ## print what stands where in the package: its rooms under their headings, and the first sentence of each module
	@$(PYTHON) tests/support/make_layout.py

vectors: .venv/.test ## write protocol/vectors, the generated parts of its pages and the draws of leagues again; read the diff
	$(BIN)/python tests/games/make_vectors.py --write
	$(BIN)/python tests/protocol/make_frames.py --write
	$(BIN)/python tests/modules/meter/make_modules.py --write
	$(BIN)/python tests/modules/runner/make_runner.py --write
	$(BIN)/python tests/modules/make_ticks.py --write
	$(BIN)/python tests/modules/keep_rows.py --write
	$(BIN)/python tests/support/make_draws.py --write

playthroughs: .venv/.test ## write tests/playthroughs and protocol/games again; read the diff
	$(BIN)/python tests/playthroughs/make.py --write
	$(BIN)/python tests/games/make_pages.py --write

openspiel-page: .venv/.test ## try all games of OpenSpiel and write docs/openspiel-games.md; read the diff
	$(BIN)/python tests/support/make_openspiel_page.py

references: .venv/.test ## compute the rating reference with statsmodels again; read the diff
	$(BIN)/python tests/ratings/make_prior_reference.py --write

zoo: .venv/.test ## play bots that misbehave: every way, in every seat, at every isolation level here; takes some 20 minutes
	$(BIN)/python tests/zoo/run.py

pictures: .venv/.test ## take the pictures of the README and the docs again (needs Chromium)
	$(BIN)/python tests/page/pictures.py

mutants: .venv/.test ## change the rules, schedule, ratings, session, meter and runner in small ways and list what no test notices; MUTANTS=40 MINUTES=60 a room, SEED=1
	@$(BIN)/pip $(INSTALL) -e '.[mutants]'
	$(BIN)/python tests/mutation/run.py --mutants $(or $(MUTANTS),40) --minutes $(or $(MINUTES),60) --seed $(or $(SEED),1)

# By game: its bots from the weakest to the strongest. Each of them plays copies of the one before it; all these events are pooled.
LADDER_khiva := python/greedy c/search python/search_deep c/strong_khiva
LADDER_emira := python/greedy_emira python/search_emira c/strong_emira
LADDER_silk_road := python/greedy_silk_road python/search_silk_road c/strong_silk_road
GAME ?= silk_road
SEATS ?= 3
RUNGS ?= $(LADDER_$(GAME))
STRENGTH = $(or $(OUT),results/strength/$(GAME)-$(SEATS))
strength: .venv/.run ## the ladder of a game's bots, in one to two hours of a core or more; GAME=khiva SEATS=3 SEEDS=400 RUNGS="c/search c/strong_khiva"
	$(if $(RUNGS),,$(error GAME=$(GAME): there is no ladder of it, but of $(sort $(patsubst LADDER_%,%,$(filter LADDER_%,$(.VARIABLES))))))
	@set -- $(RUNGS); while [ $$# -gt 1 ]; do \
	  $(ARENA) run --trust-bots --game $(GAME) --format gauntlet --copies $$(($(SEATS) - 1)) --seats $(SEATS) --seeds $(or $(SEEDS),400) \
	    --turn 1m --start 1m --seed strength --bot shipped:$$2 --bot shipped:$$1 --out $(STRENGTH) >/dev/null || exit; shift; done
	@$(ARENA) standings $(STRENGTH) --anchor "$$(sed -n 's/^name = "\(.*\)"/\1/p' bots/$(firstword $(RUNGS))/bot.toml)"

vm: .venv/.test ## run the tests of isolation strict in a virtual machine with cgroup v2; needs qemu and a kernel, see tests/vm/run.sh
	tests/vm/run.sh $(BIN)/pytest -q -p no:cacheprovider -k 'strict or cgroup' tests/sandbox/test_cgroup.py tests/sandbox/test_isolation.py

clean: ## remove .venv, caches, the site, and the results of make run
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache docs/_build interpreters/build $(RESULTS)
