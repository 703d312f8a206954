# Rollcall: one command for each wish. Bare `make` lists them.
SHELL := /bin/bash
export SWIFT_BACKTRACE = enable=no
export ROLLCALL_CAPTURES ?= $(abspath ../shared/captures)

SWIFT ?= swift
RUN   ?= .build/release/rollcall
# SwiftPM gives the traits to the compiler in the order of a Set: in another order everything is built anew.
BUILD = env $(shell cat Tools/build-env) $(SWIFT) build
PREFIX ?= /usr/local
# Debug builds, all with the same flags: others would build everything anew. Nobody reads their debug information, and
# without it they take a quarter less; nor their index, which SwiftPM does not need either (Tests/XCTMain.swift).
DEBUG = $(shell cat Tools/debug-flags)
# Release builds of the program and of the benchmarks, with the same flags. Without debug information they take a fifth
# less, and a crash is told with the names of functions, without files and lines.
RELEASE = $(shell cat Tools/release-flags)
MUTANTS = Tools/Mutants/Package.swift Tools/Mutants/Sources Tools/Mutants/Tests

.DEFAULT_GOAL := help
.PHONY: help deps install uninstall man catalogues install-check stories run test sealing example live-test live-check pictures check machines-check engines prove format lint scenarios seeds determinism shrinks reproduce captures mutants mutants-check bench fuzz fuzz-smoke asan tsan cov cov-readers docs clean tool

help: ## list the targets
	@echo "Rollcall: device discovery, put to the test"; echo
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-12s %s\n", $$1, $$2 }'

deps: # the system packages that the build needs; nothing to do when they are there
	@Tools/install-dependencies.sh

tool: deps
	@echo "Building rollcall (release) ..."
	@$(BUILD) $(RELEASE) --product rollcall $(QUIET)

install: tool ## rollcall, its manual page and completions below PREFIX (/usr/local); DESTDIR stands in front of it
	@RUN="$(RUN)" Tools/install.sh install "$(DESTDIR)$(PREFIX)"

uninstall: ## take away what install put there
	@Tools/install.sh uninstall "$(DESTDIR)$(PREFIX)"

man: tool ## the manual page from the help of the commands: docs/rollcall.1
	@Tools/man-page.py "$(RUN)" >docs/rollcall.1.new && mv docs/rollcall.1.new docs/rollcall.1

catalogues: tool ## the pages of clauses and quirks in the documentation, from what the program says of them
	@Tools/catalogues.py "$(RUN)"

install-check: tool # install and uninstall in a folder of their own; the manual page and the catalogues are what the program says
	@RUN="$(RUN)" Tools/install.sh check
	@Tools/catalogues.py "$(RUN)" --check

stories: tool ## the stories of docs/stories, each in an empty folder: their files, commands, output and exit codes
	@RUN="$(RUN)" Tools/stories.sh

run: tool ## virtual networks and captures drive the engine: a verdict for each
	@$(RUN) run Scenarios
	@echo
	@$(RUN) replay Captures

test: deps ## the fast suite
	@SWIFT="$(SWIFT)" Tools/test.sh

sealing: deps ## the tests of the cryptography of sessions, with swift-crypto and swift-certificates
	@ROLLCALL_ONLY=SealingTests env $(shell cat Tools/build-env) $(SWIFT) test $(DEBUG) --disable-xctest --enable-swift-testing

example: deps ## the packages in Examples, each as its user builds it, and what packages of one product resolve
	@Tools/example.sh

live-test: deps ## rollcall against real programs, in network namespaces of its own (needs root)
	@$(BUILD) $(DEBUG) --product rollcall $(QUIET)
	@$(BUILD) $(DEBUG) --product rollcall-phone-sample $(QUIET)
	@Tools/live-test.sh

live-check: deps # the scenes that CI has time for; where there is no root or no namespace it says that they are skipped
	@$(BUILD) $(DEBUG) --product rollcall $(QUIET)
	@$(BUILD) $(DEBUG) --product rollcall-phone-sample $(QUIET)
	@Tools/live-test.sh short || [ $$? = 77 ]

pictures: deps ## pages that --html writes, opened and driven in headless Chromium; says so where there is none
	@Tools/install-dependencies.sh chromium fonts-dejavu-core || true
	@$(BUILD) $(DEBUG) --product rollcall $(QUIET)
	@Tools/pictures.sh || [ $$? = 77 ]

