//! Tuning rules over configuration text: TCP/IP profiles, CICS definitions,
//! Linux settings, VTAM and SNA products. Layer 0: text in, findings out.
//!
//! A [`Document`] is one file. Its [`DocumentKind`] is recognised from its content
//! or given by the caller, and its parser returns typed statements with their
//! positions. A [`DocumentSet`] has all files of one system, because the setting of
//! a port may depend on three of them. Each [`TuningRule`] is one row in the table
//! of a `rules/` folder. [`advise`] runs them and returns [`TuningFinding`]s in the order of the files. The reference page is made
//! from the same tables ([`reference_page`]).
//!
//! ```
//! use advise::{Document, DocumentSet, advise};
//!
//! let text = "TCPCONFIG DELAYACKS\nPORT\n  8080 TCP CICSA\n";
//! let document = Document::read("profile.tcpip", text, None)?;
//! let findings = advise(&DocumentSet::new([document]), &["tcpip.delayed-ack.port".into()]);
//! assert_eq!(findings[0].code, ["PORT 8080 TCP CICSA NODELAYACKS"]);
//! assert_eq!((findings[0].place.line, findings[0].place.column), (3, 3));
//! # Ok::<(), advise::UnknownKind>(())
//! ```
//!
//! Invariant: no text makes a parser or a rule panic, and nothing here reads a
//! file, a clock or this machine's own settings.

#![forbid(unsafe_code)]

mod document;
mod finding;
mod kind;
mod page;
pub mod report;
mod rule;
mod source;
mod text;
mod unknown;
mod worlds;

pub mod cicsts;
pub mod linux;
pub mod sna;
pub mod tcpip;

pub use document::{Document, DocumentContent, DocumentSet, FilePlace, LineColumn, ParsedText};
pub use finding::{FindingSeverity, TuningFinding};
pub use kind::{DocumentKind, UnknownKind, kinds};
pub use page::reference_page;
pub use rule::{TuningRule, advise, rule, rules};
pub use text::{NotText, decode};
pub use worlds::UnreadableValue;
