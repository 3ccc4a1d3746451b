//! Source text before it is understood: reference format, COPY, REPLACE, and
//! the data division of whole programs.

mod copy;
mod cursor;
mod format;
mod piece;
mod program;
mod reader;
mod replace;
mod resolver;

pub use format::Format;
pub use resolver::{CopyFolders, CopyResolver, Member, NoCopy};

pub(crate) use copy::expand;
pub(crate) use cursor::{Cursor, Token};
pub(crate) use piece::Piece;
pub(crate) use program::{data_division, environment};
pub(crate) use reader::read;
