//! Rules over one keyword of a VTAM, NCP or station text: where it is coded, what
//! is wrong with its value, and the lines to code instead.
//!
//! Reference: the APPC tuning guide.

use super::coded::{CodedSetting, coded, each};
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::kind::DocumentKind;
use crate::rule::{RuleCheck, TuningRule};
use crate::sna::kinds::{aix, as400, cm2_lan, nsdos, vtam};
use crate::sna::model::{SessionProduct, bulk, host_modes, modes};
use crate::sna::ru;
use crate::sna::source::{
    AIX, AS400, CM2, FIGURES_6_7, FIGURES_9_10, GENERAL, LINKS, NCP, NSDOS, VTAM,
};

/// Where a keyword is looked for.
enum KeywordPlace {
    /// Wherever it is coded; in a text without it, the first statement of this verb.
    First(&'static DocumentKind, &'static str),
    /// Wherever it is coded, and each statement of this verb without it.
    Each(&'static DocumentKind, &'static str),
    /// Each statement of these verbs.
    Statements(&'static [&'static DocumentKind], &'static [&'static str]),
    /// Each entry of a mode table of the host that may carry bulk data.
    HostModes,
    /// Each mode of a product.
    Modes(SessionProduct),
    /// Each mode of a product that may carry bulk data.
    BulkModes(SessionProduct),
}

/// A keyword with its good values.
struct KeywordTest {
    on: KeywordPlace,
    /// Keywords that are judged alike, each with its spellings.
    names: &'static [&'static [&'static str]],
    bad: fn(&CodedSetting<'_>) -> bool,
    /// Values to code, each with a remark or none.
    lines: &'static [(&'static str, &'static str)],
    needs: Option<&'static str>,
}

impl KeywordPlace {
    fn settings<'a>(
        &self,
        set: &'a DocumentSet,
        names: &'static [&'static [&'static str]],
    ) -> Vec<CodedSetting<'a>> {
        let on = |(d, s)| names.iter().map(move |names| CodedSetting::on(d, s, names));
        let of = |product, wanted: fn(&str) -> bool| {
            let all = modes(set).into_iter();
            let all = all.filter(move |m| m.product == product && wanted(&m.name));
            all.flat_map(|m| on((m.document, m.statement))).collect()
        };
        match *self {
            KeywordPlace::First(kind, home) => {
                let all = names.iter().flat_map(|names| coded(set, kind, names, home));
                all.collect()
            }
            KeywordPlace::Each(kind, home) => {
                let all = names.iter().flat_map(|names| each(set, kind, names, home));
                all.collect()
            }
            KeywordPlace::Statements(kinds, verbs) => {
                let of = |kind| verbs.iter().flat_map(move |verb| set.stated(kind, verb));
                kinds.iter().copied().flat_map(of).flat_map(on).collect()
            }
            KeywordPlace::HostModes => {
                let all = host_modes(set).into_iter().filter(|m| bulk(&m.name));
                all.flat_map(|m| on((m.document, m.statement))).collect()
            }
            KeywordPlace::Modes(product) => of(product, |_| true),
            KeywordPlace::BulkModes(product) => of(product, bulk),
        }
    }
}

impl<const N: usize> RuleCheck for [KeywordTest; N] {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        for test in self {
            test.find(rule, set, out);
        }
    }
}

impl RuleCheck for KeywordTest {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        let settings = self.on.settings(set, self.names);
        for setting in settings.iter().filter(|c| (self.bad)(c)) {
            let mut finding = setting.finding(rule);
            for (value, remark) in self.lines {
                finding = finding.code(if remark.is_empty() {
                    setting.line(value)
                } else {
                    setting.noted(value, remark)
                });
            }
            out.push(match self.needs {
                Some(needs) => finding.needs(needs),
                None => finding,
            });
        }
    }
}

/// Where the link settings of SNA Services/6000 are coded.
const AIX_LINK: KeywordPlace = KeywordPlace::Statements(&[&aix::KIND], &[aix::LOGICAL_LINK]);

