//! Settings of a Linux system: sysctl, routes and links.

pub mod rules;

use crate::kind::Kind;

/// What a document of this area says.
#[derive(Debug, Clone)]
pub enum Content {}

/// The kinds of this area.
pub(crate) static KINDS: &[&Kind] = &[];
