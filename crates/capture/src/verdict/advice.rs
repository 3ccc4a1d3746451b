//! Which systems the advice is for.
//!
//! The hop limit of an end's packets, rounded up to what stacks begin with,
//! distinguishes Windows from the rest. z/OS is likely on ports that only it serves,
//! where the trace was formatted by IPCS, and where task records of its monitor
//! are joined; `--advice` asks for it.

use crate::{AppProtocol, Connection};
use serde::Serialize;

/// A system that advice can be for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AdvicePlatform {
    /// Linux.
    Linux,
    /// Windows.
    Windows,
    /// z/OS Communications Server.
    Zos,
}

impl AdvicePlatform {
    /// The platform of this name.
    pub fn named(name: &str) -> Option<AdvicePlatform> {
        match name {
            "linux" => Some(AdvicePlatform::Linux),
            "windows" => Some(AdvicePlatform::Windows),
            "zos" => Some(AdvicePlatform::Zos),
            _ => None,
        }
    }
}

/// The operating systems of the ends of a capture, as far as they can be
/// recognised.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EndSystems {
    zos: u64,
    windows: u64,
    others: u64,
}

impl EndSystems {
    /// Looks at both ends of a connection.
    pub(crate) fn add(&mut self, connection: &Connection) {
        let zos = matches!(connection.protocol, AppProtocol::Dlsw | AppProtocol::Sna)
            || ZOS_PORTS.contains(&connection.server.port);
        self.zos += u64::from(zos);
        for end in [&connection.client, &connection.server] {
            match end.hop_limits {
                Some([_, greatest @ 65..=128]) if greatest > 64 => self.windows += 1,
                Some(_) => self.others += 1,
                None => {}
            }
        }
    }

    /// Adds the results of another share.
    pub(crate) fn merge(&mut self, other: &EndSystems) {
        self.zos += other.zos;
        self.windows += other.windows;
        self.others += other.others;
    }

    /// The systems to give advice for. `from_zos`: records joined with the
    /// capture are from z/OS.
    pub(crate) fn platforms(&self, from_zos: bool) -> Vec<AdvicePlatform> {
        let mut platforms = Vec::new();
        if self.windows <= self.others {
            platforms.push(AdvicePlatform::Linux);
        }
        if self.windows > 0 {
            platforms.push(AdvicePlatform::Windows);
        }
        if self.zos > 0 || from_zos {
            platforms.push(AdvicePlatform::Zos);
        }
        platforms
    }
}

/// Data-link switching, DRDA, CICS TCP/IP listeners, IPIC.
const ZOS_PORTS: [u16; 8] = [446, 447, 448, 1435, 2065, 2067, 3010, 3011];
