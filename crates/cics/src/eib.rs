//! The EXEC interface block, byte for byte as programs see it.
//!
//! [`Eib`] is a checked view over the bytes of DFHEIBLK; [`COPYBOOK`] is the
//! same layout as the COBOL that the translator puts into the LINKAGE SECTION.
//! Binary fields are big-endian and packed fields carry a positive sign, as
//! the programs compile them.
//! Reference: CICS API reference, "EXEC interface block fields".

use crate::resp::Condition;

/// Bytes of DFHEIBLK.
pub const EIB_BYTES: usize = 85;

/// DFHEIBLK as a LINKAGE record.
pub const COPYBOOK: &str = "\
01 DFHEIBLK.
02 EIBTIME PIC S9(7) COMP-3.
02 EIBDATE PIC S9(7) COMP-3.
02 EIBTRNID PIC X(4).
02 EIBTASKN PIC S9(7) COMP-3.
02 EIBTRMID PIC X(4).
02 DFHEIGDI PIC S9(4) COMP.
02 EIBCPOSN PIC S9(4) COMP.
02 EIBCALEN PIC S9(4) COMP.
02 EIBAID PIC X(1).
02 EIBFN PIC X(2).
02 EIBRCODE PIC X(6).
02 EIBDS PIC X(8).
02 EIBREQID PIC X(8).
02 EIBRSRCE PIC X(8).
02 EIBSYNC PIC X(1).
02 EIBFREE PIC X(1).
02 EIBRECV PIC X(1).
02 EIBSEND PIC X(1).
02 EIBATT PIC X(1).
02 EIBEOC PIC X(1).
02 EIBFMH PIC X(1).
02 EIBCOMPL PIC X(1).
02 EIBSIG PIC X(1).
02 EIBCONF PIC X(1).
02 EIBERR PIC X(1).
02 EIBERRCD PIC X(4).
02 EIBSYNRB PIC X(1).
02 EIBNODAT PIC X(1).
02 EIBRESP PIC S9(8) COMP.
02 EIBRESP2 PIC S9(8) COMP.
02 EIBRLDBK PIC X(1).
";

const TIME: usize = 0;
const DATE: usize = 4;
const TRNID: usize = 8;
const TASKN: usize = 12;
const TRMID: usize = 16;
const CPOSN: usize = 22;
const CALEN: usize = 24;
const AID: usize = 26;
const FN: usize = 27;
const RCODE: usize = 29;
const DS: usize = 35;
const REQID: usize = 43;
const RSRCE: usize = 51;
const SYNC: usize = 59;
const FREE: usize = 60;
const RECV: usize = 61;
const EOC: usize = 64;
const COMPL: usize = 66;
const SIG: usize = 67;
const CONF: usize = 68;
const ERR: usize = 69;
const ERRCD: usize = 70;
const SYNRB: usize = 74;
const NODAT: usize = 75;
const RESP: usize = 76;
const RESP2: usize = 80;
const RLDBK: usize = 84;

/// Names of every field, so that a program that uses one can be recognised.
pub const FIELD_NAMES: &[&str] = &[
    "EIBTIME", "EIBDATE", "EIBTRNID", "EIBTASKN", "EIBTRMID", "EIBCPOSN", "EIBCALEN", "EIBAID",
    "EIBFN", "EIBRCODE", "EIBDS", "EIBREQID", "EIBRSRCE", "EIBSYNC", "EIBFREE", "EIBRECV",
    "EIBSEND", "EIBATT", "EIBEOC", "EIBFMH", "EIBCOMPL", "EIBSIG", "EIBCONF", "EIBERR", "EIBERRCD",
    "EIBSYNRB", "EIBNODAT", "EIBRESP", "EIBRESP2", "EIBRLDBK",
];

/// A view over the bytes of an EIB.
#[derive(Debug)]
pub struct Eib<'a>(&'a mut [u8; EIB_BYTES]);

impl<'a> Eib<'a> {
    /// A view over existing bytes.
    pub fn new(bytes: &'a mut [u8; EIB_BYTES]) -> Self {
        Eib(bytes)
    }

    /// Clears the block: binary zeros, which is what a field without meaning
    /// has, +0 in packed fields, and blanks in EIBTRNID.
    pub fn reset(&mut self) {
        self.0.fill(0);
        for at in [TIME, DATE, TASKN] {
            self.set_packed(at, 0);
        }
        self.set_transid(b"");
    }

