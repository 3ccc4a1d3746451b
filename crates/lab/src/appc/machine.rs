//! Machines, cards and the front end of the simulation, made of costs and
//! structure.
//!
//! This module defines which work has a cost. The amounts and their reasons are in
//! [`super::costs`] and [`super::choices`].

use super::costs::CostItem;
use super::mainframe::Client;
use super::model::NetworkModel;
use crate::ring::{AdapterCard, AdapterTransfer, PathControl, ProcessorCost};

/// A client of Appendix A, or the host; neither is the limit.
pub fn client(model: &NetworkModel) -> ProcessorCost {
    ProcessorCost::uniform(model.structure.step_ns)
}

/// The host, with buffers of this size.
pub fn host(iobuf: usize, model: &NetworkModel) -> ProcessorCost {
    ProcessorCost {
        buffer_bytes: iobuf,
        control_ns: 0,
        ..client(model)
    }
}

fn uniform(step_ns: u64, byte_ps: u64) -> ProcessorCost {
    ProcessorCost {
        byte_out_ps: byte_ps,
        byte_in_ps: byte_ps,
        ..ProcessorCost::uniform(step_ns)
    }
}

/// The front end at link level, which does not wait for path control.
pub fn ncp(model: &NetworkModel) -> ProcessorCost {
    let link_ns = model.structure.link_ns;
    ProcessorCost {
        frame_out_ns: link_ns,
        frame_in_ns: link_ns,
        control_ns: link_ns,
        ..ProcessorCost::default()
    }
}

/// The front end between link and channel, with BFRS = 240.
pub fn path_control(model: &NetworkModel) -> PathControl {
    let piu_ns = model.costs[CostItem::NcpPiu];
    PathControl {
        piu_in_ns: piu_ns,
        piu_out_ns: piu_ns,
        segment_ns: model.structure.segment_ns,
        buffer_ns: model.costs[CostItem::NcpBuffer],
        buffer_bytes: 240,
    }
}

/// The front end's ring adapter; it moves frames into buffers by itself.
pub fn tic2(rcvbufc: usize, model: &NetworkModel) -> AdapterCard {
    AdapterCard {
        transfer: busmaster(model),
        ..AdapterCard::shared_memory(rcvbufc)
    }
}

fn busmaster(model: &NetworkModel) -> AdapterTransfer {
    AdapterTransfer::BusMaster {
        frame_ns: model.structure.card_frame_ns,
        byte_ps: model.structure.card_byte_ps,
    }
}

/// A client's adapter.
pub fn client_adapter(client: Client, model: &NetworkModel) -> AdapterCard {
    match client {
        Client::Dos => dos_adapter(model),
        _ => AdapterCard::shared_memory(SHARED_RAM_BYTES),
    }
}

/// OS/2 on the 486 of Appendix B.
pub fn os2(has_busmaster: bool, driver_buffer_bytes: usize, model: &NetworkModel) -> ProcessorCost {
    let costs = &model.costs;
    let byte_ps = if has_busmaster {
        0
    } else {
        costs[CostItem::TurboByte]
    };
    let step_ns = costs[CostItem::Os2Step];
    ProcessorCost {
        copy_out_ps: costs[CostItem::Os2Copy],
        copy_in_ps: costs[CostItem::Os2Copy],
        buffer_ns: model.structure.driver_buffer_ns,
        buffer_bytes: driver_buffer_bytes,
        verb_ns: step_ns,
        dispatch_ns: step_ns,
        ..uniform(model.structure.os2_ru_ns.unwrap_or(step_ns), byte_ps)
    }
}

/// Its adapter.
pub fn os2_adapter(has_busmaster: bool, model: &NetworkModel) -> AdapterCard {
    let shared = AdapterCard::shared_memory(SHARED_RAM_BYTES);
    if has_busmaster {
        AdapterCard {
            transfer: busmaster(model),
            ..shared
        }
    } else {
        shared
    }
}

/// NS/DOS on the 486 of Appendix B.
pub fn dos(model: &NetworkModel) -> ProcessorCost {
    let costs = &model.costs;
    ProcessorCost {
        copy_out_ps: costs[CostItem::DosCopy],
        copy_in_ps: costs[CostItem::DosCopy],
        ..uniform(costs[CostItem::DosStep], costs[CostItem::TurboByte])
    }
}

/// A Turbo adapter under DOS.
pub fn dos_adapter(model: &NetworkModel) -> AdapterCard {
    let waits = model.structure.dos_waits_for_send;
    let shared = AdapterCard::shared_memory(SHARED_RAM_BYTES);
    AdapterCard {
        waits_for_send: waits,
        transmit_frames: if waits { 1 } else { shared.transmit_frames },
        ..shared
    }
}

/// Shared memory of the cards, as the guide configured them.
const SHARED_RAM_BYTES: usize = 64 * 1024;
