//! The effects of jobs at their ends, and the path between front end and host.

use super::super::config::{AcknowledgePoint, PathControl};
use super::super::cost::AdapterTransfer;
use super::super::end::VerbProgress;
use super::super::port::{begins_message, begins_ru, is_expedited, is_segment};
use super::{ProcessorJob, RingError, RingEvent, RingSimulation};

impl RingSimulation {
    /// The effect of a job.
    pub(super) fn carry_out(&mut self, m: usize, job: ProcessorJob) {
        match job {
            ProcessorJob::Receive(pdu) => self.receive_pdu(m, &pdu),
            ProcessorJob::Build(piu) => {
                if let Some(port) = &mut self.nodes[m].port {
                    port.building = false;
                    port.built.push_back(piu);
                }
                self.prepare(m);
            }
            ProcessorJob::Send(piu) => {
                if let Some(port) = &mut self.nodes[m].port {
                    port.preparing = false;
                    match port.station.send(piu) {
                        Ok(()) => port.prepared += 1,
                        Err(_) => self.failed = Some(RingError::LinkFailed),
                    }
                }
                self.emit(m);
            }
            ProcessorJob::Emit(pdu) => {
                self.put_on_card(m, pdu);
                self.prepare(m);
            }
            ProcessorJob::Deliver(piu) | ProcessorJob::HostReceive(piu) => self.deliver(m, piu),
            ProcessorJob::Program => self.program(m),
            ProcessorJob::PassOn(piu) => self.pass_on(piu),
            ProcessorJob::Channel => {}
            ProcessorJob::HostSend(piu) => self.host_sends(piu),
        }
    }

    fn receive_pdu(&mut self, m: usize, pdu: &[u8]) {
        let now = self.clock.now();
        if let Some(port) = &mut self.nodes[m].port {
            if port.adapter.transfer == AdapterTransfer::Processor {
                port.held_bytes -= pdu.len();
            }
            port.station.handle_pdu(now, pdu);
        }
        if self.channel.is_some() && m == FRONT_END {
            // A front end's link work has a higher program level: the
            // acknowledgement leaves before path control begins.
            self.emit(m);
        }
        self.learn(m);
        self.emit(m);
    }

    /// The link is up: so is the session's link, at both ends of it.
    pub(super) fn connected(&mut self, m: usize) {
        let now = self.clock.now();
        // A front end's link is the host's.
        let end = self.end_of(m).unwrap_or(1);
        self.ends[end].link_up(now);
        self.after_end(end);
    }

    /// A PIU arrived over the link. Its acknowledgement is link work and does
    /// not wait for its session.
    pub(super) fn receive_piu(&mut self, m: usize, piu: Vec<u8>) {
        match (self.end_of(m), &self.channel) {
            (Some(_), _) => {
                let cost = &self.nodes[m].cost;
                let ns = cost.session_in_ns(piu.len(), begins_message(&piu));
                self.submit(m, ns, ProcessorJob::Deliver(piu));
            }
            // Path control has been paid for with the frame.
            (None, Some(_)) if self.acknowledges_late(m).is_some() => self.pass_on(piu),
            (None, Some(channel)) => {
                let ns = channel.path_control.in_ns(piu.len(), is_segment(&piu));
                self.submit(m, ns, ProcessorJob::PassOn(piu));
            }
            (None, None) => {}
        }
    }

    /// The cost of a PIU in a front end before it acknowledges the frame, if it
    /// acknowledges that late.
    pub(super) fn acknowledges_late(&self, m: usize) -> Option<&PathControl> {
        let channel = self.channel.as_ref().filter(|_| m == FRONT_END)?;
        let late = channel.acknowledges == AcknowledgePoint::WhenPassedOn;
        late.then_some(&channel.path_control)
    }

    /// A PIU has reached its session.
    fn deliver(&mut self, m: usize, piu: Vec<u8>) {
        let now = self.clock.now();
        if let Some(end) = self.end_of(m) {
            self.ends[end].handle_piu(piu, now);
            self.after_end(end);
        }
    }

