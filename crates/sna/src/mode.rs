//! Modes: the allowed properties of sessions between two logical units.
//!
//! A mode names RU sizes, pacing and session limits. The node that sends the
//! BIND proposes its own mode of that name and the partner negotiates with its
//! own, so each side keeps the limits it was given. The table starts with the
//! five architected user modes, SNASVCMG and the blank mode.
//! Reference: IBM *SNA LU 6.2 Reference: Peer Protocols* (SC31-6808), modes.

use crate::name::ModeName;
use std::collections::BTreeMap;

/// The properties of sessions under one mode name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The name; empty for the blank mode.
    pub name: ModeName,
    /// The largest RU we want to send, in bytes (8 to 491,520).
    pub send_ru_bytes: usize,
    /// The largest RU we want to receive, in bytes (8 to 491,520).
    pub receive_ru_bytes: usize,
    /// The smallest RU size, either way, that we let a partner negotiate to;
    /// below 256 an Attach may not fit one RU.
    pub min_ru_bytes: usize,
    /// RUs this side sends before a pacing response; 0 means no pacing.
    pub send_window: u8,
    /// RUs this side receives before it sends a pacing response; 0 is no
    /// pacing.
    pub receive_window: u8,
    /// Which pacing the BIND asks for.
    pub pacing: PacingMode,
    /// The largest window that adaptive pacing may grant a partner, in RUs.
    pub max_adaptive_window: u16,
    /// The number of sessions there may be (0 to 32,767).
    pub session_limit: u16,
    /// The number of of them we want to be contention winner of.
    pub min_winners: u16,
    /// The transmission priority of its PIUs in this node's queues.
    pub priority: TransmissionPriority,
    /// The highest sync level that its conversations may have.
    pub sync: SyncLevel,
    /// Class of service; equal to the mode name in the architected modes.
    pub class_of_service: String,
}

/// Which session-level pacing a mode asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacingMode {
    /// Windows of one size, whole way in one stage.
    FixedOneStage,
    /// Windows of one size, each half of the way paced apart.
    FixedTwoStage,
    /// The receiver grants each window with its size.
    Adaptive,
}

/// Transmission priority, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TransmissionPriority {
    /// Batch traffic.
    Low,
    /// Between the two.
    Medium,
    /// Interactive traffic.
    High,
    /// The network's own: window messages, session control.
    Network,
}

/// The synchronisation level of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SyncLevel {
    /// No confirmation.
    None,
    /// Confirm and confirmed.
    Confirm,
}

impl Mode {
    /// A mode of this name with the values of `#INTER`.
    pub fn new(name: ModeName) -> Mode {
        let class_of_service = match name.as_str() {
            "" => "#CONNECT".to_owned(),
            other => other.to_owned(),
        };
        Mode {
            name,
            send_ru_bytes: 1024,
            receive_ru_bytes: 1024,
            min_ru_bytes: 256,
            send_window: 7,
            receive_window: 7,
            pacing: PacingMode::Adaptive,
            max_adaptive_window: 63,
            session_limit: 8,
            min_winners: 4,
            priority: TransmissionPriority::High,
            sync: SyncLevel::Confirm,
            class_of_service,
        }
    }

    /// A copy with this largest RU both ways, in bytes.
    pub fn with_ru_bytes(mut self, bytes: usize) -> Mode {
        self.send_ru_bytes = bytes;
        self.receive_ru_bytes = bytes;
        self
    }

    /// A copy with this pacing and this window both ways, in RUs.
    pub fn with_pacing(mut self, pacing: PacingMode, window: u8) -> Mode {
        self.pacing = pacing;
        self.send_window = window;
        self.receive_window = window;
        self.max_adaptive_window = self.max_adaptive_window.max(u16::from(window));
        self
    }

    /// A copy with these session limits.
    pub fn with_sessions(mut self, limit: u16, min_winners: u16) -> Mode {
        self.session_limit = limit;
        self.min_winners = min_winners.min(limit);
        self
    }

