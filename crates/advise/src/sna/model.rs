//! Modes and links of all products under common names.
//!
//! A host's mode is a MODEENT, with sizes for the secondary and the primary
//! and three pacing counts. A station's mode (Communications Manager/2,
//! Networking Services/DOS, SNA Services/6000, AS/400) has one RU size for
//! both directions and one or two windows. Rules that compare products and
//! the negotiation in [`super::session`] start here.

use super::Statement;
use super::kinds::{aix, as400, cm2_lan, cm2_ndf, nsdos, vtam};
use super::ru;
use super::syntax::KeywordOperand;
use crate::document::{Document, DocumentSet, FilePlace};

/// A product that is an end of sessions, apart from the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionProduct {
    /// Communications Manager/2 and Extended Services.
    Cm2,
    /// Networking Services/DOS.
    NsDos,
    /// AIX SNA Services/6000.
    SnaServices,
    /// AS/400.
    As400,
}

impl SessionProduct {
    /// The product's short name.
    pub fn name(self) -> &'static str {
        match self {
            SessionProduct::Cm2 => "CM/2",
            SessionProduct::NsDos => "NS/DOS",
            SessionProduct::SnaServices => "SNA Services/6000",
            SessionProduct::As400 => "AS/400",
        }
    }

    /// The product's session pacing, for every tool that needs it.
    ///
    /// CM/2 and OS/400 pace adaptively with a partner that does so too. For
    /// Networking Services/DOS the guide says that the send window is
    /// negotiated with the session, and warns of the waste of fixed pacing. For
    /// SNA Services/6000 no public text describes it.
    pub fn pacing(self) -> Pacing {
        match self {
            SessionProduct::Cm2 | SessionProduct::As400 => Pacing::Adaptive,
            SessionProduct::NsDos => Pacing::Fixed,
            SessionProduct::SnaServices => Pacing::Nothing,
        }
    }

    /// Whether rules may count on adaptive pacing: only if it is documented. A
    /// window that is wide enough for fixed pacing is wide enough for adaptive
    /// pacing.
    pub fn adaptive(self) -> bool {
        self.pacing() == Pacing::Adaptive
    }
}

/// Documentation about a product's session pacing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pacing {
    /// Windows of one size, agreed on in the BIND.
    Fixed,
    /// The receiver grants each window with its size, if the partner supports
    /// this.
    Adaptive,
    /// Not documented.
    Nothing,
}

/// The RU size that a mode asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ru {
    /// So many bytes.
    Bytes(u32),
    /// As many as one frame holds: `*`, `*CALC`, the default RU size.
    Frame,
    /// Open.
    Open,
}

/// A mode of a station.
#[derive(Debug, Clone)]
pub struct Mode<'a> {
    /// The product.
    pub product: SessionProduct,
    /// The document of its definition.
    pub document: &'a Document,
    /// The statement that defines it.
    pub statement: &'a Statement,
    /// Its name in upper case; empty for the blank mode.
    pub name: String,
    /// The RU size for both directions.
    pub ru: Ru,
    /// The operand that says so.
    pub ru_operand: Option<&'a KeywordOperand>,
    /// RUs sent before a pacing response is required, if the mode has it.
    pub send_window: Option<u32>,
    /// RUs received before a pacing response is sent, where the mode says so.
    pub receive_window: Option<u32>,
    /// The class of service, where the mode names one.
    pub cos: Option<&'a KeywordOperand>,
    /// The session limit.
    pub limit: Option<u32>,
    /// Sessions of the limit that this side wins.
    pub winners: Option<u32>,
}

impl Mode<'_> {
    /// The place of the mode.
    pub fn place(&self) -> FilePlace {
        self.document.place(self.statement.at)
    }
}

/// A MODEENT of a VTAM mode table for LU 6.2.
#[derive(Debug, Clone)]
pub struct HostMode<'a> {
    /// The mode table's document.
    pub document: &'a Document,
    /// The name of the table that holds it.
    pub table: &'a str,
    /// The statement.
    pub statement: &'a Statement,
    /// LOGMODE in upper case.
    pub name: String,
    /// The largest RU that the secondary may send.
    pub secondary: Option<u32>,
    /// The largest RU that the primary may send.
    pub primary: Option<u32>,
}

impl HostMode<'_> {
    /// The place of an operand, or of the statement without it.
    pub fn place(&self, operand: &str) -> FilePlace {
        let at = self
            .statement
            .operand(operand)
            .map_or(self.statement.at, |o| o.at);
        self.document.place(at)
    }

    /// A pacing count: PSNDPAC, SSNDPAC or SRCVPAC.
    pub fn pacing(&self, operand: &str) -> Option<u32> {
        ru::pacing(&self.statement.operand(operand)?.value)
    }
}

