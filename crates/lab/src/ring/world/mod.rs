//! The simulation: up to three machines, their work, and the events.
//!
//! Machine 0 is the client, machine 1 the server or the front end, machine 2
//! the front end's host. Frames, transfers and channel programs are events;
//! everything that uses a processor is a [`ProcessorJob`] with an effect at its end.
//! Invariant: a machine learns of another only through bytes on the ring or the
//! channel.

mod job;
mod link;

use super::channel::Channel;
use super::clock::Clock;
use super::config::{RingMachine, RingNetwork, RingWorkload, Server};
use super::cost::ProcessorCost;
use super::cpu::SimulatedCpu;
use super::end::RingEnd;
use super::medium::TokenRing;
use super::outcome::{RingError, RunOutcome};
use super::port::Port;
use std::collections::VecDeque;

/// An event at an instant.
#[derive(Debug)]
pub(super) enum RingEvent {
    /// A processor ends its job.
    Done(usize),
    /// A card has fetched a frame from its machine.
    Fetched(usize, Vec<u8>),
    /// A frame has circulated the ring.
    Left(usize, Vec<u8>),
    /// A card has moved a frame to its machine.
    Moved(usize, Vec<u8>),
    /// A link station's timer.
    LinkTimer(usize),
    /// A logical unit's timer.
    EndTimer(usize),
    /// A batch has waited for DELAY.
    ChannelTimer,
    /// A channel program has ended.
    ChannelEnd(bool, Vec<Vec<u8>>),
}

/// The work of a processor.
#[derive(Debug)]
pub(super) enum ProcessorJob {
    /// Takes a PDU in.
    Receive(Vec<u8>),
    /// Hands a PIU from its session to the link layer.
    Build(Vec<u8>),
    /// Hands a PIU to the link station.
    Send(Vec<u8>),
    /// Puts a PDU on the card.
    Emit(Vec<u8>),
    /// Hands a PIU from the link layer to its session.
    Deliver(Vec<u8>),
    /// Issues the program's next verb.
    Program,
    /// Passes a PIU on to the channel.
    PassOn(Vec<u8>),
    /// Starts or ends a channel program.
    Channel,
    /// Takes a PIU from the channel.
    HostReceive(Vec<u8>),
    /// Hands a PIU to the channel.
    HostSend(Vec<u8>),
}

/// One machine.
struct Node {
    cost: ProcessorCost,
    cpu: SimulatedCpu<ProcessorJob>,
    port: Option<Port>,
}

/// The whole network.
pub(super) struct RingSimulation {
    clock: Clock<RingEvent>,
    ring: TokenRing,
    nodes: Vec<Node>,
    ends: [RingEnd; 2],
    channel: Option<Channel>,
    /// Frames whose cards wait for the token.
    ready: VecDeque<(usize, Vec<u8>)>,
    ring_busy: bool,
    /// When the last data frame was sent.
    data_at: u64,
    workload: RingWorkload,
    done: usize,
    failed: Option<RingError>,
    outcome: RunOutcome,
}

impl RingSimulation {
    /// A network at rest.
    pub(super) fn new(
        network: &RingNetwork,
        workload: RingWorkload,
        seed: u64,
    ) -> Result<RingSimulation, RingError> {
        let max_info = network.ring.max_info_bytes();
        let node = |cost: &ProcessorCost, port| Node {
            cost: cost.clone(),
            cpu: SimulatedCpu::new(),
            port,
        };
        let on_ring =
            |m: &RingMachine| node(&m.cost, Some(Port::new(&m.adapter, &m.link, max_info)));
        let client = &network.client;
        let mut nodes = vec![on_ring(client)];
        let (session, link, channel) = match &network.server {
            Server::OnRing(server) => {
                nodes.push(on_ring(server));
                (&server.session, &server.link, None)
            }
            Server::WithFrontEnd(front) => {
                let port = Port::new(&front.adapter, &front.link, max_info);
                nodes.push(node(&front.cost, Some(port)));
                nodes.push(node(&front.host.cost, None));
                (&front.host.session, &front.link, Some(Channel::new(front)))
            }
        };
        let btu = client.link.max_btu_bytes.min(link.max_btu_bytes);
        let btu = btu.min(max_info);
        Ok(RingSimulation {
            clock: Clock::new(seed),
            ring: network.ring.clone(),
            nodes,
            ends: RingEnd::pair(&client.session, session, btu, workload.transaction)
                .map_err(RingError::NoSession)?,
            channel,
            ready: VecDeque::new(),
            ring_busy: false,
            data_at: 0,
            workload,
            done: 0,
            failed: None,
            outcome: RunOutcome::default(),
        })
    }

