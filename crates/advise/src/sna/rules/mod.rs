//! The rules of this area, one row each: general rules first, then those of each
//! product. Rules over one keyword are in [`keywords`], those over link windows of OS/2
//! and DOS in [`windows`], those over values that need a fix in [`fixes`]; the others
//! have a file each.
//! [`coded`], [`stations`], [`tiers`] and [`rings`] are their helpers.

mod aix_ru;
mod as400_dlc_window;
mod as400_frame;
mod cics_autoconnect;
mod cics_sizes;
mod cics_sizes_equal;
mod cm2_ru;
mod coded;
mod effective;
mod fixes;
mod frame_unlike;
mod keywords;
mod lowered;
mod mode_halves;
mod mode_missing;
mod mode_priority;
mod mode_table;
mod mode_unlike;
mod ncp_adapter;
mod ncp_delay;
mod ncp_iobuf_unitsz;
mod ncp_maxbfru;
mod ncp_maxdata;
mod ncp_maxtsl;
mod ncp_noisy;
mod ncp_piu_order;
mod ncp_rcvbufc;
mod ncp_single_window;
mod ncp_t2timer;
mod ncp_t2timer_subarea;
mod nsdos_frame;
mod nsdos_receive_pacing;
mod pacing_small;
mod pacing_uneven;
mod rings;
mod ru_frames;
mod ru_memory;
mod stations;
mod tiers;
mod unlike;
mod vtam_autoses;
mod vtam_iobuf;
mod vtam_vpacing;
mod windows;

use crate::rule::TuningRule;

/// The rows.
pub(crate) static RULES: &[&TuningRule] = &[
    &effective::RULE,
    &unlike::RULE,
    &lowered::RULE,
    &mode_missing::RULE,
    &mode_unlike::RULE,
    &mode_priority::RULE,
    &mode_table::RULE,
    &mode_halves::RULE,
    &ru_frames::RULE,
    &ru_memory::RULE,
    &pacing_small::RULE,
    &pacing_uneven::RULE,
    &frame_unlike::RULE,
    &keywords::VTAM_RUSIZES,
    &keywords::VTAM_MODE_PACING,
    &vtam_vpacing::RULE,
    &vtam_iobuf::RULE,
    &vtam_autoses::RULE,
    &keywords::NCP_UNITSZ,
    &ncp_maxbfru::RULE,
    &ncp_piu_order::RULE,
    &keywords::NCP_BFRS,
    &keywords::NCP_SLODOWN,
    &ncp_delay::RULE,
    &ncp_maxtsl::RULE,
    &ncp_rcvbufc::RULE,
    &ncp_maxdata::RULE,
    &ncp_t2timer::RULE,
    &ncp_t2timer_subarea::RULE,
    &ncp_single_window::RULE,
    &keywords::NCP_MAXOUT,
    &ncp_noisy::RULE,
    &ncp_adapter::RULE,
    &ncp_iobuf_unitsz::RULE,
    &cics_sizes::RULE,
    &cics_sizes_equal::RULE,
    &cics_autoconnect::RULE,
    &cm2_ru::RULE,
    &keywords::CM2_DLC_RU,
    &keywords::CM2_RECEIVE_PACING,
    &keywords::CM2_FRAME,
    &windows::CM2,
    &keywords::CM2_RECEIVE_BUFFER,
    &keywords::CM2_CARD_BUFFER,
    &keywords::NSDOS_RU,
    &nsdos_receive_pacing::RULE,
    &nsdos_frame::RULE,
    &fixes::NSDOS_FRAME,
    &windows::NSDOS,
    &aix_ru::RULE,
    &keywords::AIX_PACING,
    &keywords::AIX_DLC_WINDOW,
    &fixes::AIX_DLC_WINDOW,
    &keywords::AIX_FRAME,
    &keywords::AIX_QUEUES,
    &keywords::AIX_MEMORY,
    &keywords::AS400_RU,
    &keywords::AS400_PACING,
    &as400_frame::RULE,
    &keywords::AS400_X25,
    &as400_dlc_window::RULE,
];
