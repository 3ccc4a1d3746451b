//! Records to XML elements and back, compiled once, without a tree.
//!
//! [`XmlCodec::build`] takes a [`Structure`](crate::Structure): copybook source
//! and which element is which item. Conversions of numbers and text are those
//! of the crate `copybook`; this is the walk around them.
//!
//! A table is its element repeated, a group an element with elements. Names
//! must match in name and namespace, with any prefixes; their order need not be
//! the schema's. Text is taken unchanged, numbers without the blanks around
//! them. `xsi:nil` gives an item its initial value.

mod build;
mod decode;
mod encode;
mod forms;

pub(crate) use build::is_name;

use crate::binding::TextForm;
use copybook::codec::CodecItem;
use copybook::{CodecOptions, RecordCodec};
use std::ops::Range;
use std::sync::Arc;

/// Choices of a codec where more than one result is right.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct XmlOptions {
    /// Code page, trimming, rounding and so on of the items.
    pub record: CodecOptions,
    /// Elements that nothing names are skipped, not refused.
    pub ignore_unknown: bool,
    /// Items whose element is missing keep their initial value.
    pub allow_missing: bool,
    /// Limits of a message.
    pub limits: crate::xml::Limits,
}

/// A compiled structure. Cheap to clone and to share between threads.
#[derive(Debug, Clone)]
pub struct XmlCodec {
    plan: Arc<Plan>,
}

/// Why a structure, a record or a message cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    /// The copybook of a structure has faults.
    #[error("the copybook: {0}")]
    Copybook(String),
    /// An element of a structure has no fitting item.
    #[error("element {path}: {reason}")]
    Structure {
        /// Names from the root down.
        path: String,
        /// The reason.
        reason: String,
    },
    /// The message is not well-formed.
    #[error(transparent)]
    Xml(#[from] crate::xml::Error),
    /// An element of the message that does not fit.
    #[error("line {line}, column {column}: {path}: {reason}")]
    Message {
        /// Names from the root down, with subscripts.
        path: String,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// The reason.
        reason: String,
    },
    /// An item of the record that cannot be shown.
    #[error("{path}: {reason}")]
    Record {
        /// Names of elements from the root down, with subscripts.
        path: String,
        /// The reason.
        reason: String,
    },
}

/// A record with the containers that it names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordMessage {
    /// The record.
    pub record: Vec<u8>,
    /// Names and contents of further containers.
    pub containers: Vec<(String, Vec<u8>)>,
}

#[derive(Debug)]
struct Plan {
    parts: Vec<Part>,
    nodes: Vec<Node>,
    namespaces: Vec<String>,
    options: XmlOptions,
}

/// A record of the copybook.
#[derive(Debug)]
struct Part {
    codec: RecordCodec,
}

#[derive(Debug)]
struct Node {
    /// Names from the root, for messages.
    name: String,
    /// `<name>` in its final form; without `>` if attributes follow.
    open: Vec<u8>,
    /// `</name>`, or nothing for an attribute.
    close: Vec<u8>,
    local: Vec<u8>,
    /// Index into [`Plan::namespaces`].
    namespace: u16,
    attribute: bool,
    min: u32,
    max: u32,
    /// Bytes from one occurrence to the next within the record.
    stride: usize,
    /// The counter of the occurrences.
    count: Option<Count>,
    /// Fixed number of occurrences in the record when nothing counts them.
    fixed: u32,
    /// Index into [`Plan::parts`].
    part: usize,
    content: Content,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    item: CodecItem,
    /// Of an OCCURS DEPENDING ON: outside of all tables.
    global: bool,
}

#[derive(Debug)]
enum Content {
    /// An item by its picture; true for a number.
    Item(CodecItem, bool),
    /// The bytes at an offset, in their own form.
    Bytes(TextForm, Range<usize>),
    /// Attributes first, then elements, or the element's own text: a run of
    /// [`Plan::nodes`].
    Group {
        members: Range<usize>,
        attributes: usize,
        text: bool,
    },
    /// Occurrences in a container, whose name is in the item; the node of one.
    Contained { name: CodecItem, element: usize },
}