    /// Runs until the last transaction has ended.
    pub(super) fn run(mut self) -> Result<RunOutcome, RingError> {
        let now = self.clock.now();
        if let Some(port) = &mut self.nodes[1].port {
            port.station.set_listening(true);
        }
        if let Some(port) = &mut self.nodes[0].port {
            port.station.connect(now);
        }
        self.emit(0);
        let total = self.workload.warm_up + self.workload.repetitions;
        while self.done < total {
            let Some(event) = self.clock.next() else {
                return Err(RingError::Stuck);
            };
            self.outcome.events += 1;
            if self.outcome.events > MOST_EVENTS {
                return Err(RingError::Endless);
            }
            if self.clock.now() > self.data_at + MOST_IDLE_NS {
                return Err(RingError::Stuck);
            }
            self.handle(event);
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
        }
        Ok(self.close())
    }

    fn handle(&mut self, event: RingEvent) {
        match event {
            RingEvent::Done(m) => {
                if let Some(job) = self.nodes[m].cpu.finish() {
                    self.carry_out(m, job);
                }
                self.begin_job(m);
            }
            RingEvent::Fetched(m, pdu) => self.request_token(m, pdu),
            RingEvent::Left(m, pdu) => self.frame_left(m, pdu),
            RingEvent::Moved(m, pdu) => self.moved(m, pdu),
            RingEvent::LinkTimer(m) => {
                let now = self.clock.now();
                if let Some(port) = &mut self.nodes[m].port {
                    port.handle_timer(now);
                }
                self.learn(m);
                self.emit(m);
            }
            RingEvent::EndTimer(end) => {
                self.ends[end].handle_timer(self.clock.now());
                self.after_end(end);
            }
            RingEvent::ChannelTimer => self.use_channel(),
            RingEvent::ChannelEnd(write, batch) => self.channel_ended(write, batch),
        }
    }

    /// Which of the two programs runs on a machine.
    fn end_of(&self, m: usize) -> Option<usize> {
        match (m, self.channel.is_some()) {
            (0, _) => Some(0),
            (1, false) | (2, true) => Some(1),
            _ => None,
        }
    }

    /// The machine that a program runs on.
    fn machine_of(&self, end: usize) -> usize {
        match end {
            0 => 0,
            _ => self.nodes.len() - 1,
        }
    }

    fn submit(&mut self, m: usize, ns: u64, job: ProcessorJob) {
        self.nodes[m].cpu.submit(ns, job);
        self.begin_job(m);
    }

    fn submit_urgent(&mut self, m: usize, ns: u64, job: ProcessorJob) {
        self.nodes[m].cpu.submit_urgent(ns, job);
        self.begin_job(m);
    }

    fn begin_job(&mut self, m: usize) {
        if let Some(ns) = self.nodes[m].cpu.begin() {
            self.clock.after(ns, RingEvent::Done(m));
        }
    }

    /// A transaction has ended, or the first begins.
    fn stamp(&mut self) {
        let now = self.clock.now();
        if self.done == self.workload.warm_up {
            self.outcome.begin(now, self.busy());
        } else if self.done > self.workload.warm_up {
            self.outcome.stamp(now);
        }
    }

    fn busy(&self) -> Vec<u64> {
        self.nodes.iter().map(|node| node.cpu.busy_ns()).collect()
    }

    fn close(mut self) -> RunOutcome {
        let busy = self.busy();
        self.outcome.end(busy);
        let counts = |end: &RingEnd| (end.sent_bytes(), end.received_bytes());
        let ((asked, answered), (replied, arrived)) =
            (counts(&self.ends[0]), counts(&self.ends[1]));
        self.outcome.client_sent_bytes = asked;
        self.outcome.server_received_bytes = arrived;
        self.outcome.server_sent_bytes = replied;
        self.outcome.client_received_bytes = answered;
        self.outcome.faults = self.ends.iter().map(RingEnd::faults).sum();
        let ports = self.nodes.iter().filter_map(|node| node.port.as_ref());
        self.outcome.resent = ports.map(|port| port.station.counts().resent).sum();
        self.outcome
    }
}

/// More events than any valid run has; a run with more does not terminate.
const MOST_EVENTS: u64 = 500_000_000;

/// Link stations poll each other forever. If nothing else happens for this long,
/// the run is over.
const MOST_IDLE_NS: u64 = 120_000_000_000;
