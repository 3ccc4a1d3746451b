//! stub
pub mod oid;
