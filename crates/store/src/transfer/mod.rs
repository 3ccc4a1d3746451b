//! Records in and out of a file: the implementation of `tupelo file load` and `dump`.
//!
//! ```text
//! bytes ─▶ Framing ─▶ Convert ─▶ rules of FileDef ─▶ Sorter ─▶ store     load
//! bytes ◀─ Framing ◀─ Convert ◀───────────────────────────────── store     dump
//! ```
//!
//! A [`Framing`] defines where a record begins and ends, a [`Convert`] the
//! meaning of its bytes: unchanged, in another code page, or JSON through a
//! copybook. They are independent of each other.
//!
//! Invariant: memory is bounded for every size and order of the input.

mod codepage;
mod convert;
mod copy;
mod copybook;
mod dump;
mod framing;
mod load;
pub(crate) mod sort;
mod source;

pub use codepage::Translate;
pub use convert::{Convert, ConvertError, Verbatim};
pub use copy::copy;
pub use copybook::{JsonRecords, ThroughCopybook};
pub use dump::{DumpError, DumpOptions, DumpReport, dump};
pub use framing::{Framing, FramingError};
pub use load::{LoadError, LoadEvent, LoadMode, LoadOptions, LoadReport, Reject, load};
pub use source::Source;