    /// Whether this is SNASVCMG, the mode of the node's own conversations.
    pub fn is_service(&self) -> bool {
        is_service(&self.name)
    }
}

/// Whether a mode of this name carries the node's own conversations.
pub fn is_service(name: &ModeName) -> bool {
    name.as_str() == SERVICE_MODE
}

/// The modes of a node.
#[derive(Clone, Debug)]
pub struct ModeTable {
    modes: BTreeMap<ModeName, Mode>,
    fallback: Option<Mode>,
}

impl Default for ModeTable {
    /// The architected modes, and no fallback.
    fn default() -> Self {
        let mut table = ModeTable {
            modes: BTreeMap::new(),
            fallback: None,
        };
        for (name, limit, winners, window, priority) in ARCHITECTED {
            // The names of the constant table satisfy the check.
            let Ok(name) = name.parse() else { continue };
            let mut mode = Mode::new(name).with_sessions(*limit, *winners);
            mode.send_window = *window;
            mode.receive_window = *window;
            mode.priority = *priority;
            if mode.is_service() {
                mode = mode.with_ru_bytes(512);
                mode.sync = SyncLevel::None;
            }
            table.define(mode);
        }
        table
    }
}

impl ModeTable {
    /// Adds a mode or replaces the one of that name.
    pub fn define(&mut self, mode: Mode) {
        self.modes.insert(mode.name.clone(), mode);
    }

    /// Takes a mode away.
    pub fn remove(&mut self, name: &ModeName) {
        self.modes.remove(name);
    }

    /// The mode for a mode name that a partner uses and that is not defined;
    /// without it such a BIND is rejected.
    pub fn set_fallback(&mut self, mode: Option<Mode>) {
        self.fallback = mode;
    }

    /// The mode of that name, or the fallback under that name.
    pub fn get(&self, name: &ModeName) -> Option<Mode> {
        self.modes.get(name).cloned().or_else(|| {
            self.fallback.as_ref().map(|mode| Mode {
                name: name.clone(),
                ..mode.clone()
            })
        })
    }

    /// All defined modes, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Mode> {
        self.modes.values()
    }
}

/// Mode name of the conversations that set session limits.
pub const SERVICE_MODE: &str = "SNASVCMG";

/// Name, session limit, least winners, pacing window, priority; as published
/// for the architected modes.
const ARCHITECTED: &[(&str, u16, u16, u8, TransmissionPriority)] = &[
    ("", 8, 4, 3, TransmissionPriority::Medium),
    ("#BATCH", 8, 4, 3, TransmissionPriority::Low),
    ("#BATCHSC", 8, 4, 3, TransmissionPriority::Low),
    ("#INTER", 8, 4, 7, TransmissionPriority::High),
    ("#INTERSC", 8, 4, 7, TransmissionPriority::High),
    ("QPCSUPP", 64, 32, 7, TransmissionPriority::High),
    (SERVICE_MODE, 2, 1, 7, TransmissionPriority::Network),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_starts_with_the_architected_modes() {
        let table = ModeTable::default();
        assert_eq!(table.iter().count(), ARCHITECTED.len());
        let batch = table.get(&"#BATCH".parse().unwrap()).unwrap();
        assert_eq!((batch.session_limit, batch.min_winners), (8, 4));
        assert_eq!((batch.send_window, batch.send_ru_bytes), (3, 1024));
        let blank = table.get(&ModeName::default()).unwrap();
        assert_eq!(blank.class_of_service, "#CONNECT");
        assert!(table.get(&"NOSUCH".parse().unwrap()).is_none());
    }

    #[test]
    fn a_fallback_takes_the_requested_name() {
        let mut table = ModeTable::default();
        table.set_fallback(Some(Mode::new("ANY".parse().unwrap())));
        let mode = table.get(&"NOSUCH".parse().unwrap()).unwrap();
        assert_eq!(mode.name.as_str(), "NOSUCH");
    }
}