    /// EIBTIME: 0hhmmss.
    pub fn time(&self) -> u32 {
        self.packed(TIME)
    }

    /// Sets EIBTIME from hhmmss.
    pub fn set_time(&mut self, hhmmss: u32) {
        self.set_packed(TIME, hhmmss);
    }

    /// EIBDATE: 0cyyddd, c = 0 for 19yy and 1 for 20yy.
    pub fn date(&self) -> u32 {
        self.packed(DATE)
    }

    /// Sets EIBDATE from cyyddd.
    pub fn set_date(&mut self, cyyddd: u32) {
        self.set_packed(DATE, cyyddd);
    }

    /// EIBTRNID, blank padded.
    pub fn transid(&self) -> &[u8] {
        &self.0[TRNID..TRNID + 4]
    }

    /// Sets EIBTRNID.
    pub fn set_transid(&mut self, name: &[u8]) {
        self.set_text(TRNID, 4, name);
    }

    /// EIBTASKN.
    pub fn task_number(&self) -> u32 {
        self.packed(TASKN)
    }

    /// Sets EIBTASKN; the last seven digits are kept.
    pub fn set_task_number(&mut self, number: u32) {
        self.set_packed(TASKN, number);
    }

    /// Sets EIBTRMID; a task without a facility, whose name is blank, keeps its
    /// binary zeros.
    pub fn set_terminal(&mut self, name: &[u8]) {
        if name.iter().any(|b| *b != b' ') {
            self.set_text(TRMID, 4, name);
        }
    }

    /// Sets EIBCPOSN.
    pub fn set_cursor(&mut self, position: u16) {
        self.0[CPOSN..CPOSN + 2].copy_from_slice(&position.to_be_bytes());
    }

    /// EIBCALEN.
    pub fn commarea_length(&self) -> u16 {
        u16::from_be_bytes([self.0[CALEN], self.0[CALEN + 1]])
    }

    /// Sets EIBCALEN.
    pub fn set_commarea_length(&mut self, bytes: u16) {
        self.0[CALEN..CALEN + 2].copy_from_slice(&bytes.to_be_bytes());
    }

    /// Sets EIBAID.
    pub fn set_aid(&mut self, aid: u8) {
        self.0[AID] = aid;
    }

    /// EIBFN.
    pub fn function(&self) -> u16 {
        u16::from_be_bytes([self.0[FN], self.0[FN + 1]])
    }

    /// Sets EIBFN.
    pub fn set_function(&mut self, function: u16) {
        self.0[FN..FN + 2].copy_from_slice(&function.to_be_bytes());
    }

    /// EIBRCODE.
    pub fn rcode(&self) -> &[u8] {
        &self.0[RCODE..RCODE + 6]
    }

    /// Sets EIBDS, the file last referred to.
    pub fn set_data_set(&mut self, name: &[u8]) {
        self.set_text(DS, 8, name);
    }

    /// Sets EIBREQID.
    pub fn set_request(&mut self, name: &[u8]) {
        self.set_text(REQID, 8, name);
    }

    /// EIBRSRCE.
    pub fn resource(&self) -> &[u8] {
        &self.0[RSRCE..RSRCE + 8]
    }

    /// Sets EIBRSRCE, the resource last referred to.
    pub fn set_resource(&mut self, name: &[u8]) {
        self.set_text(RSRCE, 8, name);
    }

    /// Sets EIBSIG: a signal has come in, such as the ATTN key of a terminal.
    pub fn set_signal(&mut self, on: bool) {
        self.0[SIG] = flag(on);
    }

    /// Sets EIBSYNC: a syncpoint must be taken.
    pub fn set_sync(&mut self, on: bool) {
        self.0[SYNC] = flag(on);
    }

