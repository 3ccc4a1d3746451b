//! Requests against the API's own document.
//!
//! Schemas and parameters are compiled when a project is loaded; a request is
//! then checked, and completed with the document's defaults, without looking
//! at the document again.
//!
//! Own code and not a library: a library of JSON Schema needs a tree of values,
//! and a request here never has one. Routing, validation, mapping and admission
//! together are a quarter of the door's CPU, some 3 µs of a request
//! (`docs/performance.md`); and faults are reported in the form of RFC 9457,
//! with exactly OpenAPI's keywords.
//!
//! Reference: OpenAPI 3.0.3 and 3.1.0, Schema Object and Parameter Object.

mod alternatives;
mod decimal;
mod defaults;
pub(crate) mod format;
mod newer;
pub(crate) mod params;
mod pattern;
pub(crate) mod schema;
mod walk;
