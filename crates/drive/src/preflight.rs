//! Checks before a run: servers that cannot be reached, too few file descriptors,
//! too few local ports.

use crate::appc;
use crate::plan::{LoadModel, Population, Protocol, RunPlan};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sna::conversation::WithheldSecurity;
use sna::conversation::code::ReturnCode;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Duration;
use thiserror::Error;

/// A reason why a plan cannot run on this machine now.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanProblem {
    /// A target does not accept connections.
    #[error("{} cannot be reached: {why}", at(name, address))]
    Unreachable {
        /// The target's name in the scenario.
        name: String,
        /// The address that was tried.
        address: SocketAddr,
        /// The system's message.
        why: String,
    },
    /// The TLS handshake with a server fails.
    #[error("{}: {why}", at(name, address))]
    Tls {
        /// The target's name in the scenario.
        name: String,
        /// The address that was tried.
        address: SocketAddr,
        /// The cause and the remedy.
        why: String,
    },
    /// A conversation cannot be allocated.
    #[error("{name}: {why}")]
    Partner {
        /// The target's name in the scenario.
        name: String,
        /// The cause, with the name that is wrong.
        why: String,
    },
    /// A partner does not accept the security subfields of the Attach.
    #[error("{name}: {why}")]
    Withheld {
        /// The target's name in the scenario.
        name: String,
        /// The subfields that are not sent, and the remedy.
        why: String,
    },
    /// A partner allows fewer sessions than there are clients.
    #[error(
        "{name} allows {allowed} sessions in mode `{mode}`, but {wanted} clients need one each; raise the session limit of the mode there (`sessions` of a Tupelo node's mode), use fewer clients (--clients, `clients`, `outstanding`), or use a new conversation for each iteration (`keep_alive = false`, --no-keepalive)"
    )]
    Sessions {
        /// The target's name in the scenario.
        name: String,
        /// The mode.
        mode: String,
        /// The agreed session limit.
        allowed: u16,
        /// Clients of one thread.
        wanted: usize,
    },
    /// A source address does not belong to this machine.
    #[error(
        "{source_address} cannot be used as a source address: {why}; `ip address` lists this machine's addresses"
    )]
    Source {
        /// The address from the settings.
        source_address: IpAddr,
        /// The system's message.
        why: String,
    },
    /// The limit of open files is too low.
    #[error(
        "the run needs {needed} file descriptors, but the limit is {limit}; raise it (ulimit -n {needed})"
    )]
    Descriptors {
        /// Descriptors for connections and for the driver itself.
        needed: u64,
        /// The hard limit.
        limit: u64,
    },
    /// There are too few local ports for the connections to one server.
    #[error(
        "{needed} connections to {address} need as many local ports, but there are {ports}; widen net.ipv4.ip_local_port_range or give more source addresses"
    )]
    Ports {
        /// Connections to this server from one local address.
        needed: usize,
        /// The server.
        address: SocketAddr,
        /// Ports of the range.
        ports: usize,
    },
}

/// Checks a plan before its run. A bound on outstanding requests that the user did
/// not set is lowered to the sessions that partners allow. Returns notes about such
/// changes and about security subfields that partners do not accept.
pub fn prepare(plan: &mut RunPlan) -> Result<Vec<String>, Vec<PlanProblem>> {
    let mut found = check(plan);
    let mut notes = Vec::new();
    found.retain(|foreseen| match foreseen {
        PlanProblem::Withheld { .. } => {
            notes.push(format!("{foreseen}."));
            false
        }
        PlanProblem::Sessions {
            name,
            mode,
            allowed,
            ..
        } => match follow(plan, name, mode, usize::from(*allowed)) {
            Some(done) => {
                notes.push(done);
                false
            }
            None => true,
        },
        _ => true,
    });
    if found.is_empty() {
        Ok(notes)
    } else {
        Err(found)
    }
}

