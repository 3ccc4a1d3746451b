//! The 3270 data stream: commands, orders, attributes and structured fields in
//! both directions, each with `parse` and `emit`.
//!
//! Host to terminal: [`Command`], [`Wcc`], [`OrderReader`], [`StructuredFields`].
//! Terminal to host: [`InboundRecord`], [`QueryReply`].
//! Reference: 3270 Data Stream Programmer's Reference (GA23-0059).
//! Invariant: nothing here keeps a screen; addresses are checked against a
//! number of positions that the caller gives.

pub mod address;
mod aid;
mod attribute;
mod builder;
mod command;
mod error;
mod inbound;
mod order;
pub(crate) mod query;
mod structured;

pub use aid::Aid;
pub use attribute::{
    AttributeType, CharacterSet, Color, ExtendedAttributes, FieldAttribute, Highlight, Intensity,
};
pub use builder::OutboundBuilder;
pub use command::{Command, Wcc};
pub use error::{ErrorKind, StreamError};
pub use inbound::{InboundField, InboundFields, InboundRecord, plain_data};
pub use order::{AttributePairs, GraphicCharacter, Order, OrderReader};
pub use query::{QueryReplies, QueryReply, QuerySummary, UsableArea};
pub use structured::{OutboundField, QueryRequest, ReplyMode, StructuredFields};
