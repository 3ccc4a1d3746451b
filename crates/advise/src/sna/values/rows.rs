//! The keywords whose values rules read, and the forms of the values: one row each,
//! in a table for each product. A rule cannot read a number of a keyword without a
//! row.
//!
//! Reference: the manuals named with each table. If no manual states a range, it is
//! that of the protocol's field: 63 for a pacing window of a BIND, 127 for a window
//! of LLC2 or SDLC, 8 to 491,520 bytes for an RU, 65,535 bytes for a frame or a
//! buffer.

use super::form::{ValueForm, shown};
use crate::sna::kinds::{aix, cm2_lan, nsdos};

/// The keywords of one product.
#[derive(Debug)]
pub(crate) struct Table {
    /// The kinds of text that it holds for, by their words.
    pub(crate) kinds: &'static [&'static str],
    /// The syntax of keyword and value.
    pub(crate) style: KeywordStyle,
    /// Whether `&NAME` may be a value: a variable or a system symbol.
    pub(crate) variables: bool,
    /// Its keywords.
    pub(crate) rows: &'static [KeywordRow],
    /// Keywords that no rule reads, of statements whose keywords are known.
    pub(crate) others: &'static [UnreadKeywords],
}

/// The keywords of a statement in addition to those of its rows.
#[derive(Debug)]
pub(crate) struct UnreadKeywords {
    /// The statements.
    pub(crate) on: &'static [&'static str],
    /// The keywords.
    pub(crate) names: &'static [&'static str],
    /// Whether the list is complete, so that another keyword is an error.
    pub(crate) complete: bool,
}

/// The syntax of a product's keywords and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeywordStyle {
    /// `KEYWORD=VALUE`, and no values without keywords but those of a row.
    Equals,
    /// `KEYWORD(VALUE)`, and no values without keywords.
    Parentheses,
    /// `KEYWORD(VALUE)`; positional values may omit the keyword.
    Command,
    /// `KEYWORD = VALUE`, a line each.
    Setting,
    /// `keyword = value`, a line each, in lower case.
    Stanza,
}

impl KeywordStyle {
    /// The keyword as its product writes it.
    pub(crate) fn shown(self, name: &str) -> String {
        match self {
            KeywordStyle::Stanza => name.to_ascii_lowercase(),
            _ => name.to_owned(),
        }
    }

    /// Keyword and value as the text has them.
    pub(crate) fn spell(self, verb: &str, name: &str, value: &str) -> String {
        let (name, value) = (self.shown(name), shown(value));
        match self {
            _ if name.is_empty() => format!("{verb} {value}"),
            _ if value.is_empty() => name,
            KeywordStyle::Equals => format!("{name}={value}"),
            KeywordStyle::Parentheses | KeywordStyle::Command => format!("{name}({value})"),
            KeywordStyle::Setting | KeywordStyle::Stanza => format!("{name} = {value}"),
        }
    }
}

/// One keyword.
#[derive(Debug)]
pub(crate) struct KeywordRow {
    /// The statements that have it, `*` at the end for any rest. `None` for all.
    pub(crate) on: &'static [&'static str],
    /// Its spellings.
    pub(crate) names: &'static [&'static str],
    /// The form of its value.
    pub(crate) form: ValueForm,
}

impl KeywordRow {
    /// Whether a statement's keyword is this one.
    pub(crate) fn is(&self, verb: &str, name: &str) -> bool {
        self.names.contains(&name) && self.is_on(verb)
    }

    /// Whether a statement has it.
    pub(crate) fn is_on(&self, verb: &str) -> bool {
        let fits = |on: &&str| match on.strip_suffix('*') {
            Some(begin) => verb.starts_with(begin),
            None => verb == *on,
        };
        self.on.is_empty() || self.on.iter().any(fits)
    }
}

const fn row(
    on: &'static [&'static str],
    names: &'static [&'static str],
    form: ValueForm,
) -> KeywordRow {
    KeywordRow { on, names, form }
}

