//! Tests of the public API, compared with GnuCOBOL where it supports the case.

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
