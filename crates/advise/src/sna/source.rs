//! The sections of the APPC tuning guide and the manuals that rules cite.

/// General guidelines: modes, request units, pacing windows.
pub(crate) const GENERAL: &str = "paper 004: APPC tuning guide, general tuning guidelines";
/// Data link control.
pub(crate) const LINKS: &str = "paper 004: APPC tuning guide, data link control recommendations";
/// Modes that differ and modes that are missing.
pub(crate) const MODES: &str = "paper 004: APPC tuning guide, mode consistency and propagation";
/// Communications Manager/2.
pub(crate) const CM2: &str = "paper 004: APPC tuning guide, Communications Manager/2";
/// Networking Services/DOS.
pub(crate) const NSDOS: &str = "paper 004: APPC tuning guide, Networking Services/DOS";
/// SNA Services/6000.
pub(crate) const AIX: &str = "paper 004: APPC tuning guide, SNA Services/6000";
/// AS/400.
pub(crate) const AS400: &str = "paper 004: APPC tuning guide, AS/400";
/// NCP.
pub(crate) const NCP: &str = "paper 004: APPC tuning guide, NCP";
/// VTAM.
pub(crate) const VTAM: &str = "paper 004: APPC tuning guide, VTAM";
/// CICS with VTAM, and parameters that must match.
pub(crate) const MATCHING: &str =
    "paper 004: APPC tuning guide, matching parameters across platforms";
/// The measured network before and after.
pub(crate) const FIGURES_6_7: &str = "paper 004: APPC tuning guide, figures 6 and 7";
/// The best values between OS/2 and DOS machines.
pub(crate) const FIGURES_9_10: &str = "paper 004: APPC tuning guide, figures 9 and 10";
/// The operands of VTAM.
pub(crate) const RESOURCE_DEFINITION: &str =
    "z/OS Communications Server SNA Resource Definition Reference";
/// The operands of NCP.
pub(crate) const NCP_DEFINITION: &str = "NCP, SSP and EP Resource Definition Reference";