    /// Sets the fields for a command of a conversation: EIBRECV, EIBFREE, EIBEOC,
    /// EIBCONF, EIBCOMPL, EIBNODAT, EIBSIG, EIBERR and EIBERRCD. Syncpoint flows are
    /// not there, so EIBSYNC and EIBSYNRB are cleared.
    pub fn set_conversation(&mut self, indicators: &ConversationIndicators) {
        for (at, on) in [
            (RECV, indicators.receive),
            (FREE, indicators.free),
            (EOC, indicators.chain_end),
            (CONF, indicators.confirm),
            (COMPL, indicators.complete),
            (NODAT, indicators.no_data),
            (SIG, indicators.signal),
            (ERR, indicators.error),
            (SYNC, false),
            (SYNRB, false),
        ] {
            self.0[at] = flag(on);
        }
        self.0[ERRCD..ERRCD + 4].copy_from_slice(&indicators.error_code.to_be_bytes());
    }

    /// Sets EIBSYNRB: a rollback must be taken.
    pub fn set_sync_rollback(&mut self, on: bool) {
        self.0[SYNRB] = flag(on);
    }

    /// Sets EIBRLDBK: the unit of work was backed out.
    pub fn set_rolled_back(&mut self, on: bool) {
        self.0[RLDBK] = flag(on);
    }

    /// EIBRESP.
    pub fn resp(&self) -> u32 {
        self.word(RESP)
    }

    /// EIBRESP2.
    pub fn resp2(&self) -> u32 {
        self.word(RESP2)
    }

    /// Sets EIBRESP, EIBRESP2 and EIBRCODE after a command.
    pub fn set_response(&mut self, function: u16, condition: Condition, resp2: u32) {
        self.set_function(function);
        self.0[RESP..RESP + 4].copy_from_slice(&u32::from(condition.number()).to_be_bytes());
        self.0[RESP2..RESP2 + 4].copy_from_slice(&resp2.to_be_bytes());
        self.0[RCODE..RCODE + 6].copy_from_slice(&rcode(function, condition));
    }

    fn set_text(&mut self, at: usize, len: usize, text: &[u8]) {
        for (i, slot) in self.0[at..at + len].iter_mut().enumerate() {
            *slot = text.get(i).copied().unwrap_or(b' ');
        }
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_be_bytes([self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]])
    }

    fn packed(&self, at: usize) -> u32 {
        let mut value = 0;
        for (i, byte) in self.0[at..at + 4].iter().enumerate() {
            value = value * 10 + u32::from(byte >> 4);
            if i < 3 {
                value = value * 10 + u32::from(byte & 15);
            }
        }
        value
    }

    fn set_packed(&mut self, at: usize, value: u32) {
        let mut rest = value % 10_000_000;
        let mut nibbles = [0u8; 8];
        nibbles[7] = 0x0C;
        for slot in nibbles[..7].iter_mut().rev() {
            *slot = (rest % 10) as u8;
            rest /= 10;
        }
        for (i, pair) in nibbles.as_chunks::<2>().0.iter().enumerate() {
            self.0[at + i] = pair[0] << 4 | pair[1];
        }
    }
}

/// The indicators that a command of a conversation puts into the EIB.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConversationIndicators {
    /// EIBRECV: the program must receive again.
    pub receive: bool,
    /// EIBFREE: the program must free the conversation.
    pub free: bool,
    /// EIBEOC: the partner's chain ended with what was received.
    pub chain_end: bool,
    /// EIBCONF: the partner wants a confirmation.
    pub confirm: bool,
    /// EIBCOMPL: the data are the record's last.
    pub complete: bool,
    /// EIBNODAT: there were no data.
    pub no_data: bool,
    /// EIBSIG: the partner asks to send.
    pub signal: bool,
    /// EIBERR: the partner or the session reports an error.
    pub error: bool,
    /// EIBERRCD: the sense data of the error, zero for none.
    pub error_code: u32,
}

fn flag(on: bool) -> u8 {
    if on { 0xFF } else { 0 }
}

