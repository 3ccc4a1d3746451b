//! Paper 004, the APPC tuning guide, on a token ring in virtual time.
//!
//! | file | what |
//! |---|---|
//! | [`mainframe`] | the network of Appendix A, before and after |
//! | [`micro`] | the network of Appendix B, defaults and tuned |
//! | [`machine`] | what the machines cost, calibrated or assumed, as data |
//! | [`figures`] | every published figure and what the simulation says of it |
//! | [`attribution`] | one parameter at a time |
//! | [`contradiction`] | both readings where the guide contradicts itself |
//! | [`sweep`] | pictures of throughput against one parameter |
//!
//! Invariant: a cost is calibrated on one side of a published pair at most;
//! nothing is fitted to a figure that is then called a prediction.

pub mod attribution;
pub mod contradiction;
pub mod figures;
pub mod machine;
pub mod mainframe;
pub mod micro;
pub mod sweep;