/// Sessions of a mode.
const SESSIONS: ValueForm = ValueForm::Number(0, 32_767);
/// A window of session pacing, in the six bits of a BIND.
const WINDOW: ValueForm = ValueForm::Number(0, 63);
/// A window of a link, in seven bits.
const LINK_WINDOW: ValueForm = ValueForm::Number(1, 127);
/// A type of physical unit; a line can name two.
const UNIT_TYPE: Option<ValueForm> = Some(ValueForm::Words(&["1", "2", "4", "5"]));
/// A length in 16 bits.
const BYTES: ValueForm = ValueForm::Number(1, 65_535);
/// The least and the most that a size byte of a BIND can say.
const RU: (u32, u32) = (8, 491_520);

/// Every table.
pub(crate) static TABLES: &[&Table] = &[
    &VTAM_MODES,
    &VTAM_NODES,
    &VTAM_START,
    &CSD,
    &CM2_NDF,
    &CM2_LAN,
    &NSDOS,
    &AS400,
    &AIX,
];

/// The table of a kind of text.
pub(crate) fn table(kind: &str) -> Option<&'static Table> {
    TABLES.iter().copied().find(|t| t.kinds.contains(&kind))
}

/// z/OS Communications Server SNA Resource Definition Reference, MODEENT.
pub(crate) static VTAM_MODES: Table = Table {
    kinds: &["vtam-modes"],
    style: KeywordStyle::Equals,
    variables: true,
    rows: &[
        row(&["MODEENT"], &["RUSIZES"], ValueForm::RuSizes),
        row(
            &["MODEENT"],
            &["PSNDPAC", "SSNDPAC", "SRCVPAC"],
            ValueForm::PacingCount,
        ),
        row(&["MODEENT"], &["FMPROF", "TSPROF"], ValueForm::Byte),
    ],
    others: &[UnreadKeywords {
        on: &["MODEENT"],
        names: &[
            "LOGMODE", "COS", "APPNCOS", "TYPE", "PRIPROT", "SECPROT", "COMPROT", "PSERVIC",
            "ENCR", "ENCRTYPE", "MAC", "MACLNTH", "MACTYPE", "CKEY", "CKEYNAME", "CERTIFY",
            "CRYPTOR", "COMPRES", "DCODE", "LANG", "MCPTCN", "SRCHRED", "REGISTER",
        ],
        complete: false,
    }],
};

/// The same; NCP, SSP and EP Resource Definition Reference. A keyword may be on
/// a higher statement than its own, so most rows apply to all.
pub(crate) static VTAM_NODES: Table = Table {
    kinds: &["vtam-node", "ncp"],
    style: KeywordStyle::Equals,
    variables: true,
    rows: &[
        row(
            &[],
            &["VPACING"],
            ValueForm::Places(&[
                Some(ValueForm::Number(0, 255)),
                Some(ValueForm::Number(0, 255)),
            ]),
        ),
        row(
            &["APPL"],
            &["APPC", "PARSESS"],
            ValueForm::Words(&["YES", "NO"]),
        ),
        row(&[], &["DYNLU"], ValueForm::Words(&["YES", "NO"])),
        row(&[], &["AUTOSES"], SESSIONS),
        row(&[], &["LOCADDR"], ValueForm::Number(0, 255)),
        row(&[], &["PUTYPE"], ValueForm::Places(&[UNIT_TYPE, UNIT_TYPE])),
        row(
            &[],
            &["MAXDATA", "MAXTSL", "RCVBUFC", "UNITSZ", "PASSLIM"],
            BYTES,
        ),
        row(&[], &["MAXBFRU", "MAXBUFRU", "INBFRS"], BYTES),
        row(&[], &["MAXOUT"], LINK_WINDOW),
        row(&[], &["BFRS"], ValueForm::Number(1, 240)),
        row(&[], &["SLODOWN"], ValueForm::Number(1, 100)),
        row(&[], &["DELAY"], ValueForm::Seconds(6553)),
        row(&[], &["TRSPEED"], ValueForm::Words(&["4", "16"])),
        row(&[], &["DYNLU"], ValueForm::Words(&["YES", "NO"])),
        row(
            &[],
            &["LNCTL"],
            ValueForm::Words(&["SDLC", "BSC", "SS", "CA", "CTCA", "MPC", "NCP", "USER"]),
        ),
        row(
            &[],
            &["T2TIMER"],
            ValueForm::Places(&[
                Some(ValueForm::Seconds(255)),
                Some(ValueForm::Seconds(255)),
                Some(LINK_WINDOW),
            ]),
        ),
    ],
    others: &[],
};

