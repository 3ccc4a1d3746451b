//! The values that rules read, checked once for every statement.
//!
//! Each product has a table of keywords ([`rows`]) with the form of their values
//! ([`form`]). An invalid value is an error of the reader ([`judge`], and
//! [`within`] for two values that must fit each other), and it is *open*: no rule
//! may report a finding that depends on it ([`crate::worlds`]). The reference page
//! is made from the same tables.
//!
//! Invariant: only this module decides whether a value is a number.

mod form;
mod judge;
mod keywords;
mod rows;
#[cfg(test)]
mod spoilt;
#[cfg(test)]
mod tests;
mod within;

pub(crate) use form::WORLDS;
pub(crate) use rows::{TABLES, table};
