# Two targets: `make demo` shows the main job, `make test` passes the tests.
# Both install what is missing first (scripts/setup) and say what they do.

.PHONY: demo test build clean

demo: ## Serve examples/bank, send it some requests, stay up until Ctrl-C (ONCE=1: stop after them, PORT=8080: another port)
	@PORT=$(PORT) scripts/demo ports
	@scripts/setup demo
	@scripts/with-cargo cargo build --profile demo --locked --bin tupelo
	@ONCE=$(ONCE) PORT=$(PORT) scripts/demo

test: ## Format, lints and all tests
	@scripts/setup test
	@scripts/with-cargo cargo xtask ci

build: ## The release binary: target/release/tupelo
	@scripts/setup demo
	@scripts/with-cargo cargo build --release --locked --bin tupelo

clean:
	rm -rf target .tupelo
