//! Requests against the API's own document.
//!
//! Schemas and parameters are compiled when a project is loaded; a request is
//! then checked without looking at the document again.
//!
//! Reference: OpenAPI 3.0.3, Schema Object and Parameter Object.

pub(crate) mod format;
pub(crate) mod params;
pub(crate) mod schema;
