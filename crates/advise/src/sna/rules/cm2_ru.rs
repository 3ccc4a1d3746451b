//! The RU size of Communications Manager/2.

use super::coded::CodedSetting;
use super::ru_frames::StationFrames;
use super::stations;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::sna::model::{Ru, SessionProduct, bulk, modes};
use crate::sna::source::{CM2, FIGURES_6_7, FIGURES_9_10};

/// The text's size, the largest there is.
const TEXT: u32 = 16_384;
/// The measured best of figure 9.
const MEASURED: u32 = 7168;
/// Both.
pub(super) const SIZES: [u32; 2] = [TEXT, MEASURED];

pub(super) static RULE: TuningRule = TuningRule {
    name: "sna.cm2.ru",
    summary: "A mode of Communications Manager/2 for bulk data has neither RUs of 16,384 bytes nor the 7,168 that measured best.",
    why: "The default RU is exactly one frame; larger RUs make bulk data cheaper even where they are \
          cut into frames. The guide's text says 16,384, its figure 9 measured 7,168 as best, with \
          the remark that OS/2 improves with the RU size only to a point, and its table of tuned \
          values leaves the field blank. Measure both.",
    severity: FindingSeverity::Advice,
    effect: Some(
        "paper 004 names RU size and link window for OS/2 to VTAM: 1,000,000 bytes in 6.4 s before, 5.1 s after",
    ),
    sources: &[CM2, FIGURES_6_7, FIGURES_9_10],
    check: &check,
};

fn check(documents: &DocumentSet, out: &mut Vec<TuningFinding>) {
    let frames = StationFrames::of(documents);
    for mode in modes(documents) {
        if mode.product != SessionProduct::Cm2 || !bulk(&mode.name) {
            continue;
        }
        // The values by sna.ru.frames are good as well.
        let good = |size: u32| {
            mode.ru == Ru::Bytes(size) || mode.ru == Ru::Bytes(frames.fitted(mode.product, size))
        };
        if SIZES.into_iter().any(good) {
            continue;
        }
        let coded = CodedSetting::on(
            mode.document,
            mode.statement,
            &["MAX_RU_SIZE_UPPER_BOUND", "DEFAULT_RU_SIZE"],
        );
        let line = |bytes: u32, remark: &str| {
            let text = coded.with(&format!(
                "DEFAULT_RU_SIZE(NO) MAX_RU_SIZE_UPPER_BOUND({bytes})"
            ));
            format!("{text}   // {remark}")
        };
        let mut lines = [
            line(TEXT, "the guide's text"),
            line(
                MEASURED,
                "figure 9: best measured for files; 1024 for inquiries alone",
            ),
        ];
        if stations::os2_and_dos(documents) {
            lines.reverse();
        }
        let finding = coded.finding(&RULE).code(lines.join("\n"));
        // A size that is coded may have been chosen for its frames.
        let frame = match mode.ru {
            Ru::Bytes(_) => frames.of_product(mode.product),
            _ => None,
        };
        out.push(finding.needs(match frame {
            Some(frame) => format!("frames of {frame} bytes that it fills, see sna.ru.frames"),
            None => "frames that it fills, see sna.ru.frames".to_owned(),
        }));
    }
}
