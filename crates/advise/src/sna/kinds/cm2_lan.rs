//! The LAN side of Communications Manager/2: the profile of its LAN data link
//! control, and the adapter's section of PROTOCOL.INI.
//!
//! The profile is a binary .CFG file. Its settings are read from a response file or
//! from notes of the panel: `KEY = VALUE` lines under `DLC_PROFILE = (` or
//! `[LAN_DLC]`. Keys are compared without underscores and blanks. Sections of
//! PROTOCOL.INI are in brackets.
//!
//! Reference: the panel "Token ring or other LAN types DLC adapter
//! parameters"; NIF files of the token-ring adapters (RECVBUFSIZE).

use super::parsed;
use crate::document::{LineColumn, ParsedText};
use crate::kind::{DocumentKind, lines_beginning};
use crate::sna::syntax::lines::lines;
use crate::sna::syntax::{ParsedStatements, Statement};

pub(crate) static KIND: DocumentKind = DocumentKind {
    word: "cm2-lan",
    title: "Communications Manager/2 LAN DLC profile (response file) and the adapter's PROTOCOL.INI",
    recognise,
    parse,
};

/// Keys of the profile: frame size, window counts, largest RU.
const KEYS: &[&str] = &[
    FRAME,
    SEND_WINDOW,
    RECEIVE_WINDOW,
    MAX_RU,
    RECEIVE_BUFFER,
    CARD_BUFFER,
];
/// Frame size in bytes.
pub(crate) const FRAME: &str = "FRAME_SIZE";
/// Frames sent before an acknowledgement is required.
pub(crate) const SEND_WINDOW: &str = "SEND_WINDOW_COUNT";
/// Frames received before an acknowledgement is sent.
pub(crate) const RECEIVE_WINDOW: &str = "RECEIVE_WINDOW_COUNT";
/// The largest RU of the adapter.
pub(crate) const MAX_RU: &str = "MAX_RU_SIZE";
/// The driver's receive buffers, in bytes each.
pub(crate) const RECEIVE_BUFFER: &str = "RECVBUFSIZE";
/// The buffers on a busmaster card, in bytes each.
pub(crate) const CARD_BUFFER: &str = "CARDBUFSIZE";

fn recognise(text: &str) -> usize {
    let keyed = lines(text, &[';', '*'], false)
        .filter_map(|l| l.setting())
        .filter(|o| KEYS.contains(&plain(&o.name).as_str()))
        .count();
    2 * keyed
        + lines_beginning(
            text,
            &["[LAN_DLC]", "[PROTMAN]", "[LANDD_nif]", "[IBMTOK_nif]"],
        )
}

fn parse(text: &str) -> ParsedText {
    let mut out = ParsedStatements::default();
    let mut heading = Statement::new("PROFILE", "", LineColumn { line: 1, column: 1 });
    for line in lines(text, &[';', '*'], true) {
        if let Some(name) = title(line.text) {
            finish(&mut out, heading);
            heading = Statement::new("PROFILE", name, line.at);
        } else if let Some(mut setting) = line.setting() {
            setting.name = plain(&setting.name);
            setting.value = setting.value.trim_end_matches(')').trim().to_owned();
            heading.operands.push(setting);
        } else if line.text != ")" {
            out.warn(line.at, "neither a heading nor KEY = VALUE");
        }
    }
    finish(&mut out, heading);
    parsed(&KIND, out, &["PROFILE"], "section")
}

/// The name of `[NAME]`, or of `NAME = (`.
fn title(text: &str) -> Option<&str> {
    let bracketed = text.strip_prefix('[').map(|t| t.trim_end_matches(']'));
    bracketed.or_else(|| {
        Some(
            text.strip_suffix('(')?
                .trim_end()
                .strip_suffix('=')?
                .trim_end(),
        )
    })
}

fn finish(out: &mut ParsedStatements, statement: Statement) {
    if !statement.operands.is_empty() {
        out.statements.push(statement);
    }
}

/// A key in one spelling.
fn plain(key: &str) -> String {
    let key: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
    let key = key.to_ascii_uppercase();
    let one = match key.as_str() {
        "FRAMESIZE" | "MAXIFIELDSIZE" | "MAXIMUMIFIELDSIZE" | "MAXFRAMESIZE" | "DLCFRAMESIZE" => {
            FRAME
        }
        "SENDWINDOW" | "SENDWINDOWCOUNT" | "DLCSENDWINDOWCOUNT" => SEND_WINDOW,
        "RECEIVEWINDOW" | "RECEIVEWINDOWCOUNT" | "RCVWINDOWCOUNT" | "DLCRECEIVEWINDOWCOUNT" => {
            RECEIVE_WINDOW
        }
        "MAXDLCRU" | "MAXRUSIZE" | "MAXRU" | "MAXIMUMRUSIZE" => MAX_RU,
        "RECEIVEBUFFERSIZE" | "ADAPTERDRIVERRECEIVEBUFFERSIZE" => RECEIVE_BUFFER,
        "ADAPTERCARDBUFFERSIZE" | "CARDBUFFERSIZE" => CARD_BUFFER,
        _ => return key,
    };
    one.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind;

    #[test]
    fn a_response_file_and_a_protocol_ini_give_profiles() {
        let text = "LAN_DLC = (\n  MAX_I_FIELD_SIZE = 4000\n  Send_Window_Count = 3\n)\n\
                    [IBMTOK_nif]\n  DriverName = IBMTOK$\n  RecvBufSize = 256 ; small\n";
        assert_eq!(kind::recognise(text).map(|k| k.word), Some("cm2-lan"));
        let p = parse(text);
        assert_eq!(p.diagnostics, []);
        let crate::DocumentContent::Sna(content) = p.content else {
            panic!("not of SNA")
        };
        assert_eq!(content.statements.len(), 2);
        assert_eq!(
            content.statements[0].operand(FRAME).unwrap().number(),
            Some(4000)
        );
        assert_eq!(
            content.statements[1]
                .operand(RECEIVE_BUFFER)
                .unwrap()
                .number(),
            Some(256)
        );
    }
}
