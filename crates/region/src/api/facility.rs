//! The principal facility of a task.

use link::Name;

use crate::api::Conversation;

/// A task's principal facility.
pub enum PrincipalFacility {
    /// No facility.
    None,
    /// The partner that attached it.
    Conversation(Box<dyn Conversation>),
    /// A terminal, by its name.
    Terminal(Name<4>),
}
