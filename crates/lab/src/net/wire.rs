//! Two hosts and the path between them: a client's and a server's namespace,
//! joined directly or through a forwarder, with the route attributes of each
//! side.

use super::forwarder::{ForwarderCounts, FrameForwarder};
use super::impair::Impairment;
use super::{NetworkNamespace, offload};
use crate::error::LabError;
use std::net::Ipv4Addr;

/// The parameters of the two hosts and their path.
#[derive(Clone, Debug, Default)]
pub struct WirePlan {
    /// The way from client to server.
    pub to_server: Impairment,
    /// The way back.
    pub to_client: Impairment,
    /// The client's route to the server.
    pub client: Route,
    /// The server's route to the client.
    pub server: Route,
    /// Leave the server's address to a peer in user space: the kernel there
    /// has an interface and no address.
    pub user_space_server: bool,
    /// The path is in two halves with a place between them, [`EmulatedPath::middle`].
    pub halved: bool,
    /// The hosts leave segmentation and coalescing to their interfaces, so that
    /// frames larger than the MTU are seen there; only where the hosts are
    /// joined directly, since no forwarder can hand such frames on.
    pub offloads: bool,
}

/// Attributes of a route, as `ip route` names them. None is the kernel's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// Largest packet: segments sent and advertised are 40 bytes less.
    pub mtu: Option<u32>,
    /// Segment size advertised to the other side.
    pub advmss: Option<u32>,
    /// Initial congestion window, in segments.
    pub initcwnd: Option<u32>,
    /// Shortest retransmission timeout, in milliseconds.
    pub rto_min_ms: Option<u32>,
    /// Acknowledge every segment at once.
    pub quickack: bool,
}

/// Two hosts and the path between them; all of it is removed on drop.
pub struct EmulatedPath {
    /// The client's namespace, with interface `eth0`.
    pub client: NetworkNamespace,
    /// The server's namespace, with interface `eth0`.
    pub server: NetworkNamespace,
    /// Between two halves of a path, on the interface `middle`.
    pub middle: Option<NetworkNamespace>,
    path: Vec<FrameForwarder>,
}

impl WirePlan {
    /// Nothing is between the hosts but a pair of interfaces.
    pub fn is_direct(&self) -> bool {
        let nothing = Impairment::default();
        self.to_server == nothing && self.to_client == nothing && !self.halved
    }
}

impl EmulatedPath {
    /// Creates the path. `seed` determines random losses.
    pub fn new(plan: &WirePlan, seed: u64) -> Result<EmulatedPath, LabError> {
        let (client, server) = (NetworkNamespace::new()?, NetworkNamespace::new()?);
        let mut wire = EmulatedPath {
            client,
            server,
            middle: None,
            path: Vec::new(),
        };
        match (plan.halved, plan.is_direct()) {
            (true, _) => wire.halves(plan, seed)?,
            (false, true) => join(&wire.client, "eth0", &wire.server, "eth0")?,
            (false, false) => {
                let between = NetworkNamespace::new()?;
                join(&wire.client, "eth0", &between, "west")?;
                join(&wire.server, "eth0", &between, "east")?;
                let plans = [plan.to_server.clone(), plan.to_client.clone()];
                // The forwarder's sockets hold the namespace from here on.
                wire.forward(&between, ["west", "east"], plans, seed)?;
            }
        }
        let EmulatedPath { client, server, .. } = &wire;
        let near = Some((SERVER, SERVER_MAC, plan.client));
        let offloads = plan.offloads && plan.is_direct();
        host(client, CLIENT, CLIENT_MAC, near, offloads)?;
        let far = (!plan.user_space_server).then_some((CLIENT, CLIENT_MAC, plan.server));
        host(server, SERVER, SERVER_MAC, far, offloads)?;
        Ok(wire)
    }

