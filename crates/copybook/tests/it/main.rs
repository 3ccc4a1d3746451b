//! Tests of the crate from outside, against GnuCOBOL where it can tell.

mod corpus;
mod generate;
mod oracle;
