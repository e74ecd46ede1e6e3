# One verb each. `make demo` and `make test` need nothing but a Swift toolchain and a package
# manager: they install the rest, ask nothing and end by themselves.
.PHONY: help setup demo test bench bench-calls edits corpus kills wasi-suite tsan fuzz mutate format lint check-apple sdk-size start-cost generate clean edits-views fuzz-views bench-views

help:            ## Lists the verbs
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:           ## Installs the system libraries and test tools that are missing
	@Scripts/setup.sh test

demo:            ## The whole loop on this machine: build, release, update, corrupt, roll back (KEEP=1 leaves it up)
	@Scripts/setup.sh build
	@Scripts/demo.sh

test: setup      ## Builds everything, runs every test, refuses warnings, checks format and Apple code
	@Scripts/test.sh

bench:           ## Ratios against other engines, interleaved (ENGINES=… adds some)
	@Scripts/setup.sh build
	@Benchmarks/run.sh

bench-calls:     ## What routed functions cost: calls, the time of a build, module sizes
	@Scripts/setup.sh build
	@Benchmarks/calls.sh

edits: setup     ## Ships each edit of Tests/Edits and ten random mutations to the running example shop
	@OPENPATCH_EDITS=all swift test --filter EditTests

edits-views: setup ## Ships each edit of Tests/Edits/Screens and ten random mutations to the shop's screens
	@OPENPATCH_EDITS=all swift test --filter ViewLoopTests

fuzz-views: setup ## Random events on the example views, native against patched (ROUNDS=20 scripts each)
	@OPENPATCH_VIEW_ROUNDS=$${ROUNDS:-20} swift test --filter DifferentialTests

bench-views: setup ## What a screen costs: size, drawing, an event, memory
	@swift build -c release --product patchcli
	@for file in Counter Todos Settings Shop LongList; do echo "== $$file"; \
		.build/release/patchcli preview Examples/Views/$$file.swift --measure 10000 || exit 1; done

corpus: setup    ## Functions of another package as modules against native: DIR=<its checkout>
	@OPENPATCH_CORPUS="$(DIR)" swift test --filter CorpusTests

.PHONY: bench-server fuzz-api
bench-server:    ## patchd beside nginx over the same files, telemetry, and how cost grows (ARGS=--quick)
	@Scripts/setup.sh test
	@Scripts/bench-server.sh $(ARGS)

fuzz-api: setup  ## schemathesis against the OpenAPI document, EXAMPLES (50) for each operation
	@OPENPATCH_API_EXAMPLES=$(or $(EXAMPLES),50) OPENPATCH_SEED=$${OPENPATCH_SEED:-$$(date +%s)} \
		swift test --filter SchemaTests

kills:           ## Ends real processes with SIGKILL at random points of their lives (KILLS=1000)
	@Scripts/setup.sh test
	@Scripts/kills.sh $(or $(KILLS),1000)

wasi-suite:      ## The public wasi-testsuite against its list (SUITE=checkout of prod/testsuite-base)
	@Scripts/wasi-suite.sh

tsan:            ## The tests that share modules among threads and tasks, under ThreadSanitizer
	@Scripts/tsan.sh

fuzz: setup      ## Attacks the engine with modules made from a seed, under sanitizers (MINUTES=30 each)
	@Scripts/fuzz.sh

mutate: setup    ## Takes each of the engine's handlers away: a test must notice (HANDLER=… tries one)
	@Scripts/mutate.sh

format:          ## Formats all Swift sources
	@swift-format format -i -p -r Package.swift Sources Tests Examples Stubs

lint:            ## Fails on a file that `make format` would change or a rule forbids
	@swift-format lint -s -p -r Package.swift Sources Tests Examples Stubs

.PHONY: tuf-conformance fuzz-metadata
tuf-conformance: ## The public TUF conformance suite against patchcli tuf (SUITE=<its checkout>)
	@Scripts/setup.sh build
	@Scripts/tuf-conformance.sh "$(SUITE)"

fuzz-metadata:   ## Damages every metadata document for SECONDS (300); OPENPATCH_SEED replays
	@Scripts/fuzz-metadata.sh $(SECONDS)

.PHONY: bench-web test-webkitgtk demo-web
bench-web:       ## Web bundles against plain files: pack, open, nginx, file:// (ONLY=serve PAIRS=15)
	@Scripts/setup.sh test
	@Scripts/bench-web.sh

test-webkitgtk:  ## Web bundles in a real WebKit (installs WebKitGTK, half a gigabyte)
	@Scripts/setup.sh test
	@Scripts/test-webkitgtk.sh

demo-web:        ## A desktop app that shows a web bundle and follows signed releases, with pictures
	@Scripts/setup.sh test
	@Scripts/demo-web.sh

check-apple:     ## Type-checks the Apple-only code against our own stubs (compiles, never runs)
	@Scripts/check-apple.sh

sdk-size:        ## What PatchSDK adds to a stripped release binary, in bytes (builds an app twice)
	@Scripts/setup.sh build
	@Scripts/sdk-size.sh --sections

start-cost:      ## What a start from the cache takes beyond the app's own, in milliseconds (RUNS=101)
	@Scripts/setup.sh build
	@Scripts/start-cost.sh $(or $(RUNS),101)

.PHONY: simulate
simulate:        ## 458 rollouts over 100,000 devices each, through the real gates, against the promised table (SEED=1)
	@Scripts/setup.sh build
	@Scripts/simulate.sh --table --seed $(or $(SEED),1)

generate:        ## Regenerates what is generated and committed (opcodes, reasons, views)
	@Scripts/generate.sh

clean:           ## Removes everything that was built
	rm -rf .build