pub(super) static VTAM_RUSIZES: TuningRule = TuningRule {
    name: "sna.vtam.rusizes",
    summary: "A mode for bulk data allows RUs below 64 KB.",
    why: "The sizes in the mode table are where the host's negotiation begins, and nothing is \
          negotiated upwards. VTAM takes RUs of up to 64 KB; stations lower the size to what they \
          can do.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[VTAM, FIGURES_6_7],
    check: &KeywordTest {
        on: KeywordPlace::HostModes,
        names: &[&["RUSIZES"]],
        bad: |c| {
            // X'00' sets no limit.
            let small = |half: Option<u32>| half.is_some_and(|n| n < 65_536);
            let sizes = c.operand.map(|o| ru::rusizes(&o.value).unwrap_or_default());
            sizes.is_none_or(|(secondary, primary)| small(secondary) || small(primary))
        },
        lines: &[("X'8D8D'", "")],
        needs: Some("the mode table assembled and loaded again: MODIFY TABLES,OPTION=LOAD"),
    },
};

pub(super) static VTAM_MODE_PACING: TuningRule = TuningRule {
    name: "sna.vtam.mode-pacing",
    summary: "PSNDPAC, SSNDPAC or SRCVPAC of a mode for bulk data is below 63.",
    why: "Each end waits for a pacing response after so many RUs. With adaptive pacing the largest \
          window costs nothing: the receiver opens it as far as its buffers allow.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[FIGURES_6_7, GENERAL, VTAM],
    check: &KeywordTest {
        on: KeywordPlace::HostModes,
        names: &[&["PSNDPAC"], &["SSNDPAC"], &["SRCVPAC"]],
        // 0 means no pacing, which exceeds any window; 63 is the largest of a BIND.
        bad: |c| !matches!(c.operand.and_then(|o| ru::pacing(&o.value)), Some(0 | 63)),
        lines: &[("X'3F'", "63")],
        needs: None,
    },
};

/// Bytes of a buffer of UNITSZ and IOBUF.
pub(super) const UNIT_BYTES: u32 = 4000;

pub(super) static NCP_UNITSZ: TuningRule = TuningRule {
    name: "sna.ncp.unitsz",
    summary: "UNITSZ is below 4,000 bytes.",
    why: "NCP hands data to the host in buffers of this length. Bulk data moves with less work in \
          large ones; IOBUF of VTAM has the same length.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NCP, FIGURES_6_7],
    check: &KeywordTest {
        on: KeywordPlace::Each(&vtam::NCP, "HOST"),
        names: &[&["UNITSZ"]],
        bad: |c| c.number().is_none_or(|n| n < UNIT_BYTES),
        lines: &[("4000", "")],
        needs: Some("IOBUF of 4000 bytes in VTAM's start options"),
    },
};

pub(super) static NCP_BFRS: TuningRule = TuningRule {
    name: "sna.ncp.bfrs",
    summary: "BFRS is below 240 bytes.",
    why: "NCP chains its buffers for a frame; the fewer it needs, the less work a frame is. 240 is \
          the largest length it takes.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NCP, FIGURES_6_7],
    check: &KeywordTest {
        on: KeywordPlace::First(&vtam::NCP, "BUILD"),
        names: &[&["BFRS"]],
        bad: |c| c.number() != Some(240),
        lines: &[("240", "")],
        needs: None,
    },
};

pub(super) static NCP_SLODOWN: TuningRule = TuningRule {
    name: "sna.ncp.slodown",
    summary: "SLODOWN is not 6 percent.",
    why: "Below this share of free buffers NCP takes no more data from its stations. A high share \
          slows the network down while most buffers are still free; 6 percent are enough in the \
          busiest hour.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NCP, FIGURES_6_7],
    check: &KeywordTest {
        on: KeywordPlace::First(&vtam::NCP, "BUILD"),
        names: &[&["SLODOWN"]],
        bad: |c| c.number() != Some(6),
        lines: &[("6", "")],
        needs: None,
    },
};