/// The limits of a station's link control.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Link {
    /// The largest frame in bytes, with the headers of SNA.
    pub frame: Option<u32>,
    /// Frames sent before an acknowledgement is required.
    pub send: Option<u32>,
    /// Frames received before an acknowledgement is sent.
    pub receive: Option<u32>,
}

/// Whether a mode may carry bulk data. Modes for inquiries and for the
/// services of the network do not, and the guide leaves them alone.
pub fn bulk(mode: &str) -> bool {
    const OTHERS: &[&str] = &["", "#INTER", "#INTERSC", "SNASVCMG", "CPSVCMG", "CPSVRMGR"];
    !OTHERS.contains(&mode)
}

/// A mode's name in the form for comparison.
fn named(value: &str) -> String {
    let name = super::syntax::statement::unquote(value).to_ascii_uppercase();
    if name == "BLANK" || name == "*BLANK" {
        String::new()
    } else {
        name
    }
}

/// Every mode of every station, in the order of the files.
pub fn modes(documents: &DocumentSet) -> Vec<Mode<'_>> {
    let read = |document| {
        let all = Document::statements(document).iter();
        all.filter_map(move |statement| mode(document, statement))
    };
    documents.all.iter().flat_map(read).collect()
}

fn mode<'a>(document: &'a Document, s: &'a Statement) -> Option<Mode<'a>> {
    let kind = document.kind;
    let mut mode = Mode {
        product: SessionProduct::Cm2,
        document,
        statement: s,
        name: named(&s.name),
        ru: Ru::Open,
        ru_operand: None,
        send_window: None,
        receive_window: None,
        cos: None,
        limit: None,
        winners: None,
    };
    let count = |names: &[&str]| s.any(names).and_then(KeywordOperand::number);
    if *kind == cm2_ndf::KIND && s.verb == "DEFINE_MODE" {
        mode.name = named(s.operand("MODE_NAME").map_or("", |o| &o.value));
        mode.ru_operand = s.any(&["MAX_RU_SIZE_UPPER_BOUND", "DEFAULT_RU_SIZE"]);
        let by_default = s.operand("DEFAULT_RU_SIZE").is_none_or(|o| o.is("YES"));
        mode.ru = match count(&["MAX_RU_SIZE_UPPER_BOUND"]) {
            Some(bytes) if !by_default || s.operand("DEFAULT_RU_SIZE").is_none() => {
                Ru::Bytes(bytes)
            }
            _ => Ru::Frame,
        };
        mode.receive_window = count(&["RECEIVE_PACING_WINDOW"]);
        mode.limit = count(&["PLU_MODE_SESSION_LIMIT", "MAX_NEGOTIABLE_SESSION_LIMIT"]);
        mode.winners = count(&["MIN_CONWINNERS_SOURCE"]);
        mode.cos = s.operand("COS_NAME");
    } else if *kind == nsdos::KIND && s.verb == "MODE" {
        mode.product = SessionProduct::NsDos;
        mode.ru_operand = s.operand(nsdos::RU);
        // A size of one frame is all this product has.
        mode.ru = mode
            .ru_operand
            .and_then(KeywordOperand::number)
            .map_or(Ru::Frame, Ru::Bytes);
        mode.receive_window = count(&[nsdos::RECEIVE_PACING]);
    } else if *kind == as400::KIND && matches!(s.verb.as_str(), "CRTMODD" | "CHGMODD") {
        mode.product = SessionProduct::As400;
        mode.ru_operand = s.operand("MAXLENRU");
        mode.ru = mode
            .ru_operand
            .and_then(KeywordOperand::number)
            .map_or(Ru::Frame, Ru::Bytes);
        mode.send_window = count(&["OUTPACING"]);
        mode.receive_window = count(&["INPACING"]);
        mode.limit = count(&["MAXSSN"]);
        mode.winners = count(&["LCLCTLSSN"]);
        mode.cos = s.operand("COS");
    } else if *kind == aix::KIND && s.verb == aix::MODE {
        mode.product = SessionProduct::SnaServices;
        mode.name = named(s.operand("MODE_NAME").map_or(&s.name, |o| &o.value));
        mode.ru_operand = s.any(aix::RU);
        mode.ru = mode
            .ru_operand
            .and_then(KeywordOperand::number)
            .map_or(Ru::Open, Ru::Bytes);
        mode.send_window = count(aix::SEND_PACING);
        mode.receive_window = count(aix::RECEIVE_PACING);
        mode.limit = count(aix::SESSIONS);
        mode.winners = count(aix::WINNERS);
    } else {
        return None;
    }
    Some(mode)
}

