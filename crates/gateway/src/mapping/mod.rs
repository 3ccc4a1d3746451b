//! Mappings: from a request to the records of a program, and from its records
//! to a response.
//!
//! [`tree`] reads the YAML, [`expr`] sorts the JSONata by its cost, [`plan`]
//! resolves every name against the asset, and [`context`] makes values from
//! plans while a request is served. [`request`] and [`response`] are the two
//! directions.

pub(crate) mod context;
pub(crate) mod expr;
mod growth;
#[cfg(test)]
mod meaning;
pub(crate) mod plan;
pub(crate) mod reads;
pub(crate) mod request;
pub(crate) mod response;
#[cfg(test)]
mod suite;
mod text;
pub(crate) mod tree;
mod width;

/// Never panics on any text: for the fuzz target.
#[doc(hidden)]
pub fn fuzz_expression(source: &str) {
    let _ = expr::compile(source);
    let _ = expr::compile_condition(source);
    let _ = expr::compile_template(source);
    let _ = expr::general(source);
}
