//! The rules of this area: one file each, one row here. General rules first,
//! then those of each product; [`coded`], [`stations`],
//! [`tiers`] and [`rings`] are their helpers.

mod aix_dlc_fix;
mod aix_dlc_window;
mod aix_frame;
mod aix_memory;
mod aix_pacing;
mod aix_queues;
mod aix_ru;
mod as400_dlc_window;
mod as400_frame;
mod as400_pacing;
mod as400_ru;
mod as400_x25;
mod cics_autoconnect;
mod cics_sizes;
mod cics_sizes_equal;
mod cm2_card_buffer;
mod cm2_dlc_ru;
mod cm2_dlc_window;
mod cm2_frame;
mod cm2_receive_buffer;
mod cm2_receive_pacing;
mod cm2_ru;
mod coded;
mod effective;
mod frame_unlike;
mod lowered;
mod mode_halves;
mod mode_missing;
mod mode_priority;
mod mode_table;
mod mode_unlike;
mod ncp_adapter;
mod ncp_bfrs;
mod ncp_delay;
mod ncp_iobuf_unitsz;
mod ncp_maxbfru;
mod ncp_maxdata;
mod ncp_maxout;
mod ncp_maxtsl;
mod ncp_noisy;
mod ncp_piu_order;
mod ncp_rcvbufc;
mod ncp_single_window;
mod ncp_slodown;
mod ncp_t2timer;
mod ncp_t2timer_subarea;
mod ncp_unitsz;
mod nsdos_dlc_window;
mod nsdos_frame;
mod nsdos_frame_fix;
mod nsdos_receive_pacing;
mod nsdos_ru;
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
    &ncp_unitsz::RULE,
    &ncp_maxbfru::RULE,
    &ncp_piu_order::RULE,
    &ncp_bfrs::RULE,
    &ncp_slodown::RULE,
    &ncp_delay::RULE,
    &ncp_maxtsl::RULE,
    &ncp_rcvbufc::RULE,
    &ncp_maxdata::RULE,
    &ncp_t2timer::RULE,
    &ncp_t2timer_subarea::RULE,
    &ncp_single_window::RULE,
    &ncp_maxout::RULE,
    &ncp_noisy::RULE,
    &ncp_adapter::RULE,
    &ncp_iobuf_unitsz::RULE,
    &cics_sizes::RULE,
    &cics_sizes_equal::RULE,
    &cics_autoconnect::RULE,
    &cm2_ru::RULE,
    &cm2_dlc_ru::RULE,
    &cm2_receive_pacing::RULE,
    &cm2_frame::RULE,
    &cm2_dlc_window::RULE,
    &cm2_receive_buffer::RULE,
    &cm2_card_buffer::RULE,
    &nsdos_ru::RULE,
    &nsdos_receive_pacing::RULE,
    &nsdos_frame::RULE,
    &nsdos_frame_fix::RULE,
    &nsdos_dlc_window::RULE,
    &aix_ru::RULE,
    &aix_pacing::RULE,
    &aix_dlc_window::RULE,
    &aix_dlc_fix::RULE,
    &aix_frame::RULE,
    &aix_queues::RULE,
    &aix_memory::RULE,
    &as400_ru::RULE,
    &as400_pacing::RULE,
    &as400_frame::RULE,
    &as400_x25::RULE,
    &as400_dlc_window::RULE,
];
