//! Any bytes are a histogram log, metrics, or a framed message, or an error;
//! a message that is complete in one piece is complete in two.
#![no_main]

use drive::message::{Frame, MessageFraming};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, u16, &[u8])| {
    let (kind, cut, bytes) = input;
    let _ = drive::merge::merge(&[("log".to_owned(), bytes.to_vec())]);
    let _ = drive::scrape::parse_metrics(&String::from_utf8_lossy(bytes));
    let framing = match kind % 8 {
        0 => MessageFraming::Length {
            bytes: 1,
            inclusive: false,
        },
        1 => MessageFraming::Length {
            bytes: 2,
            inclusive: true,
        },
        2 => MessageFraming::Length {
            bytes: 4,
            inclusive: false,
        },
        3 => MessageFraming::Length {
            bytes: 8,
            inclusive: true,
        },
        4 => MessageFraming::Delimiter((*b"\r\n").into()),
        5 => MessageFraming::Delimiter((*b"aab").into()),
        6 => MessageFraming::Fixed(1 + usize::from(cut % 64)),
        _ => MessageFraming::Close,
    };
    let mut whole = Frame::default();
    whole.start();
    let first = whole.feed(&framing, bytes);
    let cut = usize::from(cut) % (bytes.len() + 1);
    let mut parts = Frame::default();
    parts.start();
    let head = parts.feed(&framing, &bytes[..cut]);
    if let (Ok(Some(used)), Ok(None)) = (first, head) {
        assert_eq!(parts.feed(&framing, &bytes[cut..]), Ok(Some(used - cut)));
        assert_eq!(whole.bytes(), parts.bytes());
    }
});
