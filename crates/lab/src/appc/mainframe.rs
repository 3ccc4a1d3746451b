//! The network of Appendix A: a workstation on a 4 Mb/s ring, a 3745 with NCP,
//! a channel, and a 4381 with VTAM and MVS; parameters as Figures 6 and 7 of
//! the guide have them.
//!
//! Open points of the guide are decided in one place. RUs are the largest that a
//! BIND can express within the frame if the product chooses the size. The host
//! accepts RUs up to RECEIVESIZE. Sessions pace as `advise` describes the product.
//! Every other decision is a row of `choices`.

use super::costs::CostItem;
use super::machine;
use super::model::NetworkModel;
use crate::ring::{
    Channel, FrontEnd, Link, Pacing, RingHost, RingMachine, RingNetwork, RingWorkload, Server,
    Session, TokenRing,
};
use advise::sna::model::{Pacing as PacingTold, SessionProduct};

/// The three clients of Appendix A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// NS/DOS on a PS/2 Model 60.
    Dos,
    /// CM/2 on a PS/2 Model 80.
    Os2,
    /// SNA Services/6000 on a RS/6000 Model 530.
    Rs6000,
}

/// The parameters that differ between the baseline and the tuned network, or
/// between clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MainframeParameters {
    /// The client's RU size. `None` if the product uses the largest that fits a
    /// frame.
    pub ru_bytes: Option<usize>,
    /// The host's RECEIVESIZE.
    pub receive_size: usize,
    /// The client's DLC frame size.
    pub frame_bytes: usize,
    /// The client's DLC send window.
    pub dlc_send: u8,
    /// The client's DLC receive window.
    pub dlc_receive: u8,
    /// The session's pacing window towards the host.
    pub pacing_window: u8,
    /// MAXTSL.
    pub maxtsl: usize,
    /// RCVBUFC.
    pub rcvbufc: usize,
    /// The window of T2TIMER for a peripheral link: 1, or 2 if it is coded.
    pub t2timer_w: u8,
    /// DELAY in both directions, in nanoseconds. `None` for the default, which
    /// the guide does not state.
    pub delay_ns: Option<u64>,
    /// MAXBFRU.
    pub maxbfru: usize,
    /// UNITSZ.
    pub unitsz: usize,
    /// Size of IOBUF.
    pub iobuf: usize,
}

impl Client {
    /// All three.
    pub const ALL: [Client; 3] = [Client::Dos, Client::Os2, Client::Rs6000];

    /// Its name in the guide.
    pub fn name(self) -> &'static str {
        match self {
            Client::Dos => "NS/DOS",
            Client::Os2 => "OS/2",
            Client::Rs6000 => "RS/6000",
        }
    }

    /// Bytes of one transfer.
    pub fn file_bytes(self) -> usize {
        match self {
            Client::Dos => 100_000,
            _ => 1_000_000,
        }
    }

    /// The product, as in `advise`.
    pub fn product(self) -> SessionProduct {
        match self {
            Client::Dos => SessionProduct::NsDos,
            Client::Os2 => SessionProduct::Cm2,
            Client::Rs6000 => SessionProduct::SnaServices,
        }
    }

    /// The pacing of its sessions: as in `advise`, or the model's choice if
    /// that has none.
    ///
    /// A fixed pacing response is an ordinary PIU of low priority and waits for
    /// DELAY; an adaptive one is expedited and does not.
    pub fn pacing(self, model: &NetworkModel) -> Pacing {
        match self.product().pacing() {
            PacingTold::Fixed => Pacing::Fixed,
            PacingTold::Adaptive => Pacing::Adaptive,
            PacingTold::Nothing => model.structure.default_pacing,
        }
    }

    /// Figure 6: before tuning.
    pub fn baseline(self) -> MainframeParameters {
        let (ru_bytes, frame_bytes, dlc_send, dlc_receive) = match self {
            Client::Dos => (None, 987, 2, 2),
            Client::Os2 => (None, 4000, 3, 3),
            Client::Rs6000 => (Some(2816), 4060, 10, 127),
        };
        MainframeParameters {
            ru_bytes,
            receive_size: 4096,
            frame_bytes,
            dlc_send,
            dlc_receive,
            pacing_window: 3,
            maxtsl: 2044,
            rcvbufc: 4095,
            t2timer_w: 1,
            delay_ns: None,
            maxbfru: 40,
            unitsz: 384,
            iobuf: 384,
        }
    }

    /// Figure 7: after tuning.
    pub fn tuned(self) -> MainframeParameters {
        let (ru_bytes, frame_bytes, dlc_send, dlc_receive) = match self {
            Client::Dos => (None, 4100, 8, 8),
            Client::Os2 => (Some(16_384), 4000, 8, 8),
            Client::Rs6000 => (Some(3840), 4060, 127, 127),
        };
        // Data from a client is paced by the host's mode (63) and VPACING
        // (32). The 8 of NS/DOS is its receive window.
        let pacing_window = match self {
            Client::Dos => 32,
            _ => 63,
        };
        MainframeParameters {
            ru_bytes,
            receive_size: 30_720,
            frame_bytes,
            dlc_send,
            dlc_receive,
            pacing_window,
            maxtsl: 4060,
            rcvbufc: 16_240,
            t2timer_w: 2,
            delay_ns: Some(0),
            maxbfru: 2,
            unitsz: 4000,
            iobuf: 4000,
        }
    }

    /// One transfer of the benchmark, `repetitions` times.
    pub fn workload(self, repetitions: usize) -> RingWorkload {
        RingWorkload::file(self.file_bytes(), 1, repetitions)
    }
}

