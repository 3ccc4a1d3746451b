//! Data about all stations for rules.

use crate::document::DocumentSet;
use crate::sna::model::{SessionProduct, has_host, link};

/// Every product that is a station.
pub(super) const ALL: [SessionProduct; 4] = [
    SessionProduct::Cm2,
    SessionProduct::NsDos,
    SessionProduct::SnaServices,
    SessionProduct::As400,
];

/// The largest frame that any station is defined with.
pub(super) fn largest_frame(documents: &DocumentSet) -> Option<u32> {
    ALL.into_iter()
        .filter_map(|p| link(documents, p).frame)
        .max()
}

/// The link windows that stations send with, where they say so.
pub(super) fn send_windows(documents: &DocumentSet) -> Vec<u32> {
    ALL.into_iter()
        .filter_map(|p| link(documents, p).send)
        .collect()
}

/// Whether an OS/2 and a DOS machine of the set can only talk to each other:
/// both are there and no host is. Then the guide's best values are those of
/// its figures 9 and 10, and the best link window is 2.
pub(super) fn os2_and_dos(documents: &DocumentSet) -> bool {
    use crate::sna::kinds::{cm2_lan, cm2_ndf, nsdos};
    let there = |kind| documents.of(kind).next().is_some();
    !has_host(documents) && (there(&cm2_ndf::KIND) || there(&cm2_lan::KIND)) && there(&nsdos::KIND)
}