    /// Creates two more namespaces between the hosts, connected by `middle`.
    /// Frames to the server are impaired after it, frames from the server
    /// before it.
    fn halves(&mut self, plan: &WirePlan, seed: u64) -> Result<(), LabError> {
        let (near, far) = (NetworkNamespace::new()?, NetworkNamespace::new()?);
        join(&self.client, "eth0", &near, "west")?;
        join(&near, "middle", &far, "middle")?;
        join(&self.server, "eth0", &far, "east")?;
        let ([there, there_on], [back, back_on]) =
            (plan.to_server.halves(), plan.to_client.halves());
        self.forward(&near, ["west", "middle"], [there, back], seed)?;
        self.forward(&far, ["middle", "east"], [there_on, back_on], seed + 1)?;
        self.middle = Some(near);
        Ok(())
    }

    fn forward(
        &mut self,
        between: &NetworkNamespace,
        interfaces: [&str; 2],
        plans: [Impairment; 2],
        seed: u64,
    ) -> Result<(), LabError> {
        for interface in interfaces {
            ready(between, interface, false)?;
        }
        let forwarder = FrameForwarder::start(between, interfaces, plans, seed)?;
        self.path.push(forwarder);
        Ok(())
    }

    /// Removes the path and returns its counters. Returns `None` if there was
    /// no forwarder.
    pub fn close(self) -> Option<ForwarderCounts> {
        let traffic = self.path.into_iter().map(FrameForwarder::stop);
        traffic.reduce(|one, other| one.with(&other))
    }
}

/// Joins two namespaces by a pair of interfaces.
fn join(
    a: &NetworkNamespace,
    name: &str,
    b: &NetworkNamespace,
    peer: &str,
) -> Result<(), LabError> {
    a.ip(&format!(
        "link add {name} type veth peer name {peer} netns {}",
        b.path().display()
    ))
}

fn ready(namespace: &NetworkNamespace, interface: &str, offloads: bool) -> Result<(), LabError> {
    if !offloads {
        namespace.run(|| offload::switch_off(interface))??;
    }
    namespace.ip(&format!("link set {interface} up"))
}

/// Gives a host its addresses and, unless user space does that, its route to
/// the other one. Neighbours are known, so that no frame waits for ARP.
fn host(
    namespace: &NetworkNamespace,
    own: Ipv4Addr,
    mac: &str,
    far: Option<(Ipv4Addr, &str, Route)>,
    offloads: bool,
) -> Result<(), LabError> {
    namespace.ip(&format!("link set eth0 address {mac}"))?;
    ready(namespace, "eth0", offloads)?;
    if let Some((peer, peer_mac, route)) = far {
        namespace.ip(&format!("addr add {own}/32 dev eth0"))?;
        namespace.ip(&format!("route add {peer}/32 dev eth0 {}", route.words()))?;
        namespace.ip(&format!(
            "neigh replace {peer} lladdr {peer_mac} dev eth0 nud permanent"
        ))?;
    }
    Ok(())
}

impl Route {
    /// The attributes as `ip route` takes them.
    pub fn words(&self) -> String {
        let attribute = |name: &str, value: Option<u32>| match value {
            Some(value) => format!("{name} {value} "),
            None => String::new(),
        };
        let timeout = match self.rto_min_ms {
            Some(ms) => format!("rto_min {ms}ms "),
            None => String::new(),
        };
        let quickack = if self.quickack { "quickack 1" } else { "" };
        attribute("mtu", self.mtu)
            + &attribute("advmss", self.advmss)
            + &attribute("initcwnd", self.initcwnd)
            + &timeout
            + quickack
    }
}

/// The client's address.
pub const CLIENT: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 1);
/// The server's address.
pub const SERVER: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 2);
/// The server's port.
pub const PORT: u16 = 8080;
/// The client's hardware address; locally administered.
const CLIENT_MAC: &str = "02:00:00:00:00:01";
/// The server's, [`SERVER_HARDWARE`] as text.
const SERVER_MAC: &str = "02:00:00:00:00:02";
/// The server's hardware address.
pub const SERVER_HARDWARE: [u8; 6] = [2, 0, 0, 0, 0, 2];
