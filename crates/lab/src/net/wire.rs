//! Two hosts and the path between them: a client's and a server's namespace,
//! joined directly or through a forwarder, with the route attributes of each
//! side.

use super::forwarder::{Forwarder, Traffic};
use super::impair::Impairment;
use super::{Namespace, offload};
use crate::error::LabError;
use std::net::Ipv4Addr;

/// What the two hosts and their path are like.
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

/// Two hosts and the path between them. All of it goes when it is dropped.
pub struct Wire {
    /// Where the client lives, on the interface `eth0`.
    pub client: Namespace,
    /// Where the server lives, on the interface `eth0`.
    pub server: Namespace,
    path: Option<Forwarder>,
}

impl Wire {
    /// Makes it. `seed` decides what a path with chances loses.
    pub fn new(plan: &WirePlan, seed: u64) -> Result<Wire, LabError> {
        let (client, server) = (Namespace::new()?, Namespace::new()?);
        let direct = [&plan.to_server, &plan.to_client].map(|i| *i == Impairment::default());
        let path = match direct {
            [true, true] => {
                join(&client, "eth0", &server, "eth0")?;
                None
            }
            _ => {
                let middle = Namespace::new()?;
                join(&client, "eth0", &middle, "west")?;
                join(&server, "eth0", &middle, "east")?;
                for interface in ["west", "east"] {
                    ready(&middle, interface)?;
                }
                let plans = [plan.to_server.clone(), plan.to_client.clone()];
                // The forwarder's sockets hold the namespace from here on.
                Some(Forwarder::start(&middle, ["west", "east"], plans, seed)?)
            }
        };
        host(
            &client,
            CLIENT,
            CLIENT_MAC,
            Some((SERVER, SERVER_MAC, plan.client)),
        )?;
        let far = (!plan.user_space_server).then_some((CLIENT, CLIENT_MAC, plan.server));
        host(&server, SERVER, SERVER_MAC, far)?;
        Ok(Wire {
            client,
            server,
            path,
        })
    }

    /// Takes it down, and tells what the path did; none when there was no
    /// forwarder.
    pub fn close(self) -> Option<Traffic> {
        self.path.map(Forwarder::stop)
    }
}

/// Joins two namespaces by a pair of interfaces.
fn join(a: &Namespace, name: &str, b: &Namespace, peer: &str) -> Result<(), LabError> {
    a.ip(&format!(
        "link add {name} type veth peer name {peer} netns {}",
        b.path().display()
    ))
}

fn ready(namespace: &Namespace, interface: &str) -> Result<(), LabError> {
    namespace.run(|| offload::switch_off(interface))??;
    namespace.ip(&format!("link set {interface} up"))
}

/// Gives a host its addresses and, unless user space does that, its route to
/// the other one. Neighbours are known, so that no frame waits for ARP.
fn host(
    namespace: &Namespace,
    own: Ipv4Addr,
    mac: &str,
    far: Option<(Ipv4Addr, &str, Route)>,
) -> Result<(), LabError> {
    namespace.ip(&format!("link set eth0 address {mac}"))?;
    ready(namespace, "eth0")?;
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
