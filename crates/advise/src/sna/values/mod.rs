//! The values that rules read, checked once for every statement.
//!
//! Each product has a table of keywords ([`rows`]) with what a value may be
//! ([`form`]). A value that is not so is an error of the reader ([`judge`], and
//! [`within`] for two that must fit each other), and it is
//! *open*: no rule may say what depends on it ([`crate::worlds`]). The tables
//! make the reference page too.
//!
//! Invariant: nothing else in this area decides whether a value is a number.

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