/// EIBRCODE after a command: the byte and value that its group of commands
/// uses for the condition. EIBRCODE is zero after a normal response only: a condition
/// that has no value of its own in its group has the form of commands of later
/// releases: its RESP number in the first word.
///
/// Reference: API reference, "Response codes of EXEC CICS commands" and "EXEC
/// interface block fields". Of the published tables only those of the system
/// programming commands could be read again: there the first word is the RESP
/// number. The values of the other groups are from the older manuals and could
/// not be compared a second time. Programs of today test RESP.
pub fn rcode(function: u16, condition: Condition) -> [u8; 6] {
    use Condition as C;
    let first = |value| [value, 0, 0, 0, 0, 0];
    match (function >> 8, condition) {
        (_, C::Normal) => [0; 6],
        (_, C::NotAuth) => first(0xD6),
        (0x02, C::InvReq) => first(0xE0),
        (0x04, C::Eoc) => [0, 0x20, 0, 0, 0, 0],
        (0x04, C::InbFmh) => [0, 0x40, 0, 0, 0, 0],
        (0x04, C::SysIdErr) => first(0xD0),
        (0x04, C::SessionErr) => first(0xD2),
        (0x04, C::SysBusy) => first(0xD3),
        (0x04, C::NotAlloc) => first(0xD5),
        (0x04, C::InvReq) => first(0xE0),
        (0x04, C::LengErr) => first(0xE1),
        (0x04, C::Signal) => first(0xE5),
        (0x04, C::CbIdErr) => first(0xEB),
        (0x04, C::PartnerIdErr) => first(0xED),
        (0x04, C::TermErr) => first(0xF1),
        (0x06, C::FileNotFound) => first(0x01),
        (0x06, C::Illogic) => first(0x02),
        (0x06, C::InvReq) => first(0x08),
        (0x06, C::NotOpen) => first(0x0C),
        (0x06, C::Disabled) => first(0x0D),
        (0x06, C::EndFile) => first(0x0F),
        (0x06, C::IoErr) => first(0x80),
        (0x06, C::NotFnd) => first(0x81),
        (0x06, C::DupRec) => first(0x82),
        (0x06, C::NoSpace) => first(0x83),
        (0x06, C::DupKey) => first(0x84),
        (0x06, C::Suppressed) => first(0x85),
        (0x06, C::Loading) => first(0x86),
        (0x06, C::SysIdErr) => first(0xD0),
        (0x06, C::IscInvReq) => first(0xD1),
        (0x06, C::LengErr) => first(0xE1),
        (0x08, C::QZero) => first(0x01),
        (0x08, C::QIdErr) => first(0x02),
        (0x08, C::IoErr) => first(0x04),
        (0x08, C::NotOpen) => first(0x08),
        (0x08, C::NoSpace) => first(0x10),
        (0x08, C::QBusy) => first(0xC0),
        (0x08, C::Disabled) => first(0xD7),
        (0x08, C::InvReq) => first(0xE0),
        (0x0A, C::ItemErr) => first(0x01),
        (0x0A, C::QIdErr) => first(0x02),
        (0x0A, C::IoErr) => first(0x04),
        (0x0A, C::NoSpace) => first(0x08),
        (0x0A, C::InvReq) => first(0x20),
        (0x08 | 0x0A | 0x10, C::SysIdErr) => first(0xD0),
        (0x08 | 0x0A | 0x10, C::IscInvReq) => first(0xD1),
        (0x08 | 0x0A | 0x10 | 0x12, C::LengErr) => first(0xE1),
        (0x0C, C::LengErr) => first(0xE1),
        (0x0C, C::NoStg) => first(0xE2),
        (0x0E, C::PgmIdErr) => first(0x01),
        (0x0E, C::InvReq) => first(0xE0),
        (0x0E, C::LengErr) => first(0xE1),
        (0x0E, C::SysIdErr) => first(0xD0),
        (0x10, C::EndData) => first(0x01),
        (0x10, C::IoErr) => first(0x04),
        (0x10, C::TransIdErr) => first(0x11),
        (0x10, C::TermIdErr) => first(0x12),
        (0x10, C::Expired) => first(0x20),
        (0x10, C::NotFnd) => first(0x81),
        (0x10, C::UserIdErr) => first(0xD8),
        (0x10, C::EnvDefErr) => first(0xE9),
        (0x10, C::InvReq) => first(0xFF),
        (0x12, C::EnqBusy) => first(0x32),
        (0x12, C::InvReq) => first(0xE0),
        (0x14, C::JidErr) => first(0x01),
        (0x14, C::InvReq) => first(0x02),
        (0x14, C::NotOpen) => first(0x05),
        (0x14, C::LengErr) => first(0x06),
        (0x14, C::IoErr) => first(0x07),
        (0x16, C::RolledBack) => first(0x04),
        (0x18, C::InvReq) => first(0x01),
        (0x18, C::MapFail) => first(0x04),
        (0x18, C::InvMpSz) => first(0x08),
        (0x18, C::LengErr) => first(0xE1),
        (_, c) => {
            let [hi, lo] = c.number().to_be_bytes();
            [0, 0, hi, lo, 0, 0]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copybook_and_the_offsets_agree() {
        let mut at = 0;
        let mut offsets = std::collections::HashMap::new();
        for line in COPYBOOK.lines().skip(1) {
            let words: Vec<&str> = line.trim_end_matches('.').split(' ').collect();
            offsets.insert(words[1], at);
            at += match &words[3..] {
                [pic, "COMP-3"] if *pic == "S9(7)" => 4,
                [pic, "COMP"] if *pic == "S9(4)" => 2,
                [pic, "COMP"] if *pic == "S9(8)" => 4,
                [pic] => pic
                    .trim_start_matches("X(")
                    .trim_end_matches(')')
                    .parse()
                    .unwrap(),
                other => panic!("{other:?}"),
            };
        }
        assert_eq!(at, EIB_BYTES);
        for (name, offset) in [
            ("EIBTIME", TIME),
            ("EIBDATE", DATE),
            ("EIBTRNID", TRNID),
            ("EIBTASKN", TASKN),
            ("EIBTRMID", TRMID),
            ("EIBCPOSN", CPOSN),
            ("EIBCALEN", CALEN),
            ("EIBAID", AID),
            ("EIBFN", FN),
            ("EIBRCODE", RCODE),
            ("EIBDS", DS),
            ("EIBREQID", REQID),
            ("EIBRSRCE", RSRCE),
            ("EIBSYNC", SYNC),
            ("EIBFREE", FREE),
            ("EIBRECV", RECV),
            ("EIBEOC", EOC),
            ("EIBCOMPL", COMPL),
            ("EIBSIG", SIG),
            ("EIBCONF", CONF),
            ("EIBERR", ERR),
            ("EIBERRCD", ERRCD),
            ("EIBNODAT", NODAT),
            ("EIBSYNRB", SYNRB),
            ("EIBRESP", RESP),
            ("EIBRESP2", RESP2),
            ("EIBRLDBK", RLDBK),
        ] {
            assert_eq!(offsets[name], offset, "{name}");
        }
        assert!(FIELD_NAMES.iter().all(|n| offsets.contains_key(n)));
    }

    #[test]
    fn packed_fields_read_back() {
        let mut bytes = [0; EIB_BYTES];
        let mut eib = Eib::new(&mut bytes);
        eib.reset();
        eib.set_time(235_959);
        eib.set_date(126_001);
        eib.set_task_number(12_345_678);
        assert_eq!(
            (eib.time(), eib.date(), eib.task_number()),
            (235_959, 126_001, 2_345_678)
        );
        assert_eq!(&bytes[..4], &[0x02, 0x35, 0x95, 0x9C]);
    }

    #[test]
    fn a_response_sets_all_four_fields() {
        let mut bytes = [0; EIB_BYTES];
        let mut eib = Eib::new(&mut bytes);
        eib.set_response(0x0602, Condition::NotFnd, 80);
        assert_eq!((eib.function(), eib.resp(), eib.resp2()), (0x0602, 13, 80));
        assert_eq!(eib.rcode(), &[0x81, 0, 0, 0, 0, 0]);
        // INQUIRE FILE and GET COUNTER, and BIF DEEDIT of the same group.
        eib.set_response(0x4C02, Condition::FileNotFound, 1);
        assert_eq!(eib.rcode(), &[0, 0, 0, 12, 0, 0]);
        assert_eq!(rcode(0x2006, Condition::Suppressed), [0, 0, 0, 72, 0, 0]);
        assert_eq!(rcode(0x0A04, Condition::QIdErr), [2, 0, 0, 0, 0, 0]);
        assert_eq!(rcode(0x1008, Condition::TransIdErr), [0x11, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn only_a_normal_response_has_zeros_in_eibrcode() {
        for function in (0..=u16::MAX).step_by(256).map(|group| group | 2) {
            assert_eq!(rcode(function, Condition::Normal), [0; 6]);
            for &condition in Condition::ALL.iter().filter(|c| **c != Condition::Normal) {
                assert_ne!(
                    rcode(function, condition),
                    [0; 6],
                    "{function:04X} {condition:?}"
                );
            }
        }
    }
}