/// Every mode entry for LU 6.2 of every mode table.
pub fn host_modes(documents: &DocumentSet) -> Vec<HostMode<'_>> {
    let mut found = Vec::new();
    for document in documents.of(&vtam::MODES) {
        let mut table = "";
        for s in document.statements() {
            match s.verb.as_str() {
                "MODETAB" => table = &s.name,
                "MODEENT" if lu62(s) => {
                    let sizes = s.operand("RUSIZES").map(|o| ru::rusizes(&o.value));
                    let (secondary, primary) = sizes.and_then(Result::ok).unwrap_or_default();
                    let name = named(s.operand("LOGMODE").map_or(&s.name, |o| &o.value));
                    found.push(HostMode {
                        document,
                        table,
                        statement: s,
                        name,
                        secondary,
                        primary,
                    });
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether a mode entry is for LU 6.2: FM profile 19 and TS profile 7, or no
/// profiles.
fn lu62(entry: &Statement) -> bool {
    let profile = |name: &str| entry.operand(name).and_then(|o| ru::byte(&o.value));
    profile("FMPROF").is_none_or(|p| p == 0x13) && profile("TSPROF").is_none_or(|p| p == 0x07)
}

/// The link of a product: the smallest frame and windows that any of its
/// documents names.
pub fn link(documents: &DocumentSet, product: SessionProduct) -> Link {
    let least = |kind, verb, keys: &[&str]| {
        let all = documents.stated(kind, verb);
        all.filter_map(|(_, s)| s.any(keys)?.number()).min()
    };
    match product {
        SessionProduct::Cm2 => {
            let of = |key| least(&cm2_lan::KIND, "PROFILE", &[key]);
            Link {
                frame: of(cm2_lan::FRAME),
                send: of(cm2_lan::SEND_WINDOW),
                receive: of(cm2_lan::RECEIVE_WINDOW),
            }
        }
        SessionProduct::NsDos => Link {
            frame: least(&nsdos::KIND, "TRMF", nsdos::FRAME),
            send: least(&nsdos::KIND, "TRLD", &["MAXOUT"]),
            receive: least(&nsdos::KIND, "TRLD", &["MAXIN"]),
        },
        SessionProduct::SnaServices => {
            let of = |keys| least(&aix::KIND, aix::LOGICAL_LINK, keys);
            Link {
                frame: of(aix::FRAME),
                send: of(aix::TRANSMIT_COUNT),
                receive: of(aix::RECEIVE_COUNT),
            }
        }
        SessionProduct::As400 => {
            let any = |key: &str| {
                let all = documents.of(&as400::KIND).flat_map(Document::statements);
                all.filter(|s| s.verb.len() > 3)
                    .filter_map(|s| s.operand(key)?.number())
                    .min()
            };
            Link {
                frame: any("MAXFRAME"),
                send: any("LANMAXOUT"),
                receive: any("LANACKFRQ"),
            }
        }
    }
}

/// The largest frames that the rings of the NCP take from stations: every
/// MAXTSL once, in order.
pub fn ncp_frames(documents: &DocumentSet) -> Vec<u32> {
    let all = documents.of(&vtam::NCP).flat_map(Document::statements);
    let mut frames: Vec<_> = all.filter_map(|s| s.operand("MAXTSL")?.number()).collect();
    frames.sort_unstable();
    frames.dedup();
    frames
}

/// Whether a VTAM host or its NCP is in the set. Without one, the stations
/// talk to each other.
pub fn has_host(documents: &DocumentSet) -> bool {
    [&vtam::MODES, &vtam::MAJOR, &vtam::NCP, &vtam::START]
        .into_iter()
        .any(|kind| documents.of(kind).next().is_some())
}

/// LU names of a mode's station: those in the mode's own document, otherwise those
/// in other documents of the product.
pub fn lu_names(documents: &DocumentSet, mode: &Mode<'_>) -> Vec<String> {
    let own = names_in(mode.document);
    if !own.is_empty() {
        return own;
    }
    let same = documents.of(mode.document.kind);
    same.flat_map(names_in).collect()
}

fn names_in(document: &Document) -> Vec<String> {
    const KEYS: &[&str] = &["LU_NAME", "FQ_CP_NAME", "LOCAL_LU_NAME", "NAME", "LUNAME"];
    const VERBS: &[&str] = &["DEFINE_LOCAL_LU", "DEFINE_LOCAL_CP", "LOCALLU", "LU"];
    let all = document.statements().iter();
    all.filter(|s| VERBS.contains(&s.verb.as_str()))
        .filter_map(|s| s.any(KEYS))
        .map(|o| {
            o.value
                .rsplit('.')
                .next()
                .unwrap_or("")
                .trim()
                .to_ascii_uppercase()
        })
        .filter(|n| !n.is_empty())
        .collect()
}