pub(super) static NCP_MAXOUT: TuningRule = TuningRule {
    name: "sna.ncp.maxout",
    summary: "MAXOUT is coded below 7.",
    why: "NCP stops after so many frames until the station acknowledges. Set it as large as the \
          link and the receiver allow: 7 with modulo 8, up to 127 with modulo 128. A noisy link is \
          the exception: what is outstanding must be sent again, so windows and frames stay small. \
          The guide promises values for each type of link and gives none; both its tables keep the \
          default.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[NCP, LINKS],
    check: &KeywordTest {
        on: KeywordPlace::Statements(&[&vtam::NCP, &vtam::MAJOR], &["PU"]),
        names: &[&["MAXOUT"]],
        bad: |c| c.number().is_some_and(|n| n < 7),
        lines: &[("7", "")],
        needs: Some("a reliable link"),
    },
};

pub(super) static CM2_DLC_RU: TuningRule = TuningRule {
    name: "sna.cm2.dlc-ru",
    summary: "The LAN profile of Communications Manager/2 limits RUs to other sizes than 7,168 or 16,384.",
    why: "This limit holds for every mode over the adapter. In the guide's measurements 7,168 was \
          best for files between OS/2 and DOS machines; 1,024, the default, did as well for \
          inquiries alone. The text asks for 16,384.",
    severity: FindingSeverity::Advice,
    effect: Some(
        "paper 004, figure 9, all changes together: files 35 % faster between OS/2 machines, 41 % with DOS; inquiries 0 to 5.8 %, and 57 % with DOS",
    ),
    sources: &[FIGURES_9_10, CM2],
    check: &KeywordTest {
        on: KeywordPlace::First(&cm2_lan::KIND, ""),
        names: &[&[cm2_lan::MAX_RU]],
        bad: |c| !matches!(c.number(), Some(7168 | 16_384)),
        lines: &[
            ("7168", "figure 9: files; 1024 for inquiries alone"),
            ("16384", "the guide's text"),
        ],
        needs: None,
    },
};

pub(super) static CM2_RECEIVE_PACING: TuningRule = TuningRule {
    name: "sna.cm2.receive-pacing",
    summary: "The receive window of a mode of Communications Manager/2 for bulk data is below 63.",
    why: "Pacing is adaptive: the window is a limit that is reached only while buffers are free. The \
          send window is not configured; the partner grants it. For inquiries alone figure 9 has 24.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[CM2, FIGURES_6_7, FIGURES_9_10],
    check: &KeywordTest {
        on: KeywordPlace::BulkModes(SessionProduct::Cm2),
        names: &[&["RECEIVE_PACING_WINDOW"]],
        bad: |c| c.number() != Some(63),
        lines: &[("63", "")],
        needs: None,
    },
};

pub(super) static CM2_FRAME: TuningRule = TuningRule {
    name: "sna.cm2.frame",
    summary: "The LAN frames of Communications Manager/2 are below 4,000 bytes.",
    why: "Every frame costs both machines the same work, whatever is in it. Make it as large as the \
          partner takes: 4,000 served the guide's 4 Mb/s ring, 16,393 holds an RU of 16,384 on a \
          16 Mb/s ring. A noisy link is the exception.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[CM2, LINKS, FIGURES_6_7],
    check: &KeywordTest {
        on: KeywordPlace::First(&cm2_lan::KIND, ""),
        names: &[&[cm2_lan::FRAME]],
        bad: |c| c.number().is_some_and(|n| n < 4000),
        lines: &[("4000", "a ring of 4 Mb/s"), ("16393", "a ring of 16 Mb/s")],
        needs: Some("a partner that takes such frames"),
    },
};

pub(super) static CM2_RECEIVE_BUFFER: TuningRule = TuningRule {
    name: "sna.cm2.receive-buffer",
    summary: "The driver's receive buffers are below 2,040 bytes.",
    why: "A frame is received into a chain of these buffers; small ones make long chains. 2,040 was \
          best for files on a Turbo card, 2,048 (the default) on a Busmaster card. For inquiries \
          alone the default of 256 does as well.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[FIGURES_9_10],
    check: &KeywordTest {
        on: KeywordPlace::First(&cm2_lan::KIND, ""),
        names: &[&[cm2_lan::RECEIVE_BUFFER]],
        bad: |c| c.number().is_some_and(|n| n < 2040),
        lines: &[("2040", "Turbo card"), ("2048", "Busmaster card")],
        needs: None,
    },
};

