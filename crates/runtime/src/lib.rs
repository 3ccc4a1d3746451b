//! What COBOL programs need of a run-time library beside libcob, whichever
//! process hosts them: a region's worker or a batch job.
//!
//! `c/decimal.c` checks decimal data as a processor of z/Architecture does. The
//! build scripts of the hosts compile it into their C side, and `c/functions.c` with
//! the intrinsic functions that libcob lacks or does otherwise.
//!
//! [`markup`] does the statements JSON GENERATE, JSON PARSE, XML GENERATE and
//! XML PARSE. The translator writes each of them as a CALL of [`markup::ENTRY`]
//! with a descriptor; the hosts give [`markup::Statements`] the operands.
//!
//! [`le`] does the services of Language Environment that programs CALL, for dates,
//! messages and abnormal ends.
//! [`sql`] does the statements of EXEC SQL over a connection that its host
//! gives it.
//!
//! Invariant: nothing here knows a region, a store or a file.

#![forbid(unsafe_code)]

pub mod le;
pub mod markup;
pub mod sql;
