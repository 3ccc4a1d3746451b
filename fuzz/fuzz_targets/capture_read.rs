//! Any bytes are a capture or an error; every kept exchange adds up.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(explanation) = capture::explain(bytes, &capture::AnalysisOptions::default()) else {
        return;
    };
    for exchange in &explanation.exchanges {
        assert!(exchange.total_ns() <= exchange.end_ns - exchange.start_ns);
    }
});
