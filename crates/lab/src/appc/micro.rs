//! The network of Appendix B: two 486 machines on a 16 Mb/s ring of their own,
//! OS/2 on both, or OS/2 and DOS; parameters as Figures 9 and 10 have them.

use super::machine;
use super::mainframe::expressible;
use super::model::NetworkModel;
use crate::ring::{
    Link, Pacing, RingMachine, RingNetwork, RingWorkload, Server, Session, TokenRing,
};

/// Which machines talk, and over which cards. The client is named first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachinePair {
    /// OS/2 and OS/2, Turbo adapters.
    Turbo,
    /// OS/2 and OS/2, Busmaster adapters.
    BusMaster,
    /// OS/2 client, DOS server, Turbo adapters.
    DosServer,
    /// DOS client, OS/2 server, Turbo adapters.
    DosClient,
}

/// Which transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionKind {
    /// 100,000 bytes in 32,000-byte buffers.
    File,
    /// 100 bytes each way.
    Inquiry,
}

/// The parameters of Figures 9 and 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MicroParameters {
    /// Mode Receive Pacing Window of OS/2.
    pub os2_pacing: u8,
    /// Max DLC RU of OS/2.
    pub os2_ru_bytes: usize,
    /// DLC Send/Receive Window Count.
    pub dlc_window: u8,
    /// Adapter Driver Receive Buffer Size of OS/2.
    pub driver_buffer_bytes: usize,
    /// Session Receive Pacing Window of DOS.
    pub dos_pacing: u8,
    /// DLC Frame Size of DOS.
    pub dos_frame_bytes: usize,
}

impl MachinePair {
    /// All four.
    pub const ALL: [MachinePair; 4] = [
        MachinePair::Turbo,
        MachinePair::BusMaster,
        MachinePair::DosServer,
        MachinePair::DosClient,
    ];

    /// Its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            MachinePair::Turbo => "OS/2-OS/2 Turbo",
            MachinePair::BusMaster => "OS/2-OS/2 Busmaster",
            MachinePair::DosServer => "OS/2-DOS (DOS server)",
            MachinePair::DosClient => "DOS-OS/2 (DOS client)",
        }
    }

    /// Whether one of the two runs DOS.
    pub fn has_dos(self) -> bool {
        matches!(self, MachinePair::DosServer | MachinePair::DosClient)
    }

    /// The tuned values for a transaction.
    pub fn tuned(self, kind: TransactionKind) -> MicroParameters {
        let file = kind == TransactionKind::File;
        let pick = |yes, no| if file { yes } else { no };
        MicroParameters {
            os2_pacing: match self {
                MachinePair::BusMaster => pick(63, 4),
                _ => pick(63, 24),
            },
            os2_ru_bytes: if file { 7168 } else { 1024 },
            dlc_window: if self.has_dos() { 2 } else { pick(8, 4) },
            driver_buffer_bytes: match self {
                MachinePair::BusMaster => 2048,
                _ if file => 2040,
                _ => 256,
            },
            dos_pacing: pick(63, 16),
            dos_frame_bytes: if file { 16_393 } else { 1929 },
        }
    }

    /// The tuned values with the defaults of OS/2 in their places.
    pub fn os2_defaults(self, kind: TransactionKind) -> MicroParameters {
        MicroParameters {
            os2_pacing: 4,
            os2_ru_bytes: 1024,
            dlc_window: 4,
            driver_buffer_bytes: if self == MachinePair::BusMaster {
                2048
            } else {
                256
            },
            ..self.tuned(kind)
        }
    }

    /// The tuned values with the defaults of DOS in their places.
    pub fn dos_defaults(self, kind: TransactionKind) -> MicroParameters {
        MicroParameters {
            dos_pacing: 3,
            dos_frame_bytes: 256,
            ..self.tuned(kind)
        }
    }
}

impl TransactionKind {
    /// Its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            TransactionKind::File => "file transfer",
            TransactionKind::Inquiry => "inquiry",
        }
    }

    /// The workload, `repetitions` times.
    pub fn workload(self, repetitions: usize) -> RingWorkload {
        match self {
            TransactionKind::File => RingWorkload::file(100_000, 2, repetitions),
            TransactionKind::Inquiry => RingWorkload::inquiry(8, repetitions),
        }
    }
}

impl MicroParameters {
    /// The simulated network.
    pub fn network(&self, pair: MachinePair, model: &NetworkModel) -> RingNetwork {
        let os2 = || self.os2(pair, model);
        let (client, server) = match pair {
            MachinePair::Turbo | MachinePair::BusMaster => (os2(), os2()),
            MachinePair::DosServer => (os2(), self.dos(model)),
            MachinePair::DosClient => (self.dos(model), os2()),
        };
        RingNetwork {
            ring: TokenRing::at_16_mbit(),
            client,
            server: Server::OnRing(server),
        }
    }

    fn os2(&self, pair: MachinePair, model: &NetworkModel) -> RingMachine {
        let busmaster = pair == MachinePair::BusMaster;
        RingMachine {
            cost: machine::os2(busmaster, self.driver_buffer_bytes, model),
            adapter: machine::os2_adapter(busmaster, model),
            link: Link::new(self.dlc_window, self.dlc_window, 17_749),
            session: Session::new(
                expressible(self.os2_ru_bytes),
                Pacing::Adaptive,
                self.os2_pacing,
            ),
        }
    }

    fn dos(&self, model: &NetworkModel) -> RingMachine {
        RingMachine {
            cost: machine::dos(model),
            adapter: machine::dos_adapter(model),
            link: Link::new(self.dlc_window, self.dlc_window, self.dos_frame_bytes),
            session: Session::new(
                expressible(self.dos_frame_bytes - 9),
                Pacing::Fixed,
                self.dos_pacing,
            ),
        }
    }
}
