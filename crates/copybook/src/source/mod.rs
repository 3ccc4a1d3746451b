//! Source text before it is understood: reference format, COPY, REPLACE, and
//! the data division of whole programs.

mod comment;
mod copy;
mod cursor;
mod format;
mod piece;
mod placeholder;
mod program;
mod reader;
mod replace;
mod resolver;
mod statement;
mod whole;
mod words;

pub use format::ReferenceFormat;
pub use piece::{PieceKind, TextPiece};
pub use resolver::{CopyFolders, CopyMember, CopyResolver, NoCopy};
pub use whole::{PreprocessedText, preprocess};
pub use words::words;

pub(crate) use copy::expand;
pub(crate) use cursor::{Cursor, Token};
pub(crate) use placeholder::report_placeholders;
pub(crate) use program::{data_division, environment};
pub(crate) use reader::{LineOptions, read};
pub(crate) use whole::lines_of;