/// Lowers the bounds that depend on the sessions of a mode. Returns `None` if there
/// are no such bounds.
fn follow(plan: &mut RunPlan, name: &str, mode: &str, allowed: usize) -> Option<String> {
    let most = allowed * plan.threads;
    let mut done = None;
    for population in &mut plan.populations {
        let follows = population.targets.iter().any(|target| {
            let partner = appc::partner_of(target);
            target.name == name && partner.is_some_and(|p| p.follows && p.mode == mode)
        });
        if let LoadModel::Open {
            outstanding, ahead, ..
        } = &mut population.load
            && follows
            && allowed > 0
        {
            let before = std::mem::replace(outstanding, most.min(*outstanding));
            *ahead = (*ahead).min(*outstanding);
            done = Some(format!(
                "The bound on conversations is {outstanding} instead of {before}, because {name} allows {allowed} sessions in mode `{mode}`. Raise the session limit there, or set a bound (--clients, `outstanding`)."
            ));
        }
    }
    done
}

/// Runs all checks. Raises the limit of open files as far as the system allows.
pub fn check(plan: &RunPlan) -> Vec<PlanProblem> {
    let mut found = Vec::new();
    let mut wanted: BTreeMap<SocketAddr, (String, usize, usize)> = BTreeMap::new();
    let mut connections = 0;
    for population in &plan.populations {
        for target in &population.targets {
            // The conversations of a thread share a connection.
            let sockets = match appc::partner_of(target) {
                Some(_) => plan.threads,
                None => population.clients(),
            };
            connections += sockets;
            let entry = wanted.entry(target.address).or_default();
            entry.0 = target.name.clone();
            entry.1 += sockets;
            entry.2 = target.sources.len().max(1);
        }
    }
    let sources = plan.populations.iter().flat_map(|p| &p.targets);
    let sources: BTreeSet<IpAddr> = sources.flat_map(|t| t.sources.iter().copied()).collect();
    for source_address in sources {
        if let Err(error) = std::net::TcpListener::bind((source_address, 0)) {
            let why = error.to_string();
            found.push(PlanProblem::Source {
                source_address,
                why,
            });
        }
    }
    let needed = connections as u64 + SPARE_DESCRIPTORS;
    if let Err(limit) = allow_descriptors(needed) {
        found.push(PlanProblem::Descriptors { needed, limit });
    }
    let ports = local_ports();
    for (address, (name, clients, sources)) in wanted {
        let each = clients.div_ceil(sources);
        if each > ports {
            found.push(PlanProblem::Ports {
                needed: each,
                address,
                ports,
            });
        }
        // Closed at once: a server may serve only one connection at a time.
        match reach(address).map(drop) {
            Ok(()) => found.extend(shake_hands(plan, address)),
            Err(error) => {
                let why = error.to_string();
                found.push(PlanProblem::Unreachable { name, address, why });
            }
        }
    }
    if found.is_empty() {
        found.extend(plan.populations.iter().flat_map(|p| converse(plan, p)));
    }
    found
}

