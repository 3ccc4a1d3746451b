//! Any text as a SOAP message and as a pipeline's configuration.

#![no_main]

use libfuzzer_sys::fuzz_target;
use soap::xml::Limits;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(envelope) = soap::Envelope::parse(text, Limits::default()) {
        let _ = soap::Fault::parse(&envelope);
    }
    let _ = soap::pipeline::Config::parse(text);
});