    /// After anything that may have changed a logical unit: its program may
    /// continue, it may have something to send, it may want to be called later.
    pub(super) fn after_end(&mut self, end: usize) {
        let m = self.machine_of(end);
        self.wake(end);
        if let Some(failure) = self.ends[end].take_failure() {
            self.failed = Some(RingError::NoSession(failure));
        }
        if let Some(at) = self.ends[end].plan_timer() {
            self.clock.at(at, RingEvent::EndTimer(end));
        }
        self.prepare(m);
    }

    /// Lets a program continue that waits and has been called.
    fn wake(&mut self, end: usize) {
        if self.ends[end].may_go_on() {
            let m = self.machine_of(end);
            let ns = self.nodes[m].cost.dispatch_ns;
            self.submit(m, ns, ProcessorJob::Program);
        }
    }

    /// The next PIU of a logical unit. Taking one may make room for which its
    /// program waits.
    pub(super) fn poll_end(&mut self, end: usize) -> Option<Vec<u8>> {
        let piu = self.ends[end].poll_piu();
        self.wake(end);
        piu
    }

    fn program(&mut self, m: usize) {
        let Some(end) = self.end_of(m) else { return };
        let step = self.ends[end].step();
        if matches!(step, VerbProgress::Began | VerbProgress::Over) {
            self.done += usize::from(matches!(step, VerbProgress::Over));
            self.stamp();
        }
        if !matches!(step, VerbProgress::Wait) {
            let ns = self.nodes[m].cost.verb_ns;
            self.submit(m, ns, ProcessorJob::Program);
        }
        self.after_end(end);
    }

    fn pass_on(&mut self, piu: Vec<u8>) {
        let now = self.clock.now();
        let Some(channel) = &mut self.channel else {
            return;
        };
        if !channel.inbound.fits(piu.len()) {
            self.failed = Some(RingError::PiuTooLong { bytes: piu.len() });
            return;
        }
        if let Some(at) = channel.inbound.push(now, piu) {
            self.clock.at(at, RingEvent::ChannelTimer);
        }
        self.use_channel();
    }

    fn host_sends(&mut self, piu: Vec<u8>) {
        let now = self.clock.now();
        let Some(channel) = &mut self.channel else {
            return;
        };
        let expedited = is_expedited(&piu);
        if let Some(at) = channel.outbound.push(now, piu) {
            self.clock.at(at, RingEvent::ChannelTimer);
        }
        if expedited {
            channel.outbound.release(now);
        }
        self.use_channel();
    }

    /// A host passes everything to VTAM on arrival; VTAM holds it.
    pub(super) fn prepare_on_host(&mut self, m: usize) {
        let Some(end) = self.end_of(m) else { return };
        while let Some(piu) = self.poll_end(end) {
            let ns = self.nodes[m].cost.out_ns(piu.len(), begins_ru(&piu));
            self.submit(m, ns, ProcessorJob::HostSend(piu));
        }
    }

    /// Begins a channel program if one is due.
    pub(super) fn use_channel(&mut self) {
        let now = self.clock.now();
        let Some(channel) = &mut self.channel else {
            return;
        };
        let Some(program) = channel.begin(now) else {
            return;
        };
        let host_ns = channel.program_ns;
        if program.write {
            self.submit(HOST, host_ns, ProcessorJob::Channel);
        }
        let end = RingEvent::ChannelEnd(program.write, program.batch);
        self.clock.after(program.ns, end);
    }

    /// A channel program has ended.
    pub(super) fn channel_ended(&mut self, write: bool, batch: Vec<Vec<u8>>) {
        self.outcome.channel_programs += 1;
        let Some(channel) = &mut self.channel else {
            return;
        };
        channel.end();
        if write {
            channel.to_ring.extend(batch);
            self.prepare(FRONT_END);
        } else {
            let ns = channel.program_ns;
            self.submit(HOST, ns, ProcessorJob::Channel);
            for piu in batch {
                let ns = self.nodes[HOST].cost.in_ns(piu.len(), begins_ru(&piu));
                self.submit(HOST, ns, ProcessorJob::HostReceive(piu));
            }
        }
        self.use_channel();
    }
}

/// The front end's place among the machines.
pub(super) const FRONT_END: usize = 1;
/// The host's.
const HOST: usize = 2;
