//! The rules of this area, one row each: general rules first, then those of each
//! product. Rules over one keyword are in [`keywords`]; the others have a file each.
//! [`coded`], [`stations`], [`tiers`] and [`rings`] are their helpers.

mod aix_dlc_fix;
mod aix_dlc_window;
mod aix_memory;
mod aix_pacing;
mod aix_ru;
mod as400_dlc_window;
mod as400_frame;
mod as400_x25;
mod cics_autoconnect;
mod cics_sizes;
mod cics_sizes_equal;
mod cm2_dlc_window;
mod cm2_ru;
mod coded;
mod effective;
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
mod nsdos_dlc_window;
mod nsdos_frame;
mod nsdos_frame_fix;
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
mod vtam_mode_pacing;
mod vtam_rusizes;
mod vtam_vpacing;

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
    &vtam_rusizes::RULE,
    &vtam_mode_pacing::RULE,
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
    &cm2_dlc_window::RULE,
    &keywords::CM2_RECEIVE_BUFFER,
    &keywords::CM2_CARD_BUFFER,
    &keywords::NSDOS_RU,
    &nsdos_receive_pacing::RULE,
    &nsdos_frame::RULE,
    &nsdos_frame_fix::RULE,
    &nsdos_dlc_window::RULE,
    &aix_ru::RULE,
    &aix_pacing::RULE,
    &aix_dlc_window::RULE,
    &aix_dlc_fix::RULE,
    &keywords::AIX_FRAME,
    &keywords::AIX_QUEUES,
    &aix_memory::RULE,
    &keywords::AS400_RU,
    &keywords::AS400_PACING,
    &as400_frame::RULE,
    &as400_x25::RULE,
    &as400_dlc_window::RULE,
];
