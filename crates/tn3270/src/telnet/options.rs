//! Which Telnet options are on, and what a negotiation is answered with.
//!
//! An answer is sent only where it changes something or refuses something for
//! the first time: two ends that follow this rule never loop.
//! Reference: RFC 854, RFC 1143.

use super::code::{DO, DONT, WILL, WONT};

/// The end to which an option applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptionSide {
    /// This end: WILL and WONT are sent for it.
    Local,
    /// The other end: DO and DONT are sent for it.
    Remote,
}

/// What a negotiation changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionChange {
    /// The option came on.
    On(OptionSide, u8),
    /// The option went off after it was on.
    Off(OptionSide, u8),
    /// The other end refused what this end had asked for.
    Refused(OptionSide, u8),
}

/// The options of a connection.
#[derive(Clone, Debug)]
pub struct TelnetOptions {
    supported: [OptionSet; 2],
    on: [OptionSet; 2],
    /// Asked for by this end, without an answer yet.
    requested: [OptionSet; 2],
    /// Refused once; a repetition gets no answer.
    refused: [OptionSet; 2],
}

impl TelnetOptions {
    /// All off. Options that are not among those of their side are refused.
    pub fn new(local: &[u8], remote: &[u8]) -> TelnetOptions {
        TelnetOptions {
            supported: [OptionSet::of(local), OptionSet::of(remote)],
            on: [OptionSet([0; 4]); 2],
            requested: [OptionSet([0; 4]); 2],
            refused: [OptionSet([0; 4]); 2],
        }
    }

    /// Whether the option is on.
    pub fn is_on(&self, side: OptionSide, option: u8) -> bool {
        self.on[side as usize].has(option)
    }

    /// Asks for an option, unless it is on or was asked for; appends the
    /// bytes.
    pub fn request(&mut self, side: OptionSide, option: u8, out: &mut Vec<u8>) {
        if self.is_on(side, option) || self.requested[side as usize].has(option) {
            return;
        }
        self.requested[side as usize].set(option, true);
        let verb = match side {
            OptionSide::Local => WILL,
            OptionSide::Remote => DO,
        };
        send(verb, option, out);
    }

    /// Turns an option off; appends the bytes if it was on or asked for.
    pub fn disable(&mut self, side: OptionSide, option: u8, out: &mut Vec<u8>) {
        let at = side as usize;
        if self.on[at].has(option) || self.requested[at].has(option) {
            let verb = match side {
                OptionSide::Local => WONT,
                OptionSide::Remote => DONT,
            };
            send(verb, option, out);
        }
        self.on[at].set(option, false);
        self.requested[at].set(option, false);
    }

    /// Handles WILL, WONT, DO or DONT; appends the answer if one is due.
    pub fn handle(&mut self, verb: u8, option: u8, out: &mut Vec<u8>) -> Option<OptionChange> {
        let side = if verb == WILL || verb == WONT {
            OptionSide::Remote
        } else {
            OptionSide::Local
        };
        let at = side as usize;
        let asked = self.requested[at].has(option);
        let on = self.on[at].has(option);
        self.requested[at].set(option, false);
        let (agree, refuse) = match side {
            OptionSide::Remote => (DO, DONT),
            OptionSide::Local => (WILL, WONT),
        };
        if verb == WILL || verb == DO {
            if on {
                return None;
            }
            if !self.supported[at].has(option) {
                if !self.refused[at].has(option) {
                    self.refused[at].set(option, true);
                    send(refuse, option, out);
                }
                return None;
            }
            self.on[at].set(option, true);
            if !asked {
                send(agree, option, out);
            }
            return Some(OptionChange::On(side, option));
        }
        if on {
            self.on[at].set(option, false);
            send(refuse, option, out);
            return Some(OptionChange::Off(side, option));
        }
        asked.then_some(OptionChange::Refused(side, option))
    }
}

/// A set of option numbers.
#[derive(Clone, Copy, Debug)]
struct OptionSet([u64; 4]);

impl OptionSet {
    fn of(options: &[u8]) -> OptionSet {
        let mut set = OptionSet([0; 4]);
        for option in options {
            set.set(*option, true);
        }
        set
    }

    const fn has(&self, option: u8) -> bool {
        self.0[(option >> 6) as usize] >> (option & 63) & 1 == 1
    }

    const fn set(&mut self, option: u8, on: bool) {
        let bit = 1 << (option & 63);
        let word = &mut self.0[(option >> 6) as usize];
        *word = if on { *word | bit } else { *word & !bit };
    }
}

fn send(verb: u8, option: u8, out: &mut Vec<u8>) {
    out.extend([super::code::IAC, verb, option]);
}

#[cfg(test)]
mod tests {
    use super::super::code::{BINARY, END_OF_RECORD, IAC};
    use super::*;

    #[test]
    fn two_ends_that_both_ask_do_not_loop() {
        let supported = &[BINARY, END_OF_RECORD];
        let mut ends = [(); 2].map(|()| TelnetOptions::new(supported, supported));
        let mut wires = [Vec::new(), Vec::new()];
        for (end, wire) in ends.iter_mut().zip(&mut wires) {
            for side in [OptionSide::Local, OptionSide::Remote] {
                end.request(side, BINARY, wire);
                end.request(side, END_OF_RECORD, wire);
            }
        }
        let mut rounds = 0;
        while wires.iter().any(|wire| !wire.is_empty()) {
            rounds += 1;
            assert!(rounds < 4);
            let [first, second] = std::mem::take(&mut wires);
            for triple in first.chunks(3) {
                ends[1].handle(triple[1], triple[2], &mut wires[1]);
            }
            for triple in second.chunks(3) {
                ends[0].handle(triple[1], triple[2], &mut wires[0]);
            }
        }
        for end in &ends {
            assert!(
                end.is_on(OptionSide::Local, BINARY)
                    && end.is_on(OptionSide::Remote, END_OF_RECORD)
            );
        }
    }

    #[test]
    fn an_unknown_option_is_refused_once() {
        let mut options = TelnetOptions::new(&[], &[]);
        let mut out = Vec::new();
        for _ in 0..3 {
            options.handle(WILL, 99, &mut out);
            options.handle(DO, 99, &mut out);
        }
        assert_eq!(out, [IAC, DONT, 99, IAC, WONT, 99]);
    }

    #[test]
    fn a_refusal_of_what_was_asked_is_reported() {
        let mut options = TelnetOptions::new(&[], &[BINARY]);
        let mut out = Vec::new();
        options.request(OptionSide::Remote, BINARY, &mut out);
        let change = options.handle(WONT, BINARY, &mut out);
        assert_eq!(
            change,
            Some(OptionChange::Refused(OptionSide::Remote, BINARY))
        );
        assert_eq!(options.handle(WONT, BINARY, &mut out), None);
        assert_eq!(out, [IAC, DO, BINARY]);
    }
}
