//! RUs that fill their frames.

use super::coded::Coded;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::model::{self, Mode, Product, Ru, bulk, modes};
use crate::sna::ru;
use crate::sna::session::{HEADERS, SUBAREA_HEADERS};
use crate::sna::source::GENERAL;

pub(super) static RULE: Rule = Rule {
    name: "sna.ru.frames",
    summary: "An RU larger than a frame leaves its last frame mostly empty.",
    why: "An RU is cut into frames. Make it one frame, or a multiple of what a frame holds: the \
          frame less 9 bytes of headers in APPN networks, less 29 between subareas. Otherwise every \
          RU ends with a small frame, and small frames cost as much as large ones. The AS/400 \
          calculates this itself with *CALC.",
    severity: Severity::Note,
    effect: None,
    sources: &[GENERAL],
    check,
};

/// The part of the frames of an RU that data should fill, in percent.
const FILLED: u64 = 90;

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    let subarea = model::has_host(documents);
    let headers = if subarea { SUBAREA_HEADERS } else { HEADERS };
    // The AS/400 calculates its own size; sna.as400.ru says so.
    let ours = |m: &&Mode<'_>| bulk(&m.name) && m.product != Product::As400;
    for mode in modes(documents).iter().filter(ours) {
        let Ru::Bytes(bytes) = mode.ru else { continue };
        let Some(frame) = frame_of(documents, mode) else {
            continue;
        };
        let payload = frame.saturating_sub(headers);
        // One frame is held against what fits without the headers of
        // subareas: those are added behind the station's link.
        if payload == 0 || bytes <= frame.saturating_sub(HEADERS) || fills(bytes, payload) {
            continue;
        }
        let frames = bytes.div_ceil(payload);
        let value = format!(
            "RU {bytes} is cut into {frames} pieces of up to {payload} bytes for frames of {frame}; the last has {}",
            bytes - (frames - 1) * payload
        );
        let mut finding = Finding::at(&RULE, coded(mode).place(), value);
        if let Some(better) = better(bytes, payload) {
            finding = finding
                .code(coded(mode).line(&better.to_string()))
                .needs(format!("frames of {frame} bytes, headers of {headers}"));
        }
        out.push(finding);
    }
}

/// The operand that names the size.
fn coded<'a>(mode: &Mode<'a>) -> Coded<'a> {
    let operand = mode.ru_operand;
    Coded {
        document: mode.document,
        statement: mode.statement,
        operand,
        name: operand.map_or("RU", |o| o.name.as_str()),
    }
}

fn frame_of(documents: &Documents, mode: &Mode<'_>) -> Option<u32> {
    let own = model::link(documents, mode.product).frame;
    let ncp = model::ncp_frame(documents);
    own.into_iter().chain(ncp).min()
}

fn fills(bytes: u32, payload: u32) -> bool {
    let room = u64::from(bytes.div_ceil(payload)) * u64::from(payload);
    u64::from(bytes) * 100 >= room * FILLED
}

/// The largest size that a BIND can name, not above this one, that fills its
/// frames.
fn better(bytes: u32, payload: u32) -> Option<u32> {
    let mut size = ru::floor(bytes);
    while size > payload {
        if fills(size, payload) {
            return Some(size);
        }
        size = ru::floor(size - 1);
    }
    Some(ru::floor(payload)).filter(|s| *s > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_fill_their_frames_and_a_small_rest_does_not() {
        assert!(fills(3991 * 4, 3991));
        assert!(!fills(16_384, 3991));
        assert_eq!(better(16_384, 3991), Some(15_360));
        assert_eq!(better(100, 200), Some(192));
    }
}
