//! Any bytes from a server, in any pieces, are an answer or an error; what is
//! complete in one piece is complete in two.
#![no_main]

use drive::http1::{FeedResult, Response};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, &[u8])| {
    let (cut, bytes) = input;
    let mut whole = Response::default();
    whole.start(false, true);
    let first = whole.feed(bytes);
    let cut = usize::from(cut) % (bytes.len() + 1);
    let mut parts = Response::default();
    parts.start(false, true);
    let head = parts.feed(&bytes[..cut]);
    if let (Ok(FeedResult::Done(_)), Ok(FeedResult::More)) = (&first, &head) {
        assert!(matches!(parts.feed(&bytes[cut..]), Ok(FeedResult::Done(_))));
        assert_eq!(whole.body(), parts.body());
    }
});
