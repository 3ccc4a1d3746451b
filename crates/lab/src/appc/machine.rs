//! What each machine's work costs, and where each value comes from.
//!
//! The guide publishes no cost, so each is either *calibrated*, on one side of
//! one published pair and never on both, or *assumed*, with its reason. The
//! whole table is data ([`COSTS`]) and is printed with every report.

use super::mainframe::Client;
use sna::ring::{Adapter, Cost, PathControl, Transfer};

/// One cost and its reason.
#[derive(Clone, Copy, Debug)]
pub struct Known {
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

/// DELAY where the guide says "default".
pub const DELAY_DEFAULT_NS: u64 = 424_000_000;
/// A buffer of the front end.
const NCP_BUFFER_NS: u64 = 846_000;
/// A PIU in the front end, ring to channel.
const NCP_PIU_NS: u64 = 3_300_000;
/// What a segment costs beside.
const NCP_SEGMENT_NS: u64 = 1_000_000;
/// A PIU in the front end, channel to ring: mostly window messages.
const NCP_PIU_OUT_NS: u64 = 500_000;
/// A frame at the front end's link level.
const NCP_LINK_NS: u64 = 200_000;
/// A PIU in VTAM.
const VTAM_PIU_NS: u64 = 2_000_000;
/// An RU in APPC/MVS or CICS.
const MVS_RU_NS: u64 = 1_000_000;
/// A buffer of VTAM.
const IOBUF_NS: u64 = 200_000;
/// A channel program.
const CHANNEL_PROGRAM_NS: u64 = 1_500_000;
/// A verb on a workstation of Appendix A.
const PS2_STEP_NS: u64 = 1_000_000;
/// A byte on a workstation of Appendix A.
const PS2_BYTE_PS: u64 = 800_000;
/// The same on the RS/6000.
const RS_STEP_NS: u64 = 250_000;
const RS_BYTE_PS: u64 = 200_000;
/// OS/2 on the 486: a verb, down to the session and back.
const OS2_VERB_NS: u64 = 400_000;
/// Giving a waiting program the processor.
const OS2_DISPATCH_NS: u64 = 1_030_000;
/// An RU, and as much again a frame.
const OS2_RU_NS: u64 = 100_000;
/// A byte between the card's buffers and the program's, whichever the card.
const OS2_COPY_PS: u64 = 446_000;
/// A byte through the Turbo card's shared memory.
const TURBO_BYTE_PS: u64 = 172_000;
/// A receive buffer of the driver.
const DRIVER_BUFFER_NS: u64 = 5_000;
/// NS/DOS on the 486: a verb, and as much a dispatch.
const DOS_VERB_NS: u64 = 690_000;
/// An RU, and as much a frame.
const DOS_FRAME_NS: u64 = 550_000;
/// A byte between the card's memory and the program's.
const DOS_COPY_IN_PS: u64 = 714_000;
const DOS_COPY_OUT_PS: u64 = 1_106_000;

/// Every cost.
pub const COSTS: &[Known] = &[
    Known {
        machine: "VTAM and NCP",
        what: "DELAY where the guide says default",
        value: DELAY_DEFAULT_NS,
        unit: "ns",
        calibrated_on: Some("NS/DOS before"),
        reason: "not published; later manuals say 0, which would leave nothing to gain",
    },
    Known {
        machine: "3745 with NCP",
        what: "each buffer of BFRS = 240 bytes",
        value: NCP_BUFFER_NS,
        unit: "ns",
        calibrated_on: Some("RS/6000 after"),
        reason: "the fastest client shows what the way behind the ring carries; \
                 front end, channel and host cannot be told apart from outside",
    },
    Known {
        machine: "3745 with NCP",
        what: "a PIU towards the host",
        value: NCP_PIU_NS,
        unit: "ns",
        calibrated_on: Some("OS/2 before"),
        reason: "OS/2 before tuning has twice as many PIUs, half as long, as the RS/6000 after; \
                 the two together tell a PIU from its buffers",
    },
    Known {
        machine: "3745 with NCP",
        what: "a segment of an RU, beside its PIU",
        value: NCP_SEGMENT_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "of the order of 3,000 instructions at 3 million a second: kept in order and \
                 joined; without it OS/2 after and the RS/6000 before, the two whose RUs do not \
                 fit a frame, come out 7 and 15 % too fast",
    },
    Known {
        machine: "3745 with NCP",
        what: "a PIU towards the ring",
        value: NCP_PIU_OUT_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "window messages and responses are short and stay in one buffer",
    },
    Known {
        machine: "3745 with NCP",
        what: "a frame at link level",
        value: NCP_LINK_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "at a higher program level than path control, so it never waits for it",
    },
    Known {
        machine: "4381",
        what: "a PIU in VTAM",
        value: VTAM_PIU_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "below the front end's, so that the host is not the limit; \
                 the guide found CICS and APPC/MVS equal",
    },
    Known {
        machine: "4381",
        what: "an RU in APPC/MVS or CICS",
        value: MVS_RU_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "as above",
    },
    Known {
        machine: "4381",
        what: "each buffer of IOBUF",
        value: IOBUF_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "a few hundred instructions",
    },
    Known {
        machine: "4381",
        what: "a channel program",
        value: CHANNEL_PROGRAM_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "start, interrupt, dispatch",
    },
    Known {
        machine: "PS/2 60 and 80",
        what: "a verb, a dispatch, an RU, a frame, each",
        value: PS2_STEP_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "a few times the 486 of Appendix B; must stay below the front end's share, \
                 since all three tuned clients end at nearly the same rate",
    },
    Known {
        machine: "PS/2 60 and 80",
        what: "a byte",
        value: PS2_BYTE_PS,
        unit: "ps",
        calibrated_on: None,
        reason: "as Appendix B: the card's shared memory sets it, not the processor",
    },
    Known {
        machine: "RS/6000 530",
        what: "a verb, a dispatch, an RU, a frame, each",
        value: RS_STEP_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "a quarter of the PS/2's; never the limit",
    },
    Known {
        machine: "486/33 with OS/2",
        what: "a program that waits gets the processor",
        value: OS2_DISPATCH_NS,
        unit: "ns",
        calibrated_on: Some("OS/2-OS/2 Turbo inquiry, tuned"),
        reason: "what the inquiry takes beside verbs, RUs and frames",
    },
    Known {
        machine: "486/33 with OS/2",
        what: "a verb",
        value: OS2_VERB_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "about a third of the inquiry's time lies in its four verbs",
    },
    Known {
        machine: "486/33 with OS/2",
        what: "an RU, and as much a frame",
        value: OS2_RU_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "a sixth of the inquiry's time lies in its eight RUs and frames; the gains over \
                 the defaults depend on it",
    },
    Known {
        machine: "486/33 with OS/2",
        what: "a byte between the card's buffers and the program's",
        value: OS2_COPY_PS,
        unit: "ps",
        calibrated_on: Some("OS/2-OS/2 Busmaster file transfer, tuned"),
        reason: "the Busmaster card moves the frame itself, so this is all that is left; \
                 the same machine and program with either card",
    },
    Known {
        machine: "486/33 with OS/2, Turbo",
        what: "a byte through the card's shared memory",
        value: TURBO_BYTE_PS,
        unit: "ps",
        calibrated_on: Some("OS/2-OS/2 Turbo file transfer, tuned"),
        reason: "what the processor does on the Turbo card in place of the Busmaster's own transfer",
    },
    Known {
        machine: "486/33 with OS/2",
        what: "each receive buffer of the driver",
        value: DRIVER_BUFFER_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "a descriptor taken and given back",
    },
    Known {
        machine: "486/33 with NS/DOS",
        what: "a verb, and as much a dispatch",
        value: DOS_VERB_NS,
        unit: "ns",
        calibrated_on: Some("DOS client inquiry, tuned"),
        reason: "what the inquiry takes beside the OS/2 side",
    },
    Known {
        machine: "486/33 with NS/DOS",
        what: "an RU, and as much a frame",
        value: DOS_FRAME_NS,
        unit: "ns",
        calibrated_on: None,
        reason: "code of 16 bits: a few times OS/2's",
    },
    Known {
        machine: "486/33 with NS/DOS",
        what: "a byte through the card's shared memory",
        value: TURBO_BYTE_PS,
        unit: "ps",
        calibrated_on: None,
        reason: "the same card and processor as with OS/2",
    },
    Known {
        machine: "486/33 with NS/DOS",
        what: "a byte up to the program",
        value: DOS_COPY_IN_PS,
        unit: "ps",
        calibrated_on: Some("DOS server file transfer, tuned"),
        reason: "copies between buffers, in segments of 64 KB",
    },
    Known {
        machine: "486/33 with NS/DOS",
        what: "a byte down from the program",
        value: DOS_COPY_OUT_PS,
        unit: "ps",
        calibrated_on: Some("DOS client file transfer, tuned"),
        reason: "sending, it also waits until the frame has left; \
                 the rest of the difference would be one copy more",
    },
];

/// Starting a channel program on the channel itself.
pub const CHANNEL_START_NS: u64 = 1_000_000;
/// A byte on a channel of 3 MB/s.
pub const CHANNEL_BYTE_PS: u64 = 333_000;

/// A client of Appendix A.
pub fn client(client: Client) -> Cost {
    match client {
        Client::Dos | Client::Os2 => uniform(PS2_STEP_NS, PS2_BYTE_PS),
        Client::Rs6000 => uniform(RS_STEP_NS, RS_BYTE_PS),
    }
}

fn uniform(step_ns: u64, byte_ps: u64) -> Cost {
    Cost {
        byte_out_ps: byte_ps,
        byte_in_ps: byte_ps,
        ..Cost::uniform(step_ns)
    }
}

/// The front end at link level.
pub fn ncp() -> Cost {
    Cost {
        frame_out_ns: NCP_LINK_NS,
        frame_in_ns: NCP_LINK_NS,
        control_ns: NCP_LINK_NS,
        ..Cost::default()
    }
}

/// The front end between link and channel, with BFRS = 240.
pub fn path_control() -> PathControl {
    PathControl {
        piu_in_ns: NCP_PIU_NS,
        piu_out_ns: NCP_PIU_OUT_NS,
        segment_ns: NCP_SEGMENT_NS,
        buffer_ns: NCP_BUFFER_NS,
        buffer_bytes: 240,
    }
}

/// The host, with buffers of this size.
pub fn host(iobuf: usize) -> Cost {
    Cost {
        verb_ns: VTAM_PIU_NS,
        dispatch_ns: MVS_RU_NS,
        ru_out_ns: MVS_RU_NS,
        ru_in_ns: MVS_RU_NS,
        frame_out_ns: MVS_RU_NS,
        frame_in_ns: VTAM_PIU_NS,
        control_ns: 0,
        byte_out_ps: RS_BYTE_PS,
        byte_in_ps: RS_BYTE_PS,
        copy_out_ps: 0,
        copy_in_ps: 0,
        buffer_ns: IOBUF_NS,
        buffer_bytes: iobuf,
    }
}

/// A channel program, for the host.
pub const fn channel_program_ns() -> u64 {
    CHANNEL_PROGRAM_NS
}

/// The front end's ring adapter; it moves frames into buffers by itself.
pub fn tic2(rcvbufc: usize) -> Adapter {
    Adapter {
        transfer: Transfer::BusMaster {
            frame_ns: 100_000,
            byte_ps: 250_000,
        },
        ..Adapter::shared_memory(rcvbufc)
    }
}

/// A client's adapter; DOS waits until a frame has left.
pub fn client_adapter(client: Client) -> Adapter {
    match client {
        Client::Dos => dos_adapter(),
        _ => Adapter::shared_memory(SHARED_RAM_BYTES),
    }
}

/// OS/2 on the 486 of Appendix B.
pub fn os2(busmaster: bool, driver_buffer_bytes: usize) -> Cost {
    let byte_ps = match busmaster {
        true => 0,
        false => TURBO_BYTE_PS,
    };
    Cost {
        copy_out_ps: OS2_COPY_PS,
        copy_in_ps: OS2_COPY_PS,
        buffer_ns: DRIVER_BUFFER_NS,
        buffer_bytes: driver_buffer_bytes,
        verb_ns: OS2_VERB_NS,
        dispatch_ns: OS2_DISPATCH_NS,
        ..uniform(OS2_RU_NS, byte_ps)
    }
}

/// Its adapter.
pub fn os2_adapter(busmaster: bool) -> Adapter {
    let shared = Adapter::shared_memory(SHARED_RAM_BYTES);
    match busmaster {
        true => Adapter {
            transfer: Transfer::BusMaster {
                frame_ns: 50_000,
                byte_ps: 100_000,
            },
            ..shared
        },
        false => shared,
    }
}

/// NS/DOS on the 486 of Appendix B.
pub fn dos() -> Cost {
    Cost {
        copy_out_ps: DOS_COPY_OUT_PS,
        copy_in_ps: DOS_COPY_IN_PS,
        verb_ns: DOS_VERB_NS,
        dispatch_ns: DOS_VERB_NS,
        ..uniform(DOS_FRAME_NS, TURBO_BYTE_PS)
    }
}

/// A Turbo adapter under DOS.
pub fn dos_adapter() -> Adapter {
    Adapter {
        waits_for_send: true,
        transmit_frames: 1,
        ..Adapter::shared_memory(SHARED_RAM_BYTES)
    }
}

/// Shared memory of the cards, as the guide configured them.
const SHARED_RAM_BYTES: usize = 64 * 1024;
