//! The messages of a receiver's connection, and what its program leaves as an
//! answer: the same messages however the bytes are cut, never more than the
//! limit, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sockets::{MessageArea, FrameStart, Frame, FrameFormat};

fuzz_target!(|bytes: &[u8]| {
    let Some((&[kind, cut, max], bytes)) = bytes.split_first_chunk() else {
        return;
    };
    let frame = match kind % 5 {
        0..=2 => Frame::Length {
            bytes: 1 << (kind % 5),
            inclusive: kind & 0x40 != 0,
            little: kind & 0x80 != 0,
        },
        3 => Frame::Delimiter(match kind & 0x80 {
            0 => b"\n"[..].into(),
            _ => b"aba"[..].into(),
        }),
        _ => Frame::Fixed {
            bytes: usize::from(max) + 1,
            pad: b' ',
        },
    };
    let framing = FrameFormat {
        frame,
        max_bytes: usize::from(max) + 1,
    };
    let whole = messages(&framing, &[bytes], false);
    let (first, second) = bytes.split_at(usize::from(cut).min(bytes.len()));
    let split = messages(&framing, &[first, second], false);
    assert_eq!(whole, split);
    // As a connection reads them: without the empty ones between delimiters.
    let mut said = whole;
    if framing.is_delimited() {
        said.0.retain(|message| !message.is_empty());
    }
    assert_eq!(said, messages(&framing, &[first, second], true));
    for trim in [false, true] {
        for length in [0, 2, 4] {
            let area = MessageArea::Commarea {
                bytes: 0,
                length,
                trim,
            };
            let _ = area.answer(bytes);
        }
    }
});

/// The messages of a stream in pieces, up to the first mistake; and whether
/// there is one.
fn messages(framing: &FrameFormat, pieces: &[&[u8]], passes_over: bool) -> (Vec<Vec<u8>>, bool) {
    let (mut buffer, mut found, mut searched) = (Vec::new(), Vec::new(), 0);
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            if passes_over {
                let empty = framing.empty(&buffer);
                buffer.drain(..empty);
            }
            match framing.first(&buffer, searched) {
                Ok(FrameStart::Message { data, next }) => {
                    assert!(data.len() <= framing.max_bytes);
                    found.push(buffer[data].to_vec());
                    buffer.drain(..next);
                    searched = 0;
                }
                Ok(FrameStart::More {
                    searched: seen,
                    needed,
                }) => {
                    assert!(needed > buffer.len());
                    searched = seen;
                    break;
                }
                Err(_) => return (found, true),
            }
        }
    }
    (found, false)
}
