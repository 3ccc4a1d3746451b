//! Tests of the crate from outside, against GnuCOBOL where it can tell.

mod corpus;
mod fuzz;
mod generate;
mod oracle;
mod pictures;
mod rejected;