pub(super) static CM2_CARD_BUFFER: TuningRule = TuningRule {
    name: "sna.cm2.card-buffer",
    summary: "The buffers of a busmaster card are below 2,048 bytes.",
    why: "Files went best between two machines with buffers of 2,048 bytes on the card; for inquiries \
          the default of 1,032 does as well.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[FIGURES_9_10],
    check: &KeywordTest {
        on: KeywordPlace::First(&cm2_lan::KIND, ""),
        names: &[&[cm2_lan::CARD_BUFFER]],
        bad: |c| c.number().is_some_and(|n| n < 2048),
        lines: &[("2048", "")],
        needs: None,
    },
};

pub(super) static NSDOS_RU: TuningRule = TuningRule {
    name: "sna.nsdos.ru",
    summary: "A mode of Networking Services/DOS names an RU size instead of `*`.",
    why: "This product sends one RU a frame and never cuts one. With `*` it takes the largest that a \
          frame holds, and grows with the frame.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[NSDOS, FIGURES_6_7],
    check: &KeywordTest {
        on: KeywordPlace::BulkModes(SessionProduct::NsDos),
        names: &[&[nsdos::RU]],
        bad: |c| !c.operand.is_some_and(|o| o.is("*")),
        lines: &[("*", "")],
        needs: None,
    },
};

pub(super) static AIX_PACING: TuningRule = TuningRule {
    name: "sna.aix.pacing",
    summary: "A session window of a mode profile of SNA Services/6000 for bulk data is below 63.",
    why: "RUs sent and received before a pacing response. The guide's text says 127 for the send \
          window, its table of tuned values 63 for both; a BIND carries 63 at most.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AIX, FIGURES_6_7],
    check: &[
        KeywordTest {
            on: KeywordPlace::BulkModes(SessionProduct::SnaServices),
            names: &[aix::SEND_PACING],
            bad: |c| !matches!(c.number(), Some(63 | 127)),
            lines: &[("63", "the guide's table"), ("127", "the guide's text")],
            needs: None,
        },
        KeywordTest {
            on: KeywordPlace::BulkModes(SessionProduct::SnaServices),
            names: &[aix::RECEIVE_PACING],
            bad: |c| !matches!(c.number(), Some(63 | 127)),
            lines: &[("63", "the guide's table")],
            needs: None,
        },
    ],
};

pub(super) static AIX_DLC_WINDOW: TuningRule = TuningRule {
    name: "sna.aix.dlc-window",
    summary: "The transmit or receive window count of the logical link is below 127.",
    why: "Frames sent and received before an acknowledgement; 127 is the most. The guide has 127 for \
          the link in its text and in its table.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AIX, FIGURES_6_7],
    check: &[
        KeywordTest {
            on: AIX_LINK,
            names: &[aix::TRANSMIT_COUNT],
            bad: |c| c.number() != Some(127),
            lines: &[("127", "")],
            needs: Some("APAR IX41022 for a transmit window above 10"),
        },
        KeywordTest {
            on: AIX_LINK,
            names: &[aix::RECEIVE_COUNT],
            bad: |c| c.number() != Some(127),
            lines: &[("127", "")],
            needs: None,
        },
    ],
};

pub(super) static AIX_FRAME: TuningRule = TuningRule {
    name: "sna.aix.frame",
    summary: "The logical link names a frame size instead of SYSTEM_DEFINED.",
    why: "With SYSTEM_DEFINED the size follows from the link itself and is the best for it.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AIX, FIGURES_6_7],
    check: &KeywordTest {
        on: AIX_LINK,
        names: &[aix::FRAME],
        bad: |c| c.operand.is_some_and(|o| !o.is("SYSTEM_DEFINED")),
        lines: &[("system_defined", "")],
        needs: None,
    },
};

