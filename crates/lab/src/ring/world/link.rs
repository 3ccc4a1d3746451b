//! The ring's side of the simulation: from link station to card to ring to card
//! to link station.

use super::super::port::{Port, begins_message, is_data, is_segment};
use super::job::FRONT_END;
use super::{Node, ProcessorJob, RingEvent, RingSimulation};
use sna::dlc::llc2;
use sna::dlc::pdu::I_HEADER_BYTES;

impl RingSimulation {
    /// Lets a machine's link station send what it has, and prepares more.
    pub(super) fn emit(&mut self, m: usize) {
        let now = self.clock.now();
        let Some(mut port) = self.nodes[m].port.take() else {
            return;
        };
        let mut pdu = Vec::new();
        let mut ready = Vec::new();
        while port.station.poll_transmit(now, &mut pdu) {
            let pdu = std::mem::take(&mut pdu);
            let paid = is_data(&pdu) && port.prepared > 0;
            if paid {
                port.prepared -= 1;
            }
            ready.push((paid, pdu));
        }
        let outstanding = port.station.outstanding();
        let timer = port.plan_timer();
        self.nodes[m].port = Some(port);
        self.outcome.note_window(m, outstanding);
        if let Some(at) = timer {
            self.clock.at(at, RingEvent::LinkTimer(m));
        }
        for (paid, pdu) in ready {
            let cost = &self.nodes[m].cost;
            match (paid, is_data(&pdu)) {
                (true, _) => self.put_on_card(m, pdu),
                (false, true) => {
                    let ns = cost.link_out_ns(pdu.len());
                    self.submit_urgent(m, ns, ProcessorJob::Emit(pdu));
                }
                (false, false) => self.submit_urgent(m, cost.control_ns, ProcessorJob::Emit(pdu)),
            }
        }
        self.prepare(m);
    }

    /// Takes the next PIU down from its session, and prepares the next data
    /// frame if the link takes one.
    pub(super) fn prepare(&mut self, m: usize) {
        if self.nodes[m].port.is_none() {
            return self.prepare_on_host(m);
        }
        self.build(m);
        let Node { cost, port, .. } = &mut self.nodes[m];
        let Some(port) = port.as_mut().filter(|p| p.may_prepare()) else {
            return;
        };
        if let Some(piu) = port.built.pop_front() {
            port.preparing = true;
            let ns = cost.link_out_ns(piu.len());
            self.submit_urgent(m, ns, ProcessorJob::Send(piu));
            return self.build(m);
        }
        let Some(channel) = self.channel.as_mut().filter(|_| m == FRONT_END) else {
            return;
        };
        let Some(piu) = channel.to_ring.pop_front() else {
            return;
        };
        port.preparing = true;
        let ns = channel.path_control.piu_out_ns + cost.link_out_ns(piu.len());
        self.submit(m, ns, ProcessorJob::Send(piu));
    }

    /// Begins to take a PIU down from its session, whether the link's window
    /// is open or not.
    fn build(&mut self, m: usize) {
        let may = self.nodes[m].port.as_ref().is_some_and(Port::may_build);
        let Some(end) = self.end_of(m).filter(|_| may) else {
            return;
        };
        let Some(piu) = self.poll_end(end) else {
            return;
        };
        if let Some(port) = &mut self.nodes[m].port {
            port.building = true;
        }
        let ns = self.nodes[m]
            .cost
            .session_out_ns(piu.len(), begins_message(&piu));
        self.submit(m, ns, ProcessorJob::Build(piu));
    }

    /// Puts a frame on the card; the card fetches it or has it already.
    pub(super) fn put_on_card(&mut self, m: usize, pdu: Vec<u8>) {
        let now = self.clock.now();
        let Some(port) = &mut self.nodes[m].port else {
            return;
        };
        port.on_card += 1;
        let stalls = port.adapter.waits_for_send;
        let fetched = port.moved_at(now, pdu.len());
        if stalls {
            self.nodes[m].cpu.stall(true);
        }
        match fetched {
            Some(at) => self.clock.at(at, RingEvent::Fetched(m, pdu)),
            None => self.request_token(m, pdu),
        }
    }