machines-check: # the files for other engines: their schemas, and what they hand over; says so where PyPI is not there
	@Tools/machines-check.sh

engines: tool ## engines that are no part of Rollcall against the scenarios; each fails what is known, else it is red (RECORD=1)
	@RUN="$(RUN)" Tools/engines.sh

check: format-check lint sealing determinism install-check stories machines-check example engines live-check pictures test ## what CI runs
	@echo "check: everything passed"

format: ## format the sources
	@$(SWIFT) format -i -r -p --configuration .swift-format Package.swift Plugins Sources Tests Examples $(MUTANTS)

format-check:
	@$(SWIFT) format lint -s -r -p --configuration .swift-format Package.swift Plugins Sources Tests Examples $(MUTANTS)

lint: ## what must not be in a pure room, nor above the platforms of Package.swift; the benchmarks have to build
	@Tools/lint-symbols.sh
	@Tools/lint-platforms.py
	@ROLLCALL_ONLY=bench $(BUILD) $(DEBUG) --product rollcall-bench $(QUIET)

scenarios: tool ## run every scenario, each also with the fault that it must bite
	@$(RUN) run Scenarios
	@$(RUN) run Scenarios --bites

seeds: tool ## run every scenario under the seeds 1..COUNT (200)
	@RUN="$(RUN)" Tools/seeds.sh $(COUNT)

determinism: tool ## equal digests in two processes, debug and release, with and without FMA; seeds 1..200 hold
	@Tools/determinism.sh

shrinks: tool ## the smallest scenario for every fault of the engine, and the table of them
	@$(RUN) shrink Scenarios/ssdp Scenarios/descriptions Scenarios/bluetooth Scenarios/mdns Scenarios/manager --check -o Tests/HarnessTests/Shrinks

# One of them is damaged on purpose.
BLUETOOTH_CAPTURES = $(filter-out %/fuzz-ble-rf.pcap,$(wildcard $(addprefix $(ROLLCALL_CAPTURES)/ble/*.,pcap pcapng)))

reproduce: tool ## every capture as a scenario: the share that says the same, report for report
	@$(RUN) reproduce Captures $(wildcard $(addprefix $(ROLLCALL_CAPTURES)/,ssdp mdns)) $(BLUETOOTH_CAPTURES) --check

captures: deps ## record the project's own captures anew from real programs (needs root and namespaces)
	@Tools/record-captures.sh

mutants: deps ## small changes to the sources, one at a time: does a test notice? OPTIONS='--room Discovery --open'
	@Tools/mutants.sh $(OPTIONS)

mutants-check: deps # a sample of what tests were seen to notice; `make prove` runs all of them
	@Tools/mutants.sh check

prove: deps ## the long proofs by number, scenarios under 10 000 seeds; commit the table that they write
	@Tools/prove.sh

bench: deps ## the figures, as ratios to named anchors within one run
	@ROLLCALL_ONLY=bench $(BUILD) $(RELEASE) --product rollcall-bench $(QUIET)
	@.build/release/rollcall-bench

fuzz-smoke: deps ## a few seconds of libFuzzer for each target; the canary has to fail
	@Tools/fuzz-smoke.sh

fuzz: deps ## libFuzzer on one target: TARGET=name SECONDS=60
	@Tools/fuzz.sh "$(TARGET)" "$(if $(SECONDS),$(SECONDS),60)"

asan: deps ## the tests of the rooms that touch memory, under the address sanitizer
	@Tools/sanitize.sh address

tsan: deps ## the same under the thread sanitizer
	@Tools/sanitize.sh thread

cov: deps ## all tests with coverage; the readers have to reach 95 %
	@Tools/coverage.sh

cov-readers: deps ## the same for the readers alone
	@Tools/coverage.sh readers

docs: deps ## the site of the modules that packages use, in out/docs; looked at in headless Chromium where there is one
	@$(BUILD) $(DEBUG) $(QUIET)
	@Tools/catalogues.py .build/debug/rollcall --check
	@Tools/docs.sh
	@Tools/docs-check.sh || [ $$? = 77 ]

clean: ## remove what was built
	rm -rf .build .build-* out
