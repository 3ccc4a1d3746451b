//! W3C trace context: which trace a request belongs to.
//!
//! Reference: W3C Trace Context, "traceparent Header Field Values".

use base::SeededRandom;
use http::HeaderName;
use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};

/// The header that names it.
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace of a request, and the span that it is part of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TraceContext {
    /// The trace, not all zeros.
    pub trace_id: [u8; 16],
    /// The caller's span, not all zeros.
    pub parent: [u8; 8],
    /// The caller records the trace.
    pub sampled: bool,
}

impl TraceContext {
    /// Reads `version-traceid-parentid-flags`.
    pub fn parse(text: &[u8]) -> Option<TraceContext> {
        let (head, rest) = text.split_at_checked(55)?;
        let dashes = [2, 35, 52].iter().all(|at| head[*at] == b'-');
        let [version] = hex::<1>(&head[..2])?;
        // Later versions may have more after a dash.
        let ends = match version {
            0 => rest.is_empty(),
            0xFF => false,
            _ => rest.first().is_none_or(|b| *b == b'-'),
        };
        let context = TraceContext {
            trace_id: hex(&head[3..35])?,
            parent: hex(&head[36..52])?,
            sampled: hex::<1>(&head[53..])?[0] & 1 == 1,
        };
        let valid = context.trace_id != [0; 16] && context.parent != [0; 8];
        (dashes && ends && valid).then_some(context)
    }
}

/// Lower-case hexadecimal digits.
fn hex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let digit = |b: u8| match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

/// Bytes as hexadecimal digits.
pub(crate) fn shown(bytes: &[u8]) -> String {
    base::hex::lower(bytes)
}

/// A number that was not used before, for identifiers of spans; not for
/// secrets.
pub(crate) fn random() -> u64 {
    thread_local! {
        static RANDOM: RefCell<SeededRandom> =
            RefCell::new(SeededRandom::new(RandomState::new().hash_one(0)));
    }
    RANDOM.with_borrow_mut(SeededRandom::next_u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_traceparent_names_trace_span_and_whether_it_is_recorded() {
        let context = TraceContext::parse(VALID.as_bytes()).unwrap();
        assert_eq!(shown(&context.trace_id), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(shown(&context.parent), "b7ad6b7169203331");
        assert!(context.sampled);
        let later = format!("cc{}-what-the-future-brings", &VALID[2..]);
        assert!(TraceContext::parse(later.as_bytes()).is_some());
    }

    #[test]
    fn what_is_not_one_is_no_context() {
        for wrong in [
            "",
            "00",
            &VALID[..54],
            &format!("{VALID}-more"),
            &VALID.replace("00-", "ff-"),
            &VALID.to_uppercase(),
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert_eq!(TraceContext::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn no_two_identifiers_are_alike() {
        let mut all: Vec<u64> = (0..10_000).map(|_| random()).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 10_000);
    }

    proptest::proptest! {
        #[test]
        fn no_header_panics(text in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80)) {
            let _ = TraceContext::parse(&text);
        }
    }
}
