//! The configuration of a node: its logical units, partners, links, transaction
//! programs and users.
//!
//! All of it can be changed while the node runs; sessions keep what they
//! negotiated.

use crate::conversation::code::ConversationType;
use crate::mode::{ModeTable, SyncLevel};
use crate::name::{LuName, TpName};
use crate::secret::PasswordBytes;
use std::time::Duration;

/// A node's own properties.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// The modes, at the start the architected ones.
    pub modes: ModeTable,
    /// How long a BIND, an UNBIND or the exchange of session limits may take
    /// before the session counts as failed.
    pub activation_timeout: Duration,
    /// The number of bytes of received data one session may hold unread before the
    /// node withholds pacing responses.
    pub receive_backlog_bytes: usize,
    /// The number of bytes a program may have waiting to be sent on one session
    /// before its send waits.
    pub send_backlog_bytes: usize,
    /// The number of attaches may wait for a program before more are refused.
    pub max_waiting_attaches: usize,
    /// The number of sessions the node holds at most, over all links.
    pub max_sessions: usize,
    /// The number of PIUs the node keeps for one link before a peer that asks for
    /// more without taking them loses its sessions.
    pub max_link_backlog: usize,
    /// Whether the first allocate on a mode sets its session limits.
    pub auto_initialize: bool,
    /// Seed of values that must differ between two runs of a node.
    pub seed: u64,
}

impl Default for NodeConfig {
    fn default() -> Self {
        NodeConfig {
            modes: ModeTable::default(),
            activation_timeout: Duration::from_secs(30),
            receive_backlog_bytes: 64 * 1024,
            send_backlog_bytes: 64 * 1024,
            max_waiting_attaches: 1024,
            max_sessions: 65_536,
            max_link_backlog: 4096,
            auto_initialize: true,
            seed: 0,
        }
    }
}

/// A partner logical unit.
#[derive(Clone, Debug)]
pub struct PartnerLu {
    /// Its name, qualified or not, as BINDs spell it.
    pub name: LuName,
    /// Whether it supports parallel sessions and exchanges session limits.
    pub parallel: bool,
    /// Whether it may send users that it has verified itself.
    pub trusted: bool,
}

impl PartnerLu {
    /// A partner with parallel sessions, not trusted.
    pub fn new(name: LuName) -> PartnerLu {
        PartnerLu {
            name,
            parallel: true,
            trusted: false,
        }
    }
}

/// Which of the two link stations this node has; it decides who assigns which
/// session addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkRole {
    /// The primary link station: assigns addresses with ODAI 0.
    Primary,
    /// The secondary link station: assigns addresses with ODAI 1.
    Secondary,
}

/// The agreement of a link's two stations.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// This node's station.
    pub role: LinkRole,
    /// The largest basic transmission unit the other station takes: TH, RH and
    /// RU together, in bytes, at least 99.
    pub max_btu_bytes: usize,
    /// Whether the other station can put segments together.
    pub peer_reassembles: bool,
    /// Whether this node can; when not, BINDs ask for whole BIUs.
    pub reassembles: bool,
}

impl LinkConfig {
    /// A link whose stations both put segments together.
    pub fn new(role: LinkRole, max_btu_bytes: usize) -> LinkConfig {
        LinkConfig {
            role,
            max_btu_bytes,
            peer_reassembles: true,
            reassembles: true,
        }
    }
}

/// A transaction program that partners may attach.
#[derive(Clone, Debug)]
pub struct TpDefinition {
    /// Its name.
    pub name: TpName,
    /// The conversation types it takes; empty means either.
    pub types: Vec<ConversationType>,
    /// The sync levels it takes; empty means either.
    pub sync_levels: Vec<SyncLevel>,
    /// The security that an Attach needs.
    pub security: TpSecurity,
    /// Whether it is available now.
    pub available: ProgramAvailability,
    /// Whether it accepts program initialisation parameters.
    pub pip: bool,
}

impl TpDefinition {
    /// A program that takes everything and asks for no security.
    pub fn new(name: TpName) -> TpDefinition {
        TpDefinition {
            name,
            types: Vec::new(),
            sync_levels: Vec::new(),
            security: TpSecurity::None,
            available: ProgramAvailability::Now,
            pip: false,
        }
    }
}

/// The security that an Attach needs before its program starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TpSecurity {
    /// None; security fields are still checked if present.
    None,
    /// A user, with a password or already verified by a trusted partner.
    User,
}

/// Whether a program can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramAvailability {
    /// It can be started.
    Now,
    /// Not now, perhaps later.
    Later,
    /// Not before an operator corrects it.
    Never,
}

/// A user whose password Attaches may carry.
#[derive(Clone, Debug)]
pub struct LocalUser {
    /// The name, 1 to 10 characters.
    pub name: String,
    /// The password.
    pub password: PasswordBytes,
}
