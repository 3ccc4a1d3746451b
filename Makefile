# `make demo` shows the main job, `make test` passes the tests, `make check` runs what else
# a change must pass. Each installs what is missing first (scripts/setup) and says what it does.

.PHONY: demo test check build clean

demo: ## Serve examples/bank, send it some requests, stay up until Ctrl-C (ONCE=1: stop after them, PORT=8080: another port)
	@PORT=$(PORT) scripts/demo ports
	@scripts/setup demo
	@scripts/with-cargo cargo build --profile demo --locked --bin tupelo
	@ONCE=$(ONCE) PORT=$(PORT) scripts/demo

# The tasks of developers (xtask) are built as the tests are, so nothing is compiled twice. The example
# is named because only with one, or with tests, dependencies have the features that tests need.
test: ## House rules, format and all tests
	@scripts/setup test
	@CARGO_INCREMENTAL=0 scripts/with-cargo cargo build --quiet --workspace --bin xtask --example replay_trace
	@scripts/with-cargo $${CARGO_TARGET_DIR:-target}/debug/xtask ci --only tests

check: ## Licences, lints, fuzz targets, the simulation and brief crash tests
	@scripts/setup test
	@scripts/with-cargo cargo xtask ci --only checks

build: ## The release binary: target/release/tupelo
	@scripts/setup demo
	@scripts/with-cargo cargo build --release --locked --bin tupelo

clean:
	rm -rf target .tupelo
