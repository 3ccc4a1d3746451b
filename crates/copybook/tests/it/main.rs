//! Tests of the crate from outside, against GnuCOBOL where it can tell.

mod codec;
mod codec_oracle;
mod codec_properties;
mod copying;
mod corpus;
mod decimal_comma;
mod fuzz;
mod generate;
mod oracle;
mod pictures;
mod rejected;
mod schema;
mod source;