/// z/OS Communications Server SNA Resource Definition Reference, buffer pool
/// start options: number, size, slowdown point, F, and of the expansion its
/// number, point and limit in kilobytes. VTAM takes no size below 256.
pub(crate) static VTAM_START: Table = Table {
    kinds: &["vtam-start"],
    style: KeywordStyle::Equals,
    variables: true,
    rows: &[row(
        &[],
        &["IOBUF"],
        ValueForm::Places(&[
            Some(ValueForm::Number(0, 65_535)),
            Some(ValueForm::Number(256, 65_535)),
            Some(ValueForm::Number(0, 65_535)),
            Some(ValueForm::Words(&["F"])),
            Some(ValueForm::Number(0, 65_535)),
            Some(ValueForm::Number(0, 65_535)),
            Some(ValueForm::Number(0, u32::MAX)),
        ]),
    )],
    others: &[],
};

/// CICS TS resource definition, SESSIONS attributes; 0 sets no limit.
pub(crate) static CSD: Table = Table {
    kinds: &["csd"],
    style: KeywordStyle::Parentheses,
    variables: false,
    rows: &[
        row(
            &["SESSIONS"],
            &["SENDSIZE", "RECEIVESIZE"],
            ValueForm::Number(0, 30_720),
        ),
        row(
            &["SESSIONS"],
            &["AUTOCONNECT"],
            ValueForm::Words(&["NO", "YES", "ALL"]),
        ),
        row(&["SESSIONS"], &["MAXIMUM"], ValueForm::Sessions(999)),
    ],
    others: &[],
};

/// CMVERIFY.TXT of Communications Manager/2; an RU size of 0 sets no limit.
pub(crate) static CM2_NDF: Table = Table {
    kinds: &["cm2-ndf"],
    style: KeywordStyle::Parentheses,
    variables: false,
    rows: &[
        row(
            &["DEFINE_MODE"],
            &["MAX_RU_SIZE_UPPER_BOUND"],
            ValueForm::Number(0, RU.1),
        ),
        row(
            &["DEFINE_MODE"],
            &["DEFAULT_RU_SIZE"],
            ValueForm::Words(&["YES", "NO"]),
        ),
        row(&["DEFINE_MODE"], &["RECEIVE_PACING_WINDOW"], WINDOW),
        row(
            &["DEFINE_MODE"],
            &[
                "PLU_MODE_SESSION_LIMIT",
                "MAX_NEGOTIABLE_SESSION_LIMIT",
                "MIN_CONWINNERS_SOURCE",
            ],
            SESSIONS,
        ),
    ],
    others: &[UnreadKeywords {
        on: &["DEFINE_MODE"],
        names: &[
            "MODE_NAME",
            "COS_NAME",
            "DESCRIPTION",
            "COMPRESSION_NEED",
            "PLU_SLU_COMPRESSION",
            "SLU_PLU_COMPRESSION",
            "MAX_RU_SIZE_LOWER_BOUND",
            "MIN_CONLOSERS_SOURCE",
            "AUTO_ACTIVATE_LIMIT",
            "ENCRYPTION_SUPPORT",
        ],
        complete: false,
    }],
};

/// The panel of the LAN profile; the adapters' NIF files.
pub(crate) static CM2_LAN: Table = Table {
    kinds: &["cm2-lan"],
    style: KeywordStyle::Setting,
    variables: false,
    rows: &[
        row(
            &[],
            &[
                cm2_lan::FRAME,
                cm2_lan::RECEIVE_BUFFER,
                cm2_lan::CARD_BUFFER,
            ],
            BYTES,
        ),
        row(
            &[],
            &[cm2_lan::SEND_WINDOW, cm2_lan::RECEIVE_WINDOW],
            LINK_WINDOW,
        ),
        row(&[], &[cm2_lan::MAX_RU], ValueForm::Number(RU.0, RU.1)),
    ],
    others: &[],
};

/// The tuning guide; no public manual of the two files was found.
pub(crate) static NSDOS: Table = Table {
    kinds: &["nsdos"],
    style: KeywordStyle::Equals,
    variables: false,
    rows: &[
        row(&["TRMF"], nsdos::FRAME, BYTES),
        row(&["TRLD"], &["MAXIN", "MAXOUT"], LINK_WINDOW),
        row(
            &["MODE"],
            &[nsdos::RU],
            ValueForm::NumberOr(RU.0, RU.1, &["*"]),
        ),
        row(&["MODE"], &[nsdos::RECEIVE_PACING], WINDOW),
    ],
    others: &[],
};

