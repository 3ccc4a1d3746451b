//! The costs of each machine's work, and the source of each value, as data.
//!
//! The guide publishes no cost. One value is *given* in it. Every other one is
//! *calibrated*: determined from one published figure, which then is not a prediction.
//! Work that would need a guess takes no time. The two remaining guesses, a card's
//! time and a timer, are among the `choices`. The whole table ([`COSTS`]) is
//! printed with every report.
//!
//! Invariant: a cost has one figure of its own, and no figure two costs.

use std::ops::{Index, IndexMut};

/// Which cost; each is a row of [`COSTS`], in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostItem {
    /// DELAY where the guide says "default".
    DelayDefault,
    /// A buffer of the front end.
    NcpBuffer,
    /// A PIU in the front end, either way.
    NcpPiu,
    /// A byte on the channel.
    ChannelByte,
    /// OS/2 on the 486: a verb, a dispatch, an RU, a frame, each.
    Os2Step,
    /// A byte there between the card's buffers and the program's.
    Os2Copy,
    /// A byte through the Turbo card's shared memory.
    TurboByte,
    /// NS/DOS on the 486: a verb, a dispatch, an RU, a frame, each.
    DosStep,
    /// A byte there between the card's buffers and the program's.
    DosCopy,
}

/// One cost and its reason.
#[derive(Clone, Copy, Debug)]
pub struct KnownCost {
    /// Which.
    pub item: CostItem,
    /// The machine.
    pub machine: &'static str,
    /// The work.
    pub what: &'static str,
    /// The cost, in `unit`.
    pub value: u64,
    /// Nanoseconds, or picoseconds a byte.
    pub unit: &'static str,
    /// The published figure that it was calibrated on. `None` if the guide
    /// gives the value.
    pub calibrated_on: Option<&'static str>,
    /// Its meaning, and why this figure determines it.
    pub reason: &'static str,
}

/// A value for every cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCosts([u64; COSTS.len()]);

impl Default for MachineCosts {
    /// The values of [`COSTS`].
    fn default() -> MachineCosts {
        let mut values = [0; COSTS.len()];
        for (value, known) in values.iter_mut().zip(COSTS) {
            *value = known.value;
        }
        MachineCosts(values)
    }
}

impl MachineCosts {
    /// The same with another value of one cost.
    pub fn with(&self, item: CostItem, value: u64) -> MachineCosts {
        let mut costs = self.clone();
        costs[item] = value;
        costs
    }
}

impl Index<CostItem> for MachineCosts {
    type Output = u64;

    fn index(&self, item: CostItem) -> &u64 {
        &self.0[item as usize]
    }
}

impl IndexMut<CostItem> for MachineCosts {
    fn index_mut(&mut self, item: CostItem) -> &mut u64 {
        &mut self.0[item as usize]
    }
}

impl KnownCost {
    /// A value of this cost as people read it, always in microseconds.
    pub fn show(&self, value: u64) -> String {
        let per_us = if self.unit == "ns" { 1e3 } else { 1e6 };
        format!("{} µs", value as f64 / per_us)
    }
}

/// Every cost, in the order of [`CostItem`].
pub const COSTS: &[KnownCost] = &[
    KnownCost {
        item: CostItem::DelayDefault,
        machine: "VTAM and NCP",
        what: "DELAY where the guide says default",
        value: 435_090_000,
        unit: "ns",
        calibrated_on: Some("NS/DOS before"),
        reason: "not published; later manuals say 0, which would leave nothing to gain",
    },
    KnownCost {
        item: CostItem::NcpBuffer,
        machine: "3745 with NCP",
        what: "each buffer of BFRS = 240 bytes",
        value: 916_700,
        unit: "ns",
        calibrated_on: Some("RS/6000 after"),
        reason: "includes all costs per byte after the ring: \
                 front end, channel and host cannot be distinguished from outside",
    },
    KnownCost {
        item: CostItem::NcpPiu,
        machine: "3745 with NCP",
        what: "a PIU, either way",
        value: 2_355_700,
        unit: "ns",
        calibrated_on: Some("OS/2 before"),
        reason: "includes all costs per PIU after the ring: OS/2 before tuning has \
                 twice as many PIUs, half as long, as the RS/6000 after",
    },
    KnownCost {
        item: CostItem::ChannelByte,
        machine: "channel",
        what: "a byte",
        value: 333_000,
        unit: "ps",
        calibrated_on: None,
        reason: "given: a channel adapter of 3 MB/s",
    },
    KnownCost {
        item: CostItem::Os2Step,
        machine: "486/33 with OS/2",
        what: "a verb, a dispatch, an RU, a frame, each",
        value: 315_900,
        unit: "ns",
        calibrated_on: Some("OS/2-OS/2 Turbo inquiry, tuned"),
        reason: "one figure cannot distinguish the four, so they are one cost",
    },
    KnownCost {
        item: CostItem::Os2Copy,
        machine: "486/33 with OS/2",
        what: "a byte between the card's buffers and the program's",
        value: 407_900,
        unit: "ps",
        calibrated_on: Some("OS/2-OS/2 Busmaster file transfer, tuned"),
        reason: "the Busmaster card moves the frame itself, so this is all that is left; \
                 the same machine and program with either card",
    },
    KnownCost {
        item: CostItem::TurboByte,
        machine: "486/33, Turbo",
        what: "a byte through the card's shared memory, either system",
        value: 181_500,
        unit: "ps",
        calibrated_on: Some("OS/2-OS/2 Turbo file transfer, tuned"),
        reason: "what the processor does on the Turbo card in place of the Busmaster's own transfer",
    },
    KnownCost {
        item: CostItem::DosStep,
        machine: "486/33 with NS/DOS",
        what: "a verb, a dispatch, an RU, a frame, each",
        value: 596_000,
        unit: "ns",
        calibrated_on: Some("DOS client inquiry, tuned"),
        reason: "the time of the inquiry without the OS/2 side",
    },
    KnownCost {
        item: CostItem::DosCopy,
        machine: "486/33 with NS/DOS",
        what: "a byte between the card's buffers and the program's, either way",
        value: 679_800,
        unit: "ps",
        calibrated_on: Some("DOS server file transfer, tuned"),
        reason: "copies between buffers, in segments of 64 KB",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cost_stands_at_its_place() {
        let costs = MachineCosts::default();
        for (place, known) in COSTS.iter().enumerate() {
            assert_eq!(known.item as usize, place, "{}", known.what);
            assert_eq!(costs[known.item], known.value);
        }
        let other = costs.with(CostItem::NcpPiu, 7);
        assert_eq!(other[CostItem::NcpPiu], 7);
        assert_eq!(other[CostItem::NcpBuffer], costs[CostItem::NcpBuffer]);
    }
}
