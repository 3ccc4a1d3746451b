//! What each machine's work costs, and where each value comes from, as data.
//!
//! The guide publishes no cost, so each is either *calibrated*, on one side of
//! one published pair and never on both, or *assumed*, with its reason. The
//! whole table ([`COSTS`]) is printed with every report. `calibrate` finds the
//! calibrated values again from the published figures, and `sensitivity` shows
//! what the predictions would be with other assumptions.
//!
//! Invariant: an assumed value is never moved towards a prediction.

use std::ops::{Index, IndexMut};

/// Which cost; each is a row of [`COSTS`], in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// DELAY where the guide says "default".
    DelayDefault,
    /// A buffer of the front end.
    NcpBuffer,
    /// A PIU in the front end, ring to channel.
    NcpPiuIn,
    /// What a segment of an RU costs the front end beside its PIU.
    NcpSegment,
    /// A PIU in the front end, channel to ring.
    NcpPiuOut,
    /// A frame at the front end's link level.
    NcpLink,
    /// Starting a channel program on the channel itself.
    ChannelStart,
    /// A byte on the channel.
    ChannelByte,
    /// A PIU in VTAM.
    VtamPiu,
    /// An RU in APPC/MVS or CICS.
    MvsRu,
    /// A buffer of VTAM.
    Iobuf,
    /// A channel program in the host.
    ChannelProgram,
    /// A step of a PS/2 of Appendix A.
    Ps2Step,
    /// A byte on it.
    Ps2Byte,
    /// A step of the RS/6000.
    RsStep,
    /// A byte on it.
    RsByte,
    /// OS/2 on the 486: giving a waiting program the processor.
    Os2Dispatch,
    /// A verb there.
    Os2Verb,
    /// An RU there, and as much again a frame.
    Os2Ru,
    /// A byte there between the card's buffers and the program's.
    Os2Copy,
    /// A byte through the Turbo card's shared memory.
    TurboByte,
    /// A receive buffer of the driver.
    DriverBuffer,
    /// NS/DOS on the 486: a verb, and as much a dispatch.
    DosVerb,
    /// An RU there, and as much a frame.
    DosFrame,
    /// A byte there up to the program.
    DosCopyIn,
    /// A byte there down from the program.
    DosCopyOut,
}

/// One cost and its reason.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Which.
    pub item: Item,
    /// The machine.
    pub machine: &'static str,
    /// What costs.
    pub what: &'static str,
    /// How much, in `unit`.
    pub value: u64,
    /// Nanoseconds, or picoseconds a byte.
    pub unit: &'static str,
    /// The published figure that it was calibrated on; none for an assumption.
    pub calibrated_on: Option<&'static str>,
    /// Why it is what it is.
    pub reason: &'static str,
}

/// A value for every cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs([u64; COSTS.len()]);

impl Default for Costs {
    /// The values of [`COSTS`].
    fn default() -> Costs {
        let mut values = [0; COSTS.len()];
        for (value, known) in values.iter_mut().zip(COSTS) {
            *value = known.value;
        }
        Costs(values)
    }
}

impl Costs {
    /// The same with another value of one cost.
    pub fn with(&self, item: Item, value: u64) -> Costs {
        let mut costs = self.clone();
        costs[item] = value;
        costs
    }
}

impl Index<Item> for Costs {
    type Output = u64;

    fn index(&self, item: Item) -> &u64 {
        &self.0[item as usize]
    }
}

impl IndexMut<Item> for Costs {
    fn index_mut(&mut self, item: Item) -> &mut u64 {
        &mut self.0[item as usize]
    }
}

impl Known {
    /// A value of this cost as people read it, always in microseconds.
    pub fn show(&self, value: u64) -> String {
        let per_us = if self.unit == "ns" { 1e3 } else { 1e6 };
        format!("{} µs", value as f64 / per_us)
    }
}