impl MainframeParameters {
    /// The largest frame information field that both stations take.
    pub fn btu_bytes(&self) -> usize {
        self.frame_bytes.min(self.maxtsl)
    }

    /// The RU that client and host agree on.
    pub fn effective_ru_bytes(&self) -> usize {
        let own = self.ru_bytes.unwrap_or(self.btu_bytes() - 9);
        expressible(own.min(self.receive_size))
    }

    /// Link frames of one RU of the size agreed on.
    pub fn frames_per_ru(&self) -> usize {
        let ru_and_header = self.effective_ru_bytes() + 3;
        ru_and_header.div_ceil(self.btu_bytes() - 6)
    }

    /// Link frames of one transfer, whose last RU may be shorter.
    pub fn frames(&self, client: Client) -> usize {
        // A length field before every 32,000 bytes.
        let records = client.file_bytes().div_ceil(32_000);
        let bytes = client.file_bytes() + 4 * records;
        let ru = self.effective_ru_bytes();
        let rest = (bytes % ru + 3).div_ceil(self.btu_bytes() - 6);
        bytes / ru * self.frames_per_ru() + if bytes.is_multiple_of(ru) { 0 } else { rest }
    }

    /// The simulated network.
    pub fn network(&self, client: Client, model: &NetworkModel) -> RingNetwork {
        let costs = &model.costs;
        let ru_bytes = self.effective_ru_bytes();
        let delay_ns = self.delay_ns.unwrap_or(costs[CostItem::DelayDefault]);
        // Adaptive windows grow as far as buffers allow; the table has the
        // initial value. NS/DOS keeps the negotiated window.
        let window = match client {
            Client::Dos => self.pacing_window.min(model.structure.dos_most_window),
            _ => self.pacing_window,
        };
        let session = Session {
            max_adaptive_window: 63,
            ..Session::new(ru_bytes, client.pacing(model), window)
        };
        RingNetwork {
            ring: TokenRing::at_4_mbit(),
            client: RingMachine {
                cost: machine::client(model),
                adapter: machine::client_adapter(client, model),
                link: Link::new(self.dlc_send, self.dlc_receive, self.frame_bytes),
                session,
            },
            server: Server::WithFrontEnd(Box::new(FrontEnd {
                cost: machine::ncp(model),
                path_control: machine::path_control(model),
                acknowledges: model.structure.acknowledges,
                adapter: machine::tic2(self.rcvbufc, model),
                link: Link {
                    t2_ns: model.structure.t2_ns,
                    ..Link::new(1, self.t2timer_w, self.maxtsl)
                },
                channel: Channel {
                    unit_bytes: self.unitsz,
                    max_units: self.maxbfru,
                    inbound_delay_ns: delay_ns,
                    outbound_delay_ns: delay_ns,
                    start_ns: 0,
                    byte_ps: costs[CostItem::ChannelByte],
                },
                host: RingHost {
                    cost: machine::host(self.iobuf, model),
                    channel_program_ns: 0,
                    session,
                },
            })),
        }
    }
}

/// The largest RU size that a BIND can express (m × 2^e, m from 8 to 15) and
/// that is not above `bytes`.
pub fn expressible(bytes: usize) -> usize {
    let shift = bytes.max(8).ilog2().saturating_sub(3);
    (bytes.max(8) >> shift) << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_size_rus_as_the_guide_says() {
        assert_eq!(Client::Dos.baseline().effective_ru_bytes(), 960);
        assert_eq!(Client::Os2.baseline().effective_ru_bytes(), 1920);
        assert_eq!(Client::Rs6000.baseline().effective_ru_bytes(), 2816);
        assert_eq!(Client::Dos.tuned().effective_ru_bytes(), 3840);
        assert_eq!(Client::Os2.tuned().effective_ru_bytes(), 16_384);
    }

    #[test]
    fn a_transfer_has_as_many_frames_as_its_rus_need() {
        assert_eq!(Client::Dos.baseline().frames(Client::Dos), 105);
        assert_eq!(Client::Os2.baseline().frames(Client::Os2), 521);
        assert_eq!(Client::Rs6000.baseline().frames(Client::Rs6000), 711);
        assert_eq!(Client::Rs6000.tuned().frames(Client::Rs6000), 261);
        assert_eq!(Client::Os2.tuned().frames_per_ru(), 5);
    }

    /// The tuned window is the smaller of the mode's 63 and VPACING's 32; 8 is
    /// the window in which NS/DOS receives, and would hold up its sending.
    #[test]
    fn ns_dos_sends_in_the_window_that_the_host_grants() {
        let tuned = Client::Dos.tuned();
        assert_eq!(tuned.pacing_window, 32);
        let model = NetworkModel::new(1);
        let seconds = |pacing_window| {
            let parameters = MainframeParameters {
                pacing_window,
                ..tuned
            };
            let found = model.mainframe_s(Client::Dos, &parameters, 20);
            found.expect("a simulation")
        };
        assert!(seconds(32) < seconds(8));
    }
}
