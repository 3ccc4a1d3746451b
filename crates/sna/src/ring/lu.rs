//! A plain logical unit.
use std::collections::VecDeque;
use std::task::Poll;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pacing {
    pub window: u16,
    pub adaptive: bool,
    pub max: u16,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Got {
    Data(usize),
    Confirm,
    Turn,
}
#[derive(Debug)]
pub struct Lu {
    ru: usize,
    btu: usize,
    adaptive: bool,
    maxwin: u16,
    backlog: usize,
    marks: VecDeque<(usize, Got)>,
    segs: VecDeque<Vec<u8>>,
    ctl: VecDeque<Vec<u8>>,
    left: u16,
    next: u16,
    window: u16,
    waited: bool,
    snf: u16,
    rwin: u16,
    pub got: VecDeque<Got>,
    confirmed: bool,
    confirm_out: bool,
    turned: bool,
    marks_in: Option<Got>,
}
impl Lu {
    pub fn new(ru: usize, btu: usize, send: Pacing, recv: Pacing) -> Lu {
        Lu {
            ru,
            btu,
            adaptive: send.adaptive,
            maxwin: recv.max,
            backlog: 0,
            marks: VecDeque::new(),
            segs: VecDeque::new(),
            ctl: VecDeque::new(),
            left: 0,
            next: send.window,
            window: send.window,
            waited: false,
            snf: 0,
            rwin: recv.window,
            got: VecDeque::new(),
            confirmed: false,
            confirm_out: false,
            turned: false,
            marks_in: None,
        }
    }
    pub fn send(&mut self, n: usize) -> Poll<()> {
        self.turned = false;
        self.backlog += n + 4;
        Poll::Ready(())
    }
    pub fn confirm(&mut self) -> Poll<()> {
        if self.confirmed {
            self.confirmed = false;
            self.confirm_out = false;
            return Poll::Ready(());
        }
        if !self.confirm_out {
            self.confirm_out = true;
            self.marks.push_back((self.backlog, Got::Confirm));
        }
        Poll::Pending
    }
    pub fn receive(&mut self) -> Poll<Got> {
        if self.backlog > 0 && !self.turned && self.marks.is_empty() {
            self.turned = true;
            self.marks.push_back((self.backlog, Got::Turn));
        }
        match self.got.pop_front() {
            Some(g) => Poll::Ready(g),
            None => Poll::Pending,
        }
    }
    pub fn respond(&mut self) {
        let mut p = vec![0x2C, 0, 1, 2, 0, 0];
        p.extend([0x83, 0x80, 0]);
        self.ctl.push_back(p);
    }
    pub fn poll_piu(&mut self) -> Option<Vec<u8>> {
        if let Some(p) = self.ctl.pop_front() {
            return Some(p);
        }
        if let Some(p) = self.segs.pop_front() {
            return Some(p);
        }
        let room = match self.marks.front() {
            Some((at, _)) => (*at).min(self.ru),
            None if self.backlog > self.ru => self.ru,
            None => return None,
        };
        if room == 0 {
            return None;
        }
        let mut rh = [0x03u8, 0x90, 0];
        if self.left > 0 {
            self.left -= 1;
        } else if self.next > 0 {
            self.left = self.next - 1;
            self.next = 0;
            rh[1] |= 1;
            if self.waited && self.adaptive {
                rh[1] |= 4;
            }
            self.waited = false;
        } else {
            self.waited = true;
            return None;
        }
        if let Some((at, _)) = self.marks.front() {
            if *at == room {
                let (_, g) = self.marks.pop_front().unwrap();
                rh[2] = match g {
                    Got::Confirm => {
                        rh[1] = rh[1] & 5 | 0xA0;
                        0
                    }
                    _ => 0x20,
                };
            }
        }
        self.backlog -= room;
        for m in &mut self.marks {
            m.0 -= room;
        }
        self.snf += 1;
        let mut bytes = rh.to_vec();
        bytes.resize(3 + room, 0xAA);
        let n = bytes.len().div_ceil(self.btu - 6);
        for (i, c) in bytes.chunks(self.btu - 6).enumerate() {
            let mpf = match (i == 0, i + 1 == n) {
                (true, true) => 0x2C,
                (true, false) => 0x28,
                (false, false) => 0x20,
                (false, true) => 0x24,
            };
            let mut p = vec![mpf, 0, 1, 2, (self.snf >> 8) as u8, self.snf as u8];
            p.extend_from_slice(c);
            self.segs.push_back(p);
        }
        self.segs.pop_front()
    }
    /// returns whether the program should look
    pub fn handle_piu(&mut self, p: &[u8]) -> bool {
        let mpf = p[0] & 0x0C;
        if mpf == 0 || mpf == 4 {
            let _ = self.got.push_back(Got::Data(p.len() - 6));
            if mpf == 4 {
                if let Some(g) = self.pending_mark() {
                    self.got.push_back(g);
                }
            }
            return true;
        }
        let rh = &p[6..9];
        if rh[0] & 0x80 != 0 {
            if rh == [0x83, 0x80, 0] {
                self.confirmed = true;
                return true;
            }
            // pacing
            self.next = if p.len() > 9 {
                u16::from_be_bytes([p[10], p[11]])
            } else {
                self.window
            };
            return true;
        }
        if rh[1] & 1 != 0 {
            if self.adaptive {
                if rh[1] & 4 != 0 {
                    self.rwin = (self.rwin * 2).min(self.maxwin);
                }
                let w = self.rwin.to_be_bytes();
                self.ctl
                    .push_back(vec![0x2D, 0, 1, 2, 0, 0, 0x83, 1, 0, 0, w[0], w[1]]);
            } else {
                self.ctl.push_back(vec![0x2C, 0, 1, 2, 0, 0, 0x83, 1, 0]);
            }
        }
        self.got.push_back(Got::Data(p.len() - 9));
        let g = if rh[2] == 0x20 {
            Some(Got::Turn)
        } else if rh[1] & 0xF0 == 0xA0 {
            Some(Got::Confirm)
        } else {
            None
        };
        if mpf == 8 {
            self.window_mark(g);
        } else if let Some(g) = g {
            self.got.push_back(g);
        }
        true
    }
    pub fn worth(&self) -> bool {
        self.confirmed || self.got.iter().any(|g| !matches!(g, Got::Data(_)))
    }
    fn window_mark(&mut self, g: Option<Got>) {
        self.marks_in = g;
    }
    fn pending_mark(&mut self) -> Option<Got> {
        self.marks_in.take()
    }
}
