# `make demo` shows the main job, `make test` passes the tests, `make check` runs what else
# a change must pass. Each installs what is missing first (scripts/setup) and says what it does.

.PHONY: demo test check build clean

demo: ## Serve examples/bank, send it some requests, stay up until Ctrl-C (ONCE=1: stop after them, PORT=8080: another port)
	@PORT=$(PORT) scripts/demo ports
	@scripts/setup demo
	@scripts/with-cargo cargo build --profile demo --locked --bin tupelo
	@ONCE=$(ONCE) PORT=$(PORT) scripts/demo

test: ## House rules, format and all tests
	@scripts/setup test
	@scripts/with-cargo cargo xtask ci --only tests

check: ## Licences, lints, fuzz targets, the simulation and brief crash tests
	@scripts/setup test
	@scripts/with-cargo cargo xtask ci --only checks

build: ## The release binary: target/release/tupelo
	@scripts/setup demo
	@scripts/with-cargo cargo build --release --locked --bin tupelo

clean:
	rm -rf target .tupelo
