//! Any bytes are a capture or an error; every kept exchange adds up.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(explanation) = capture::explain(bytes, &capture::Options::default()) else {
        return;
    };
    for exchange in &explanation.exchanges {
        let outside = match exchange.index {
            0 => exchange.split.phases.of(capture::Phase::ClientThink),
            _ => 0,
        };
        assert_eq!(
            exchange.end_ns - exchange.start_ns,
            exchange.total_ns() + outside
        );
    }
});
