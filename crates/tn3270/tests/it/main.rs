//! Tests of the crate as its users see it: recorded exchanges, malformed input,
//! sessions from the first byte to the end, properties, and s3270.

mod malformed;
mod properties;
mod s3270;
mod scenario;
mod screen;
mod session;
mod support;