pub(super) static AIX_QUEUES: TuningRule = TuningRule {
    name: "sna.aix.queues",
    summary: "The transmit or receive queue of the adapter is below 150.",
    why: "A window of 127 frames does not fit a queue of 30: what does not fit is thrown away and \
          sent again.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AIX, FIGURES_6_7],
    check: &KeywordTest {
        on: KeywordPlace::First(&aix::KIND, ""),
        names: &[&["XMT_QUE_SIZE"], &["REC_QUE_SIZE"]],
        bad: |c| c.number() != Some(150),
        lines: &[("150", "")],
        needs: None,
    },
};

pub(super) static AIX_MEMORY: TuningRule = TuningRule {
    name: "sna.aix.memory",
    summary: "thewall, lowclust, lowmbuf or mb_cl_hiwat is below the guide's value.",
    why: "SNA Services takes its buffers from mbufs and clusters. thewall (in KB) bounds them, the two \
          low marks keep some free for bursts, and mb_cl_hiwat is how many free clusters stay before \
          they go back to AIX: a low one makes memory come and go. Weigh them against the memory \
          that others on the machine need.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AIX, FIGURES_6_7],
    check: &[
        KeywordTest {
            on: KeywordPlace::First(&aix::KIND, ""),
            names: &[&["THEWALL"]],
            bad: |c| c.number().is_none_or(|n| n < 8192),
            lines: &[("8192", "")],
            needs: None,
        },
        KeywordTest {
            on: KeywordPlace::First(&aix::KIND, ""),
            names: &[&["LOWCLUST"], &["LOWMBUF"]],
            bad: |c| c.number().is_none_or(|n| n < 256),
            lines: &[("256", "")],
            needs: None,
        },
        KeywordTest {
            on: KeywordPlace::First(&aix::KIND, ""),
            names: &[&["MB_CL_HIWAT"]],
            bad: |c| c.number().is_none_or(|n| n < 512),
            lines: &[("512", "")],
            needs: None,
        },
    ],
};

pub(super) static AS400_RU: TuningRule = TuningRule {
    name: "sna.as400.ru",
    summary: "MAXLENRU of a mode description is not *CALC.",
    why: "OS/400 calculates the best RU for the frame size of the line, and calculates it again when \
          the line changes.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AS400, GENERAL],
    check: &KeywordTest {
        on: KeywordPlace::Modes(SessionProduct::As400),
        names: &[&["MAXLENRU"]], // *CALC is also the default.
        bad: |c| c.operand.is_some_and(|o| !o.is("*CALC")),
        lines: &[("*CALC", "")],
        needs: None,
    },
};

pub(super) static AS400_PACING: TuningRule = TuningRule {
    name: "sna.as400.pacing",
    summary: "INPACING or OUTPACING of a mode description is not 7.",
    why: "7 is the AS/400's own best window in both directions, where other products start at 8.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AS400],
    check: &KeywordTest {
        on: KeywordPlace::Modes(SessionProduct::As400),
        names: &[&["INPACING"], &["OUTPACING"]], // 7 is also the default of CRTMODD, where other products start at 8.
        bad: |c| c.operand.is_some() && c.number() != Some(7),
        lines: &[("7", "")],
        needs: None,
    },
};

pub(super) static AS400_X25: TuningRule = TuningRule {
    name: "sna.as400.x25",
    summary: "The default packet size of an X.25 line is small.",
    why: "On X.25 the packet size of the line counts, not MAXFRAME. Take the largest that the network \
          offers. The guide calls the parameter DFTPFSIZE; the command has DFTPKTSIZE.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[AS400],
    check: &KeywordTest {
        on: KeywordPlace::Statements(&[&as400::KIND], &["CRTLINX25", "CHGLINX25"]),
        names: &[&["DFTPKTSIZE"]],
        bad: |c| match c.operand {
            // One value, or one for each direction.
            Some(sizes) => {
                let mut sizes = sizes.value.split_whitespace();
                sizes.any(|n| n.parse::<u32>().is_ok_and(|n| n < 1024))
            }
            // CRTLINX25 without it takes packets of 128 bytes.
            None => c.statement.verb.starts_with("CRT"),
        },
        lines: &[("1024 1024", "")],
        needs: Some("packets of this size in the network subscription"),
    },
};
