//! The papers and manuals that rules cite.

/// The site visit: load, task limits, file control, MSS, acknowledgements.
pub(crate) const PAPER_000: &str = "paper 000: HostBridge, We do performance";
/// Socket applications.
pub(crate) const PAPER_001: &str = "paper 001: HostBridge, CICS socket applications";
/// Delayed acknowledgements.
pub(crate) const PAPER_002: &str =
    "paper 002: IBM Support, Performance problem with CICS Web Services";
/// z/OS Connect.
pub(crate) const PAPER_003: &str = "paper 003: IBM, z/OS Connect EE V3.0 performance";
