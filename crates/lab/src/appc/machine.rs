//! Machines, cards and the front end of the simulation, made of [`Costs`].
//!
//! Which quantity costs what is said here; how much, and why, in
//! [`super::costs`].

use super::costs::{Costs, Item};
use super::mainframe::Client;
use sna::ring::{Adapter, Cost, PathControl, Transfer};

/// A client of Appendix A.
pub fn client(client: Client, costs: &Costs) -> Cost {
    match client {
        Client::Dos | Client::Os2 => uniform(costs[Item::Ps2Step], costs[Item::Ps2Byte]),
        Client::Rs6000 => uniform(costs[Item::RsStep], costs[Item::RsByte]),
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
pub fn ncp(costs: &Costs) -> Cost {
    let link_ns = costs[Item::NcpLink];
    Cost {
        frame_out_ns: link_ns,
        frame_in_ns: link_ns,
        control_ns: link_ns,
        ..Cost::default()
    }
}

/// The front end between link and channel, with BFRS = 240.
pub fn path_control(costs: &Costs) -> PathControl {
    PathControl {
        piu_in_ns: costs[Item::NcpPiuIn],
        piu_out_ns: costs[Item::NcpPiuOut],
        segment_ns: costs[Item::NcpSegment],
        buffer_ns: costs[Item::NcpBuffer],
        buffer_bytes: 240,
    }
}

/// The host, with buffers of this size.
pub fn host(iobuf: usize, costs: &Costs) -> Cost {
    let ru_ns = costs[Item::MvsRu];
    Cost {
        verb_ns: costs[Item::VtamPiu],
        dispatch_ns: ru_ns,
        ru_out_ns: ru_ns,
        ru_in_ns: ru_ns,
        frame_out_ns: ru_ns,
        frame_in_ns: costs[Item::VtamPiu],
        control_ns: 0,
        byte_out_ps: costs[Item::RsByte],
        byte_in_ps: costs[Item::RsByte],
        copy_out_ps: 0,
        copy_in_ps: 0,
        buffer_ns: costs[Item::Iobuf],
        buffer_bytes: iobuf,
    }
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
pub fn os2(busmaster: bool, driver_buffer_bytes: usize, costs: &Costs) -> Cost {
    let byte_ps = match busmaster {
        true => 0,
        false => costs[Item::TurboByte],
    };
    Cost {
        copy_out_ps: costs[Item::Os2Copy],
        copy_in_ps: costs[Item::Os2Copy],
        buffer_ns: costs[Item::DriverBuffer],
        buffer_bytes: driver_buffer_bytes,
        verb_ns: costs[Item::Os2Verb],
        dispatch_ns: costs[Item::Os2Dispatch],
        ..uniform(costs[Item::Os2Ru], byte_ps)
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
pub fn dos(costs: &Costs) -> Cost {
    Cost {
        copy_out_ps: costs[Item::DosCopyOut],
        copy_in_ps: costs[Item::DosCopyIn],
        verb_ns: costs[Item::DosVerb],
        dispatch_ns: costs[Item::DosVerb],
        ..uniform(costs[Item::DosFrame], costs[Item::TurboByte])
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
