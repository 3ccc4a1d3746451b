//! What COBOL programs need of a run-time library beside libcob, whichever
//! process hosts them: a region's worker or a batch job.
//!
//! `c/decimal.c` checks decimal data as a processor of z/Architecture does. The
//! build scripts of the hosts compile it into their C side.
//!
//! Invariant: nothing here knows a region, a store or a file.

#![forbid(unsafe_code)]
