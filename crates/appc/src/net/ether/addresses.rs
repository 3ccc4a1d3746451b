//! The addresses that a station has, and which frames are for it.

use sna::dlc::mac::{Frame, Mac};
use sna::dlc::pdu::SAP_SNA;

/// The addresses of this station.
#[derive(Debug, Clone, Copy)]
pub(super) struct StationAddresses {
    /// The address for its calls.
    pub address: Mac,
    /// The address for callers that have only the logical unit's name.
    pub by_name: Mac,
}

impl StationAddresses {
    /// The one of them that a frame is for. Returns `None` if it is for another
    /// station, or is this one's own.
    pub fn addressed(self, frame: &Frame<'_>) -> Option<Mac> {
        let both = [self.address, self.by_name];
        let ours = both.contains(&frame.destination) && !both.contains(&frame.source);
        ours.then_some(frame.destination)
    }

    /// Whether this process serves a SAP at one of these addresses: its own SAP, and that
    /// of SNA if no other process has the address.
    pub fn serves(self, at: Mac, sap: u8, own_sap: u8) -> bool {
        sap == own_sap || (sap == SAP_SNA && at == self.by_name && at != self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_answers_to_its_own_address_and_to_the_one_of_its_name() {
        let own = StationAddresses {
            address: [1; 6],
            by_name: [2; 6],
        };
        let addressed = |source, destination| {
            let pdu = &[];
            own.addressed(&Frame {
                destination,
                source,
                pdu,
            })
        };
        assert_eq!(addressed([9; 6], [1; 6]), Some([1; 6]));
        assert_eq!(addressed([9; 6], [2; 6]), Some([2; 6]));
        assert_eq!(addressed([9; 6], [3; 6]), None);
        assert_eq!(addressed([1; 6], [2; 6]), None, "its own frame");
    }
}
