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

pub use format::Format;
pub use piece::{Piece, PieceKind};
pub use resolver::{CopyFolders, CopyResolver, Member, NoCopy};
pub use whole::{Preprocessed, preprocess};
pub use words::words;

pub(crate) use copy::expand;
pub(crate) use cursor::{Cursor, Token};
pub(crate) use placeholder::tell_placeholders;
pub(crate) use program::{data_division, environment};
pub(crate) use reader::{Lines, read};
pub(crate) use whole::lines_of;
