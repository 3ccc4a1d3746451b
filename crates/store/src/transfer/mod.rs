//! Records in and out of a file: the implementation of `tupelo file load` and `dump`.
//!
//! ```text
//! bytes ─▶ Framing ─▶ Convert ─▶ rules of FileDef ─▶ Sorter ─▶ store     load
//! bytes ◀─ Framing ◀─ Convert ◀───────────────────────────────── store     dump
//! ```
//!
//! A [`RecordFraming`] defines where a record begins and ends, a [`RecordConverter`] the
//! meaning of its bytes: unchanged, in another code page, or JSON through a
//! copybook. The two are independent of each other.
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

pub use codepage::PageTranslation;
pub use convert::{ConvertError, RecordConverter, VerbatimConverter};
pub use copy::copy;
pub use copybook::{JsonRecords, ThroughCopybook};
pub use dump::{DumpError, DumpOptions, DumpReport, dump};
pub use framing::{FramingError, RecordFraming};
pub use load::{LoadError, LoadEvent, LoadMode, LoadOptions, LoadReport, RejectReason, load};
pub use source::FileSource;
