//! Any bytes can be read as the messages of a distributed program link; what is
//! one has the length that it was read from.
#![no_main]

use libfuzzer_sys::fuzz_target;
use link::program_link::{LinkReply, Request};

fuzz_target!(|data: (u8, &[u8])| {
    let (form, bytes) = data;
    let message = [&b"TXDL"[..], &[form & 3], bytes].concat();
    if let Some(request) = Request::parse(&message) {
        assert_eq!(request.emit().len(), message.len());
    }
    if let Some(reply) = LinkReply::parse(&message) {
        assert_eq!(reply.emit().len(), message.len());
    }
});
