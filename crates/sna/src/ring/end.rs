//! ends (stand-in)
use super::config::{self, Session, Transaction};
use super::lu::{Got, Lu, Pacing};
use std::task::Poll;

#[derive(Debug)]
pub(super) enum Step {
    Began,
    Next,
    Wait,
    Over,
}
#[derive(Debug)]
pub(super) struct End {
    lu: Lu,
    client: bool,
    tx: Transaction,
    sent: usize,
    phase: u8,
    waiting: bool,
    up: bool,
    received: usize,
    total: usize,
}
fn pacing(s: &Session) -> Pacing {
    Pacing {
        window: s.send_window as u16,
        adaptive: s.pacing == config::Pacing::Adaptive,
        max: s.max_adaptive_window,
    }
}
impl End {
    pub(super) fn pair(cs: &Session, ss: &Session, btu: usize, tx: Transaction) -> [End; 2] {
        let ru = cs.ru_bytes.min(ss.ru_bytes);
        let adaptive =
            cs.pacing == config::Pacing::Adaptive && ss.pacing == config::Pacing::Adaptive;
        let mut pc = pacing(cs);
        let mut ps = pacing(ss);
        pc.adaptive = adaptive;
        ps.adaptive = adaptive;
        pc.window = pc.window.min(ss.receive_window as u16);
        ps.window = ps.window.min(cs.receive_window as u16);
        let mut rc = ps;
        rc.max = cs.max_adaptive_window;
        let mut rs = pc;
        rs.max = ss.max_adaptive_window;
        [
            End::new(Lu::new(ru, btu, pc, rc), true, tx),
            End::new(Lu::new(ru, btu, ps, rs), false, tx),
        ]
    }
    fn new(lu: Lu, client: bool, tx: Transaction) -> End {
        End {
            lu,
            client,
            tx,
            sent: 0,
            phase: 0,
            waiting: true,
            up: false,
            received: 0,
            total: 0,
        }
    }
    pub(super) fn link_up(&mut self, _now: u64) {
        self.up = true;
    }
    pub(super) fn handle_piu(&mut self, p: Vec<u8>, _now: u64) {
        self.lu.handle_piu(&p);
    }
    pub(super) fn poll_piu(&mut self) -> Option<Vec<u8>> {
        self.lu.poll_piu()
    }
    pub(super) fn may_go_on(&mut self) -> bool {
        if self.waiting && (self.lu.worth() || self.up && self.phase == 0 && self.client) {
            if self.phase == 0 && self.client {
                self.up = false;
            }
            self.waiting = false;
            return true;
        }
        false
    }
    pub(super) fn plan_timer(&mut self) -> Option<u64> {
        None
    }
    pub(super) fn handle_timer(&mut self, _now: u64) {}
    pub(super) fn sent_bytes(&self) -> usize {
        self.total
    }
    pub(super) fn received_bytes(&self) -> usize {
        self.received
    }
    pub(super) fn faults(&self) -> u64 {
        0
    }
    pub(super) fn step(&mut self, _now: u64) -> Step {
        match (self.client, self.tx) {
            (
                true,
                Transaction::FileTransfer {
                    bytes,
                    buffer_bytes,
                },
            ) => {
                if self.phase == 0 {
                    self.phase = 9;
                    return Step::Began;
                }
                if self.sent < bytes {
                    let n = buffer_bytes.min(bytes - self.sent);
                    let _ = self.lu.send(n);
                    self.sent += n;
                    self.total += n;
                    return Step::Next;
                }
                match self.lu.confirm() {
                    Poll::Ready(()) => {
                        self.sent = 0;
                        Step::Over
                    }
                    Poll::Pending => {
                        self.waiting = true;
                        Step::Wait
                    }
                }
            }
            (false, Transaction::FileTransfer { .. }) => match self.lu.receive() {
                Poll::Ready(Got::Confirm) => {
                    self.lu.respond();
                    Step::Next
                }
                Poll::Ready(Got::Data(n)) => {
                    self.received += n;
                    self.step(0)
                }
                Poll::Ready(_) => Step::Next,
                Poll::Pending => {
                    self.waiting = true;
                    Step::Wait
                }
            },
            (client, Transaction::Inquiry { .. }) => {
                if self.phase == 0 && client {
                    self.phase = 1;
                    return Step::Began;
                }
                if self.phase == 1 && client {
                    let _ = self.lu.send(100);
                    self.total += 100;
                    self.phase = 2;
                    return Step::Next;
                }
                match self.lu.receive() {
                    Poll::Ready(Got::Turn) => {
                        if client {
                            self.phase = 1;
                            Step::Over
                        } else {
                            let _ = self.lu.send(100);
                            self.total += 100;
                            Step::Next
                        }
                    }
                    Poll::Ready(Got::Data(n)) => {
                        self.received += n;
                        self.step(0)
                    }
                    Poll::Ready(_) => Step::Next,
                    Poll::Pending => {
                        self.waiting = true;
                        Step::Wait
                    }
                }
            }
        }
    }
}