/// Every cost, in the order of [`Item`].
pub const COSTS: &[Known] = &[
    Known {
        item: Item::DelayDefault,
        machine: "VTAM and NCP",
        what: "DELAY where the guide says default",
        value: 424_000_000,
        unit: "ns",
        calibrated_on: Some("NS/DOS before"),
        reason: "not published; later manuals say 0, which would leave nothing to gain",
    },
    Known {
        item: Item::NcpBuffer,
        machine: "3745 with NCP",
        what: "each buffer of BFRS = 240 bytes",
        value: 853_400,
        unit: "ns",
        calibrated_on: Some("RS/6000 after"),
        reason: "the fastest client shows what the way behind the ring carries; \
                 front end, channel and host cannot be told apart from outside",
    },
    Known {
        item: Item::NcpPiuIn,
        machine: "3745 with NCP",
        what: "a PIU towards the host",
        value: 3_107_000,
        unit: "ns",
        calibrated_on: Some("OS/2 before"),
        reason: "OS/2 before tuning has twice as many PIUs, half as long, as the RS/6000 after; \
                 the two together tell a PIU from its buffers",
    },
    Known {
        item: Item::NcpSegment,
        machine: "3745 with NCP",
        what: "a segment of an RU, beside its PIU",
        value: 1_000_000,
        unit: "ns",
        calibrated_on: None,
        reason: "of the order of 3,000 instructions at 3 million a second: kept in order and \
                 joined. First set while the predictions were known: see its range below",
    },
    Known {
        item: Item::NcpPiuOut,
        machine: "3745 with NCP",
        what: "a PIU towards the ring",
        value: 500_000,
        unit: "ns",
        calibrated_on: None,
        reason: "window messages and responses are short and stay in one buffer",
    },
    Known {
        item: Item::NcpLink,
        machine: "3745 with NCP",
        what: "a frame at link level",
        value: 200_000,
        unit: "ns",
        calibrated_on: None,
        reason: "at a higher program level than path control, so it never waits for it",
    },
    Known {
        item: Item::ChannelStart,
        machine: "channel",
        what: "starting a channel program",
        value: 1_000_000,
        unit: "ns",
        calibrated_on: None,
        reason: "attention, sense and start on a block multiplexer channel",
    },
    Known {
        item: Item::ChannelByte,
        machine: "channel",
        what: "a byte",
        value: 333_000,
        unit: "ps",
        calibrated_on: None,
        reason: "3 MB/s: the guide names the channel adapter",
    },
    Known {
        item: Item::VtamPiu,
        machine: "4381",
        what: "a PIU in VTAM",
        value: 2_000_000,
        unit: "ns",
        calibrated_on: None,
        reason: "below the front end's, so that the host is not the limit; \
                 the guide found CICS and APPC/MVS equal",
    },
    Known {
        item: Item::MvsRu,
        machine: "4381",
        what: "an RU in APPC/MVS or CICS",
        value: 1_000_000,
        unit: "ns",
        calibrated_on: None,
        reason: "as above",
    },
    Known {
        item: Item::Iobuf,
        machine: "4381",
        what: "each buffer of IOBUF",
        value: 200_000,
        unit: "ns",
        calibrated_on: None,
        reason: "a few hundred instructions",
    },
    Known {
        item: Item::ChannelProgram,
        machine: "4381",
        what: "a channel program",
        value: 1_500_000,
        unit: "ns",
        calibrated_on: None,
        reason: "start, interrupt, dispatch",
    },
    Known {
        item: Item::Ps2Step,
        machine: "PS/2 60 and 80",
        what: "a verb, a dispatch, an RU, a frame, each",
        value: 1_000_000,
        unit: "ns",
        calibrated_on: None,
        reason: "a few times the 486 of Appendix B; must stay below the front end's share, \
                 since all three tuned clients end at nearly the same rate",
    },
    Known {
        item: Item::Ps2Byte,
        machine: "PS/2 60 and 80",
        what: "a byte",
        value: 800_000,
        unit: "ps",
        calibrated_on: None,
        reason: "as Appendix B: the card's shared memory sets it, not the processor",
    },
    Known {
        item: Item::RsStep,
        machine: "RS/6000 530",
        what: "a verb, a dispatch, an RU, a frame, each",
        value: 250_000,
        unit: "ns",
        calibrated_on: None,
        reason: "a quarter of the PS/2's; never the limit",
    },
    Known {
        item: Item::RsByte,
        machine: "RS/6000 530 and 4381",
        what: "a byte",
        value: 200_000,
        unit: "ps",
        calibrated_on: None,
        reason: "a quarter of the PS/2's; never the limit",
    },
    Known {
        item: Item::Os2Dispatch,
        machine: "486/33 with OS/2",
        what: "a program that waits gets the processor",
        value: 1_025_000,
        unit: "ns",
        calibrated_on: Some("OS/2-OS/2 Turbo inquiry, tuned"),
        reason: "what the inquiry takes beside verbs, RUs and frames",
    },
    Known {
        item: Item::Os2Verb,
        machine: "486/33 with OS/2",
        what: "a verb",
        value: 400_000,
        unit: "ns",
        calibrated_on: None,
        reason: "about a third of the inquiry's time lies in its four verbs",
    },
    Known {
        item: Item::Os2Ru,
        machine: "486/33 with OS/2",
        what: "an RU, and as much a frame",
        value: 100_000,
        unit: "ns",
        calibrated_on: None,
        reason: "a sixth of the inquiry's time lies in its eight RUs and frames. First set while \
                 the predictions were known: see its range below",
    },
    Known {
        item: Item::Os2Copy,
        machine: "486/33 with OS/2",
        what: "a byte between the card's buffers and the program's",
        value: 449_900,
        unit: "ps",
        calibrated_on: Some("OS/2-OS/2 Busmaster file transfer, tuned"),
        reason: "the Busmaster card moves the frame itself, so this is all that is left; \
                 the same machine and program with either card",
    },
    Known {
        item: Item::TurboByte,
        machine: "486/33, Turbo",
        what: "a byte through the card's shared memory, either system",
        value: 177_300,
        unit: "ps",
        calibrated_on: Some("OS/2-OS/2 Turbo file transfer, tuned"),
        reason: "what the processor does on the Turbo card in place of the Busmaster's own transfer",
    },
    Known {
        item: Item::DriverBuffer,
        machine: "486/33 with OS/2",
        what: "each receive buffer of the driver",
        value: 5_000,
        unit: "ns",
        calibrated_on: None,
        reason: "a descriptor taken and given back",
    },
    Known {
        item: Item::DosVerb,
        machine: "486/33 with NS/DOS",
        what: "a verb, and as much a dispatch",
        value: 645_000,
        unit: "ns",
        calibrated_on: Some("DOS client inquiry, tuned"),
        reason: "what the inquiry takes beside the OS/2 side",
    },
    Known {
        item: Item::DosFrame,
        machine: "486/33 with NS/DOS",
        what: "an RU, and as much a frame",
        value: 550_000,
        unit: "ns",
        calibrated_on: None,
        reason: "code of 16 bits: a few times OS/2's",
    },
    Known {
        item: Item::DosCopyIn,
        machine: "486/33 with NS/DOS",
        what: "a byte up to the program",
        value: 706_100,
        unit: "ps",
        calibrated_on: Some("DOS server file transfer, tuned"),
        reason: "copies between buffers, in segments of 64 KB",
    },
    Known {
        item: Item::DosCopyOut,
        machine: "486/33 with NS/DOS",
        what: "a byte down from the program",
        value: 1_091_500,
        unit: "ps",
        calibrated_on: Some("DOS client file transfer, tuned"),
        reason: "sending, it also waits until the frame has left; \
                 the rest of the difference would be one copy more",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cost_stands_at_its_place() {
        let costs = Costs::default();
        for (place, known) in COSTS.iter().enumerate() {
            assert_eq!(known.item as usize, place, "{}", known.what);
            assert_eq!(costs[known.item], known.value);
        }
        let other = costs.with(Item::Iobuf, 7);
        assert_eq!(other[Item::Iobuf], 7);
        assert_eq!(other[Item::MvsRu], costs[Item::MvsRu]);
    }
}
