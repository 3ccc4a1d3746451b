//! The vocabulary of CICS: names, the EIB, conditions and abend codes, the
//! command table, CVDAs, times and resource definitions.
//!
//! Everything that two parts of the system must agree on about EXEC CICS is
//! here, as data: the translator, the worker, the region and the reference
//! pages read the same tables. The crate is pure: no files, no clock.

#![forbid(unsafe_code)]

pub mod abend;
pub mod abi;
pub mod aid;
pub mod cobol;
pub mod command;
pub mod csd;
pub mod cvda;
pub mod eib;
pub mod file;
pub mod name;
pub mod names;
pub mod resp;
pub mod time;
pub mod urm;
