//! The token ring itself: the right to send, and the time of a frame.
//!
//! One frame is on the ring at a time. A station with a frame waits until the
//! token passes it; at rest that is somewhere within one circulation, so the
//! wait is drawn from the seed. Frames leave in the order in which stations
//! became ready, which is what a token does to two busy stations.
//! Reference: ISO/IEC 8802-5. Overhead: starting delimiter, access and frame
//! control, two addresses, check sequence, ending delimiter and frame status.

/// The ring of a simulated network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRing {
    /// Bits a second: 4,000,000 or 16,000,000.
    pub bits_per_s: u64,
    /// Bytes of source-routing information in every frame.
    pub routing_bytes: usize,
    /// Delay of stations, monitor and cable for one circulation, in bits.
    pub latency_bits: u64,
    /// One frame in this many is lost; zero for a clean ring.
    pub loss_one_in: u64,
}

impl TokenRing {
    /// A ring of 4 Mb/s.
    pub fn at_4_mbit() -> TokenRing {
        TokenRing::new(4_000_000)
    }

    /// A ring of 16 Mb/s.
    pub fn at_16_mbit() -> TokenRing {
        TokenRing::new(16_000_000)
    }

    fn new(bits_per_s: u64) -> TokenRing {
        TokenRing {
            bits_per_s,
            routing_bytes: 0,
            latency_bits: LATENCY_BITS,
            loss_one_in: 0,
        }
    }

    /// How long a frame with this many bytes of 802.2 PDU occupies the ring.
    pub fn frame_ns(&self, pdu_bytes: usize) -> u64 {
        let bytes = pdu_bytes + FRAME_OVERHEAD_BYTES + self.routing_bytes;
        self.bits_ns(bytes as u64 * 8)
    }

    /// One circulation of the token over an idle ring.
    pub fn circulation_ns(&self) -> u64 {
        self.bits_ns(self.latency_bits + TOKEN_BYTES * 8)
    }

    /// The largest 802.2 information field: what fits into the time that a
    /// station may hold the token.
    pub fn max_info_bytes(&self) -> usize {
        match self.bits_per_s {
            0..=4_000_000 => 4_464,
            _ => 17_800,
        }
    }

    fn bits_ns(&self, bits: u64) -> u64 {
        bits.saturating_mul(1_000_000_000) / self.bits_per_s.max(1)
    }
}

/// Bytes around a PDU: SD 1, AC 1, FC 1, DA 6, SA 6, FCS 4, ED 1, FS 1.
pub const FRAME_OVERHEAD_BYTES: usize = 21;

/// A token is a starting delimiter, access control and an ending delimiter.
const TOKEN_BYTES: u64 = 3;

/// The active monitor's buffer of 24 bits, a few bits a station, some cable.
const LATENCY_BITS: u64 = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_takes_the_time_of_its_bits() {
        // 21 + LLC 4 + TH 6 + RH 3 + RU 256.
        let pdu = 4 + 6 + 3 + 256;
        assert_eq!(TokenRing::at_4_mbit().frame_ns(pdu), 290 * 8 * 250);
        assert_eq!(TokenRing::at_16_mbit().frame_ns(pdu) * 4, 290 * 8 * 250);
    }

    #[test]
    fn the_largest_frame_stays_within_the_holding_time() {
        for ring in [TokenRing::at_4_mbit(), TokenRing::at_16_mbit()] {
            assert!(ring.frame_ns(ring.max_info_bytes()) < 10_000_000);
        }
    }
}
