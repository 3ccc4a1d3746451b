//! RUs that fill their frames.

use std::collections::{HashMap, HashSet};

use super::coded::CodedSetting;
use super::rings::{NcpRing, rings};
use super::stations::ALL;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{self, Mode, Ru, SessionProduct, bulk, modes};
use crate::sna::ru;
use crate::sna::session::{HEADERS, SUBAREA_HEADERS};
use crate::sna::source::GENERAL;

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.ru.frames",
    summary: "An RU larger than a frame leaves its last frame mostly empty.",
    why: "An RU is cut into frames. Make it one frame, or a multiple of what a frame holds: the \
          frame less 9 bytes of headers in APPN networks, less 29 between subareas. Otherwise every \
          RU ends with a small frame, and small frames cost as much as large ones. The AS/400 \
          calculates this itself with *CALC.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[GENERAL],
    check: &check,
};

/// The part of the frames of an RU that data should fill, in percent.
const FILLED: u64 = 90;

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let frames = StationFrames::of(documents);
    let headers = frames.headers;
    for mode in modes(documents).iter().filter(|m| bulk(&m.name)) {
        let Ru::Bytes(bytes) = mode.ru else { continue };
        // The AS/400 calculates its own size; Networking Services/DOS has one
        // frame. Where a product's own rule asks for another size, it is not
        // for this one to name a third.
        let settled = match mode.product {
            SessionProduct::As400 | SessionProduct::NsDos => continue,
            SessionProduct::SnaServices => bytes == super::aix_ru::MOST,
            SessionProduct::Cm2 => super::cm2_ru::SIZES.contains(&bytes),
        };
        let Some(frame) = frames.of_product(mode.product) else {
            continue;
        };
        let payload = frame.saturating_sub(headers);
        if payload == 0 || fits(bytes, frame, payload) {
            continue;
        }
        let pieces = bytes.div_ceil(payload);
        let value = format!(
            "RU {bytes} is cut into {pieces} pieces of up to {payload} bytes for frames of {frame}; the last has {}",
            bytes - (pieces - 1) * payload
        );
        let mut finding = TuningFinding::at(&RULE, coded(mode).place(), value);
        if !settled {
            finding = finding.needs(match mode.product {
                SessionProduct::Cm2 => "another size, see sna.cm2.ru",
                _ => "another size, see sna.aix.ru",
            });
        } else if let Some(better) = better(bytes, payload) {
            finding = finding
                .code(coded(mode).line(&better.to_string()))
                .needs(format!("frames of {frame} bytes, headers of {headers}"));
        }
        if frames.raised.contains(&frame) {
            finding = finding.needs(format!("MAXTSL={frame}, see sna.ncp.maxtsl"));
        }
        out.push(finding);
    }
}

/// The operand that names the size.
fn coded<'a>(mode: &Mode<'a>) -> CodedSetting<'a> {
    let operand = mode.ru_operand;
    CodedSetting {
        document: mode.document,
        statement: mode.statement,
        operand,
        name: operand.map_or("RU", |o| o.name.as_str()),
    }
}

/// The frames of all stations after the advice for the rings of NCP, worked
/// out once for all modes.
pub(super) struct StationFrames {
    /// Frame sizes in products' own definitions.
    own: HashMap<SessionProduct, Option<u32>>,
    /// Frame sizes of the rings of stations, each once.
    rings: Vec<u32>,
    /// Frame sizes that rings have only after the advice.
    raised: HashSet<u32>,
    /// The bytes before an RU in a frame.
    headers: u32,
}

impl StationFrames {
    pub(super) fn of(documents: &DocumentSet) -> Self {
        let link = |p| (p, model::link(documents, p).frame);
        let rings = rings(documents);
        let stations = || rings.iter().filter(|r| !r.subarea());
        let raised = stations().filter(|r| r.maxtsl() != Some(r.frame()));
        let mut frames: Vec<_> = stations().map(NcpRing::frame).collect();
        frames.sort_unstable();
        frames.dedup();
        StationFrames {
            own: ALL.map(link).into(),
            raised: raised.map(NcpRing::frame).collect(),
            rings: frames,
            headers: if model::has_host(documents) {
                SUBAREA_HEADERS
            } else {
                HEADERS
            },
        }
    }

    /// The frames of a product's stations. If those of the rings differ, the
    /// station's ring is unknown.
    pub(super) fn of_product(&self, product: SessionProduct) -> Option<u32> {
        let own = self.own.get(&product).copied().flatten();
        match self.rings[..] {
            [] => own,
            [ncp] => Some(own.map_or(ncp, |own| own.min(ncp))),
            _ => own.filter(|own| self.rings.iter().all(|ncp| own <= ncp)),
        }
    }

    /// The size in place of one that leaves the last of its frames mostly
    /// empty; the size itself where it does not, or where frames are not
    /// known.
    pub(super) fn fitted(&self, product: SessionProduct, bytes: u32) -> u32 {
        let Some(frame) = self.of_product(product) else {
            return bytes;
        };
        let payload = frame.saturating_sub(self.headers);
        if payload == 0 || fits(bytes, frame, payload) {
            bytes
        } else {
            better(bytes, payload).unwrap_or(bytes)
        }
    }
}

/// Whether an RU is one frame or fills its frames completely. One frame is compared
/// with the size without subarea headers, which are added after the station's link.
fn fits(bytes: u32, frame: u32, payload: u32) -> bool {
    bytes <= frame.saturating_sub(HEADERS) || fills(bytes, payload)
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