/// Tries a population's link, mode and sessions without starting a program: no
/// Attach is sent.
fn converse(plan: &RunPlan, population: &Population) -> Vec<PlanProblem> {
    let mut targets = population.targets.iter();
    let Some((target, partner, mut config)) = targets.find_map(|target| {
        let partner = appc::partner_of(target)?;
        Some((target, partner, appc::node(plan, &partner.lu(0), 0)?))
    }) else {
        return Vec::new();
    };
    let problem = |why: String| PlanProblem::Partner {
        name: target.name.clone(),
        why,
    };
    config.activation_timeout_s = PATIENCE.as_secs();
    (config.trace, config.listen) = (None, None);
    let tried = || -> Result<(Option<u16>, Option<WithheldSecurity>), String> {
        let host = ::appc::NodeHost::start(config).map_err(|e| e.to_string())?;
        // The node's own message names the setting to check.
        let linked = host.connect(&partner.partner);
        linked.map_err(|e| e.to_string())?;
        let wish = partner.allocate_request(0).map_err(|e| e.to_string())?;
        let key = (wish.local.clone(), wish.partner.clone(), wish.mode.clone());
        let id = host.once(|node, now| node.allocate(wish, now));
        let code = host.verb(id, |node, _| node.allocated(id));
        match code.map_err(|e| e.to_string())? {
            ReturnCode::Ok => {}
            code => return Err(partner.failure("ALLOCATE", code).1),
        }
        let (limits, withheld) = host.once(|node, _| {
            let limits = node.limits(&key.0, &key.1, &key.2);
            (limits, node.access_withheld(id))
        });
        host.stop();
        Ok((limits.map(|l| l.sessions), withheld))
    };
    match tried() {
        Err(why) => vec![problem(why)],
        Ok((allowed, withheld)) => {
            let withheld = withheld.zip(partner.user.as_ref());
            let withheld = withheld.map(|(what, (user, _))| PlanProblem::Withheld {
                name: target.name.clone(),
                why: ::appc::withheld(what, user, &partner.lu(0)),
            });
            let wanted = appc::clients(population, 0, plan.threads);
            let allowed = allowed.filter(|n| usize::from(*n) < wanted && target.keep_alive);
            let sessions = allowed.map(|allowed| PlanProblem::Sessions {
                name: target.name.clone(),
                mode: partner.mode.clone(),
                allowed,
                wanted,
            });
            withheld.into_iter().chain(sessions).collect()
        }
    }
}

/// The target's name in the scenario, with its address if that adds information.
fn at(name: &str, address: &SocketAddr) -> String {
    let address = address.to_string();
    if name == address {
        address
    } else {
        format!("{name} ({address})")
    }
}

/// Opens a connection.
fn reach(address: SocketAddr) -> io::Result<TcpStream> {
    TcpStream::connect_timeout(&address, PATIENCE)
}

/// Tries the TLS handshake once for each server name.
fn shake_hands(plan: &RunPlan, address: SocketAddr) -> Vec<PlanProblem> {
    let targets = plan.populations.iter().flat_map(|p| &p.targets);
    let mut tried = BTreeSet::new();
    let mut found = Vec::new();
    for target in targets.filter(|t| t.address == address) {
        let Some(tls) = &target.tls else { continue };
        let http2 = matches!(target.protocol, Protocol::Http2);
        if !tried.insert((target.name.as_str(), http2)) {
            continue;
        }
        let shaken = reach(address).map_err(|e| e.to_string());
        if let Err(why) = shaken.and_then(|stream| tls.try_out(stream, PATIENCE)) {
            found.push(PlanProblem::Tls {
                name: target.name.clone(),
                address,
                why,
            });
        }
    }
    found
}

/// Raises the limit to this many descriptors. The error is the limit.
fn allow_descriptors(needed: u64) -> Result<(), u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|now| now >= needed) {
        return Ok(());
    }
    let wish = maximum.map_or(needed, |most| most.min(needed));
    let raised = Rlimit {
        current: Some(wish),
        maximum,
    };
    let allowed = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => wish,
        Err(_) => current.unwrap_or(u64::MAX),
    };
    if allowed >= needed {
        Ok(())
    } else {
        Err(allowed)
    }
}

fn local_ports() -> usize {
    let text = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let range: Vec<usize> = text
        .split_ascii_whitespace()
        .filter_map(|n| n.parse().ok())
        .collect();
    match range[..] {
        [low, high] if high >= low => high - low + 1,
        _ => DEFAULT_PORTS,
    }
}

/// Descriptors for epolls, timers, logs and standard streams.
const SPARE_DESCRIPTORS: u64 = 64;
/// How long a server may take to accept the first connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// The kernel's default range, used if the range cannot be read.
const DEFAULT_PORTS: usize = 28_232;
