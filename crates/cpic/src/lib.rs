//! CPI-C for C and COBOL programs: `libcpic.so`, with `include/cmc.h`.
//!
//! Every call of the header is one exported function; the calls' behaviour is
//! `sna::cpic`, and their node is an `appc` host of this process, started by
//! the first call. The environment variable `TUPELO_APPC` names the TOML file
//! whose `[appc]` section configures it; `TUPELO_APPC_TPN` names the
//! transaction program that CMACCP accepts.
//!
//! Layer 3. Invariant: no pointer is read beyond the length that the header
//! gives it, a null pointer is a return code, and a panic never crosses into C.

mod calls;
mod characteristics;
mod library;
mod raw;
mod services;

pub use calls::*;
pub use characteristics::*;
pub use services::*;
