//! Any text is a filter of a recording or of an explanation, or an error, and
//! any frame is kept or not, never a panic.
#![no_main]

use lab::record::PacketFilter;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (text, frame) = input;
    let _ = capture::ConnectionFilter::parse(text);
    let filter = PacketFilter::parse(text).or_else(|_| PacketFilter::parse("host 1.2.3.4 and port 5"));
    if let Ok(filter) = filter {
        let _ = filter.keeps(frame, true);
        let _ = filter.keeps(frame, false);
    }
});
