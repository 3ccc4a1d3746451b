//! Basic Mapping Support of CICS: maps from assembler macros, their symbolic
//! copybooks, and what the SEND and RECEIVE commands do with them.
//!
//! [`parse`] reads a source and reports all its mistakes. [`copybook()`] writes
//! the symbolic map that programs COPY. [`MapLayout`] is a map ready for
//! [`send_map`] and [`receive_map`], which turn bytes of programs into 3270 data
//! streams and back. Code pages are the caller's ([`TerminalPage`]).
//!
//! Reference: CICS application programming reference, "BMS macros", "SEND MAP",
//! "RECEIVE MAP". Invariant: no socket, no file, no clock; no input panics.

#![forbid(unsafe_code)]

pub mod attribute;
mod codepage;
pub mod constants;
mod copybook;
mod layout;
mod model;
mod paint;
mod picture;
mod read;
mod receive;
mod send;
mod stream;
mod terminal;

pub use attribute::{AttributeSet, AttributeValues, ExtendedAttribute, FieldAttribute};
pub use codepage::TerminalPage;
pub use copybook::{OccursForm, UnsupportedLanguage, cobol_copybook, copybook};
pub use layout::{FieldPart, MapLayout, PREFIX_BYTES, ScreenField, ScreenSize};
pub use model::{Control, Field, Initial, Justify, Map, MapLanguage, MapMode, MapSet, MapStorage};
pub use paint::paint;
pub use picture::picture_length;
pub use read::{MapSource, parse, source_text};
pub use receive::{
    FLAG_CURSOR, FLAG_ERASED, InboundRecord, ReceiveError, is_short_read, receive_map,
};
pub use send::{
    CursorOption, MapContents, SendError, SendMap, SendText, send_control, send_map, send_text,
};
pub use stream::{AttributePairs, OutboundStream, StreamItem, WriteCommand};
pub use terminal::{EraseOption, TerminalProfile};
