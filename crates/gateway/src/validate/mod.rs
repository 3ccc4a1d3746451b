//! Requests against the API's own document.
//!
//! Schemas and parameters are compiled when a project is loaded; a request is
//! then checked, and completed with the document's defaults, without looking
//! at the document again.
//!
//! Reference: OpenAPI 3.0.3, Schema Object and Parameter Object.

mod decimal;
mod defaults;
pub(crate) mod format;
pub(crate) mod params;
mod pattern;
pub(crate) mod schema;
mod walk;