/// OS/400 CL Reference: CRTMODD, CRTLINTRN, CRTLINX25, CRTCTLAPPC.
pub(crate) static AS400: Table = Table {
    kinds: &["as400"],
    style: KeywordStyle::Command,
    variables: true,
    rows: &[
        row(MODD, &["MAXSSN"], ValueForm::Number(1, 512)),
        row(MODD, &["LCLCTLSSN"], ValueForm::Number(0, 512)),
        row(MODD, &["INPACING", "OUTPACING"], WINDOW),
        row(
            MODD,
            &["MAXLENRU"],
            ValueForm::NumberOr(241, 32_767, &["*CALC"]),
        ),
        row(
            &["CRTLIN*", "CHGLIN*"],
            &["MAXFRAME"],
            ValueForm::Number(128, 16_393),
        ),
        row(
            &["CRTCTL*", "CHGCTL*"],
            &["MAXFRAME"],
            ValueForm::NumberOr(128, 16_393, &["*LINKTYPE"]),
        ),
        row(
            &["CRTLIN*", "CHGLIN*", "CRTCTL*", "CHGCTL*"],
            &["LANMAXOUT", "LANACKFRQ"],
            ValueForm::NumberOr(1, 127, &["*CALC"]),
        ),
        row(
            &["CRTLINTRN", "CHGLINTRN"],
            &["LINESPEED"],
            ValueForm::Words(&["4M", "16M", "100M", "*AUTO", "*NWI"]),
        ),
        row(
            &["CRTLINX25", "CHGLINX25"],
            &["DFTPKTSIZE"],
            ValueForm::Row(2, &ValueForm::NumberOr(64, 4096, &["*SAME"])),
        ),
    ],
    others: &[UnreadKeywords {
        on: MODD,
        names: &[
            "MODD",
            "MAXCNV",
            "PREESTSSN",
            "MAXINPAC",
            "DTACPR",
            "INDTACPR",
            "OUTDTACPR",
            "SLE",
            "TEXT",
            "COS",
            "AUT",
        ],
        complete: true,
    }],
};
pub(super) const MODD: &[&str] = &["CRTMODD", "CHGMODD"];

/// Using AIX SNA Services/6000; AIX commands no and chdev.
pub(crate) static AIX: Table = Table {
    kinds: &["aix-sna"],
    style: KeywordStyle::Stanza,
    variables: false,
    rows: &[
        row(
            &[aix::MODE],
            aix::RU,
            ValueForm::NumberOr(RU.0, RU.1, DEFAULTS),
        ),
        // The guide's text asks for a send window of 127.
        row(
            &[aix::MODE],
            aix::SEND_PACING,
            ValueForm::NumberOr(0, 127, DEFAULTS),
        ),
        row(
            &[aix::MODE],
            aix::RECEIVE_PACING,
            ValueForm::NumberOr(0, 127, DEFAULTS),
        ),
        row(&[aix::MODE], aix::SESSIONS, SESSIONS),
        row(&[aix::MODE], aix::WINNERS, SESSIONS),
        row(
            &[aix::LOGICAL_LINK],
            aix::FRAME,
            ValueForm::NumberOr(1, 65_535, DEFAULTS),
        ),
        row(
            &[aix::LOGICAL_LINK],
            aix::TRANSMIT_COUNT,
            ValueForm::NumberOr(1, 127, DEFAULTS),
        ),
        row(
            &[aix::LOGICAL_LINK],
            aix::RECEIVE_COUNT,
            ValueForm::NumberOr(1, 127, DEFAULTS),
        ),
        row(
            &[aix::OPTION],
            &["THEWALL", "LOWCLUST", "LOWMBUF", "MB_CL_HIWAT"],
            ValueForm::Number(0, u32::MAX),
        ),
        row(
            &[aix::ADAPTER],
            &["XMT_QUE_SIZE", "REC_QUE_SIZE"],
            ValueForm::Number(1, 65_535),
        ),
    ],
    others: &[],
};
/// Values of a size or a window of a profile in addition to numbers.
const DEFAULTS: &[&str] = &["system_defined", "default"];
