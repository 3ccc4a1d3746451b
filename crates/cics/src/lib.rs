//! The vocabulary of CICS: names, EIB, RESP and abend codes, the command table, resource definitions.

pub mod abi;
pub mod time;
