//! appc
#![allow(missing_docs)]
pub mod attribution;
pub mod contradiction;
pub mod figures;
pub mod machine;
pub mod mainframe;
pub mod micro;
pub mod sweep;