    /// A frame waits for the token.
    pub(super) fn request_token(&mut self, m: usize, pdu: Vec<u8>) {
        self.ready.push_back((m, pdu));
        self.pass_token();
    }

    fn pass_token(&mut self) {
        if self.ring_busy {
            return;
        }
        let Some((m, pdu)) = self.ready.pop_front() else {
            return;
        };
        self.ring_busy = true;
        let wait_ns = self.clock.random.below(self.ring.circulation_ns());
        let ns = self.ring.frame_ns(pdu.len());
        if is_data(&pdu) {
            self.data_at = self.clock.now();
        }
        self.outcome.note_frame(self.clock.now(), m, pdu.len(), ns);
        self.clock.after(wait_ns + ns, RingEvent::Left(m, pdu));
    }

    /// A frame has left its card and is at the other station.
    pub(super) fn frame_left(&mut self, m: usize, pdu: Vec<u8>) {
        self.ring_busy = false;
        let mut stalled = false;
        if let Some(port) = &mut self.nodes[m].port {
            port.on_card -= 1;
            stalled = port.adapter.waits_for_send && port.on_card == 0;
        }
        if stalled {
            self.nodes[m].cpu.stall(false);
            self.begin_job(m);
        }
        let one_in = self.ring.loss_one_in;
        if one_in > 0 && self.clock.random.below(one_in) == 0 {
            self.outcome.lost += 1;
        } else {
            self.arrive(1 - m, pdu);
        }
        self.pass_token();
        self.prepare(m);
    }

    fn arrive(&mut self, m: usize, pdu: Vec<u8>) {
        let now = self.clock.now();
        let Some(port) = &mut self.nodes[m].port else {
            return;
        };
        if !port.hold(pdu.len()) {
            self.outcome.overrun += 1;
            return;
        }
        match port.moved_at(now, pdu.len()) {
            Some(at) => self.clock.at(at, RingEvent::Moved(m, pdu)),
            None => self.take_in(m, pdu),
        }
    }

    /// A card has moved a frame by itself.
    pub(super) fn moved(&mut self, m: usize, pdu: Vec<u8>) {
        if let Some(port) = &mut self.nodes[m].port {
            port.held_bytes -= pdu.len();
        }
        self.take_in(m, pdu);
    }

    fn take_in(&mut self, m: usize, pdu: Vec<u8>) {
        let cost = &self.nodes[m].cost;
        let ns = if is_data(&pdu) {
            cost.link_in_ns(pdu.len())
        } else {
            cost.control_ns
        };
        match self.acknowledges_late(m) {
            None => self.submit_urgent(m, ns, ProcessorJob::Receive(pdu)),
            Some(path_control) => {
                let piu = pdu.get(I_HEADER_BYTES..).filter(|_| is_data(&pdu));
                let more = piu.map_or(0, |piu| path_control.in_ns(piu.len(), is_segment(piu)));
                self.submit(m, ns + more, ProcessorJob::Receive(pdu));
            }
        }
    }

    /// Passes on the events of a machine's link station.
    pub(super) fn learn(&mut self, m: usize) {
        let mut events = Vec::new();
        if let Some(port) = &mut self.nodes[m].port {
            events.extend(std::iter::from_fn(|| port.station.poll_event()));
        }
        for event in events {
            match event {
                llc2::StationEvent::Connected => self.connected(m),
                llc2::StationEvent::Data(piu) => self.receive_piu(m, piu),
                llc2::StationEvent::Closed(_) | llc2::StationEvent::Reset => {
                    self.failed = Some(super::RingError::LinkFailed);
                }
                _ => {}
            }
        }
    }
}
