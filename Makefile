# Every target does its own set-up: python3 (3.11 or later) with its venv module and make are all a machine needs.
# `make` alone lists them.

PYTHON ?= python3
# Processes of the tests; auto: one a core.
JOBS ?= auto
ARGS ?=

BIN := .venv/bin
CODE := $(wildcard engine service tests scripts)
CODE += $(wildcard clients/python/src)
PROTOS := $(shell find protos -name '*.proto' 2>/dev/null)
export PYTHON

.PHONY: help serve test soak bench bench-details soak-memory lint format stubs stubs-check lock catalogues kit dependencies setup setup-runtime clean
.PHONY: compiled test-compiled manifests image-rootfs settings
.PHONY: stubs-go stubs-java stubs-kotlin stubs-csharp clients-typescript clients-typescript-check clients-typescript-stubs stubs-others-check
.DEFAULT_GOAL := help

help:
	@echo 'make serve         the service, on 127.0.0.1:8080 (HTTP) and 127.0.0.1:8081 (gRPC); ARGS="..." goes to it'
	@echo 'make test          the tests; ARGS="-k whist" goes to pytest, JOBS=0 runs them in one process'
	@echo 'make compiled      the engine compiled with mypyc and the codec with Cython, in build/compiled; needs a C compiler'
	@echo 'make test-compiled the tests of both over that'
	@echo 'make soak          faults and races at length: twenty times each of what kills, fails over, races and resumes;'
	@echo '                   a rolling restart twice over, Redis frozen for a minute, overload for half a minute'
	@echo 'make lint          everything CI checks without running the code'
	@echo 'make format        formats code and protos'
	@echo 'make stubs         regenerates service/wire/gen from protos/; stubs-check fails when it is stale'
	@echo 'make clients-python  regenerates what the Python client has of protos/, and its sync half; stubs-check checks it'
	@echo 'make clients-typescript  the TypeScript client: installs, checks, tests and packs it (Node 20 or later);'
	@echo '                         -check is its quick part, -stubs regenerates what it has of protos/ and of REST'
	@echo 'make stubs-go      code for Go from protos/, into build/stubs; also stubs-java, stubs-kotlin, stubs-csharp'
	@echo 'make stubs-others-check  builds and runs those of Go and Java, where their toolchains are'
	@echo 'make wheels        builds the Python client and the engine into dist/'
	@echo 'make manifests     renders each overlay of k8s/ and checks it: schemas, policies, what the service knows of it'
	@echo 'make image-rootfs  carries out the Dockerfile without a container engine, runs what comes of it, and asks it'
	@echo 'make bench         ratios against the bare stack and against peers; ARGS="--quick" takes two minutes, ARGS="rest grpc"'
	@echo '                   measures these parts only, ARGS="--help" lists them'
	@echo 'make soak-memory   ten minutes of mixed load, and what becomes of the memory; ARGS="--minutes 30"'
	@echo 'make bench-details what else is measured: captures, bytes of a table, round trips, the codec'
	@echo 'make kit           the conformance kit at length: 2,000 random deals a variant'
	@echo 'make catalogues    rewrites engine/catalogues.py from locales/'
	@echo 'make lock          locks the dependencies of pyproject.toml; ARGS=--upgrade takes newer ones'
	@echo 'make settings      rewrites the table of docs/settings.md from service/config.py'
	@echo 'make dependencies  rewrites docs/dependencies.md from the locks'
	@echo 'make clean         removes what all of these made'

setup-runtime:
	@scripts/venv.sh runtime

setup:
	@scripts/venv.sh dev

serve: setup-runtime
	@exec $(BIN)/scheids serve $(ARGS)

test: setup
	@scripts/ensure_redis.sh
	$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

compiled: setup
	$(BIN)/python -m scripts.compiling

test-compiled: compiled
	SCHEIDS_TEST_COMPILED=1 $(BIN)/python -P -m pytest -n $(JOBS) -p no:doctest \
		-o "pythonpath=build/compiled . clients/python/src clients/python/engine" \
		-o "addopts=--import-mode=importlib --strict-markers --strict-config -ra -m 'not bench'" \
		tests/engine tests/cases $(addprefix tests/service/test_codec,.py _faults.py _writers.py) $(ARGS)

soak: setup
	@scripts/ensure_redis.sh
	FAULT_ROUNDS=20 STORE_ROUNDS=20 $(BIN)/python -m pytest tests/service/store tests/service/tables/test_faults.py \
		tests/service/tables/test_races.py -n $(JOBS) $(ARGS)
	ROLLING_ROUNDS=2 FROZEN_SECONDS=60 OVERLOAD_SECONDS=30 PINGS=6 $(BIN)/python -m pytest tests/service/operations -n $(JOBS) -s $(ARGS)

bench: setup
	@scripts/ensure_redis.sh
	@scripts/ensure_h2load.sh
	$(BIN)/python -m tests.bench $(ARGS)

soak-memory: setup
	@scripts/ensure_redis.sh
	@scripts/ensure_h2load.sh
	$(BIN)/python -m tests.bench memory $(ARGS)

bench-details: setup
	@scripts/ensure_redis.sh
	$(BIN)/python -m pytest tests/bench -m bench -s $(ARGS)

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy $(CODE)
	$(BIN)/python scripts/check_engine_imports.py
	$(BIN)/python scripts/lint_imports.py
	$(BIN)/python scripts/dependencies.py --check
	$(BIN)/python scripts/make_catalogues.py --check
	$(BIN)/python -m scripts.settings_page --check
ifneq ($(PROTOS),)
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code
else
	@echo 'buf lint: ******** SKIPPED: there is no .proto file under protos/ ********'
endif
	scripts/proto_breaking.sh

format: setup
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format
ifneq ($(PROTOS),)
	$(BIN)/buf format --write
endif

stubs: setup
	$(BIN)/python scripts/stubs.py
	$(BIN)/python -m scripts.client_python

stubs-check: setup
	$(BIN)/python scripts/stubs.py --check
	$(BIN)/python -m scripts.client_python --check
	$(BIN)/python scripts/client_typescript.py --check

clients-python: setup
	$(BIN)/python -m scripts.client_python

clients-typescript: setup
	@scripts/client_typescript.sh all

clients-typescript-check: setup
	@scripts/client_typescript.sh quick

clients-typescript-stubs: setup
	@scripts/client_typescript.sh stubs

stubs-go stubs-java stubs-kotlin stubs-csharp: setup
	$(BIN)/python scripts/stubs_others.py $(@:stubs-%=%)

stubs-others-check: setup
	$(BIN)/python scripts/stubs_others.py --check

wheels: setup
	PYTHON=$(BIN)/python scripts/wheels.sh

manifests: setup
	@scripts/manifests.sh

image-rootfs: setup
	$(BIN)/python -m pytest tests/deploy/image_rootfs.py -s $(ARGS)

catalogues: setup
	$(BIN)/python scripts/make_catalogues.py

kit: setup
	KIT_DEALS=2000 $(BIN)/python -m pytest tests/engine -n $(JOBS) -k kit $(ARGS)

lock:
	scripts/lock.sh $(ARGS)
	@$(MAKE) --no-print-directory dependencies

settings: setup
	$(BIN)/python -m scripts.settings_page

dependencies: setup
	$(BIN)/python scripts/dependencies.py

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist clients/typescript/dist clients/typescript/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
