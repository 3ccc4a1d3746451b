//! What can be foreseen is said before the run: servers that cannot be
//! reached, too few file descriptors, too few local ports.

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

/// Why a plan cannot work on this machine at this moment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanProblem {
    /// A target does not accept connections.
    #[error("{} cannot be reached: {why}", at(name, address))]
    Unreachable {
        /// As the scenario writes it.
        name: String,
        /// Where it was tried.
        address: SocketAddr,
        /// The system's message.
        why: String,
    },
    /// A server and this driver do not agree over TLS.
    #[error("{}: {why}", at(name, address))]
    Tls {
        /// As the scenario writes it.
        name: String,
        /// Where it was tried.
        address: SocketAddr,
        /// What is wrong and what to do.
        why: String,
    },
    /// A conversation cannot begin.
    #[error("{name}: {why}")]
    Partner {
        /// As the scenario writes it.
        name: String,
        /// What is wrong, and with which name.
        why: String,
    },
    /// A partner does not accept the users that conversations are to have.
    #[error("{name}: {why}")]
    Withheld {
        /// As the scenario writes it.
        name: String,
        /// What is not sent, and what to do.
        why: String,
    },
    /// A partner allows fewer sessions than clients want.
    #[error(
        "{name} allows {allowed} sessions in mode `{mode}` and {wanted} clients keep one each; raise the mode's session limit there (`sessions` of a Tupelo node's mode), have fewer clients (--clients, `clients`, `outstanding`), or let each iteration have a conversation of its own (`keep_alive = false`, --no-keepalive)"
    )]
    Sessions {
        /// As the scenario writes it.
        name: String,
        /// The mode.
        mode: String,
        /// What was agreed on.
        allowed: u16,
        /// Clients of one thread.
        wanted: usize,
    },
    /// A source address is not one of this machine.
    #[error(
        "connections cannot come from {source_address}: {why}; `ip address` lists this machine's addresses"
    )]
    Source {
        /// The address asked for.
        source_address: IpAddr,
        /// The system's message.
        why: String,
    },
    /// The limit of open files is too low.
    #[error(
        "{needed} file descriptors are needed and {limit} are allowed; raise the limit (ulimit -n {needed})"
    )]
    Descriptors {
        /// Connections and a few more.
        needed: u64,
        /// The hard limit.
        limit: u64,
    },
    /// One local address has too few ports for one server.
    #[error(
        "{needed} connections to {address} need as many local ports and there are {ports}; widen net.ipv4.ip_local_port_range or give more source addresses"
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

/// Looks for everything that can be foreseen, and lets the bound on outstanding
/// requests that nobody named follow what partners allow. What was done so is
/// told, as is what partners do not accept and conversations go without.
pub fn prepare(plan: &mut RunPlan) -> Result<Vec<String>, Vec<PlanProblem>> {
    let mut found = check(plan);
    let mut told = Vec::new();
    found.retain(|foreseen| match foreseen {
        PlanProblem::Withheld { .. } => {
            told.push(format!("{foreseen}."));
            false
        }
        PlanProblem::Sessions {
            name,
            mode,
            allowed,
            ..
        } => match follow(plan, name, mode, usize::from(*allowed)) {
            Some(done) => {
                told.push(done);
                false
            }
            None => true,
        },
        _ => true,
    });
    match found.is_empty() {
        true => Ok(told),
        false => Err(found),
    }
}

/// Lowers the bounds that follow the sessions of a mode; none when there are
/// no such bounds.
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
                "At most {outstanding} conversations at once instead of {before}, because {name} allows {allowed} sessions in mode `{mode}`; raise that there, or name a bound (--clients, `outstanding`)."
            ));
        }
    }
    done
}

/// Looks for everything that can be foreseen; raises the limit of open files
/// as far as the system lets it.
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
        // Closed again at once: a server may serve one connection at a time.
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

/// Tries a population's link, mode and sessions, as far as that goes without
/// starting a program: nothing is attached.
fn converse(plan: &RunPlan, population: &Population) -> Vec<PlanProblem> {
    let mut targets = population.targets.iter();
    let Some((target, partner, mut config)) = targets.find_map(|target| {
        let partner = appc::partner_of(target)?;
        Some((target, partner, appc::node(plan, &partner.lu(0), 0)?))
    }) else {
        return Vec::new();
    };
    let told = |why: String| PlanProblem::Partner {
        name: target.name.clone(),
        why,
    };
    config.activation_timeout_s = PATIENCE.as_secs();
    (config.trace, config.listen) = (None, None);
    let tried = || -> Result<(Option<u16>, Option<WithheldSecurity>), String> {
        let host = ::appc::NodeHost::start(config).map_err(|e| e.to_string())?;
        // The node's own message says what to look at.
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
        Err(why) => vec![told(why)],
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

/// A target as the scenario writes it, with its address where that says more.
fn at(name: &str, address: &SocketAddr) -> String {
    let address = address.to_string();
    match name == address {
        true => address,
        false => format!("{name} ({address})"),
    }
}

/// Opens a connection.
fn reach(address: SocketAddr) -> io::Result<TcpStream> {
    TcpStream::connect_timeout(&address, PATIENCE)
}

/// Tries TLS once for each name that a server is known by.
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

/// Makes room for this many descriptors, or tells the limit.
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

/// Epolls, timers, logs and whatever else a process has open.
const SPARE_DESCRIPTORS: u64 = 64;
/// How long a server may take to accept the first connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// The kernel's own default, where the range cannot be read.
const DEFAULT_PORTS: usize = 28_232;
