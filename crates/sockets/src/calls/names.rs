//! Names of hosts and services.
//!
//! Without the resolver a task learns nothing of the network: addresses in
//! digits, `localhost` and this host's own name are known, nothing else.
//!
//! Reference: IP CICS Sockets Guide, GETHOSTBYNAME, GETADDRINFO, GETNAMEINFO.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};

use ezasoket::{AF_INET, AF_INET6, CallReply, Errno, HostList, SocketName};

use super::SocketState;

/// Longest name.
const NAME_BYTES: usize = 255;

/// GETHOSTNAME.
pub fn own_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map_or_else(|_| "localhost".to_owned(), |name| name.trim().to_owned())
}

/// GETHOSTID: this host's address, or 127.0.0.1.
pub fn own_address(world: &SocketState) -> CallReply {
    let all = resolve(world, &own_name()).unwrap_or_default();
    let v4 = all.iter().find_map(|ip| match ip {
        IpAddr::V4(v4) => Some(*v4),
        IpAddr::V6(_) => None,
    });
    let address = v4.unwrap_or(Ipv4Addr::LOCALHOST);
    CallReply {
        value: i64::from(u32::from(address) as i32),
        ..CallReply::ok(0)
    }
}

/// GETHOSTBYNAME.
pub fn by_name(world: &SocketState, name: &[u8]) -> Result<CallReply, Errno> {
    let name = text(name)?;
    let mut addresses = resolve(world, &name)?;
    addresses.retain(IpAddr::is_ipv4);
    host(name, addresses)
}

/// GETHOSTBYADDR.
pub fn by_address(octets: &[u8]) -> Result<CallReply, Errno> {
    let octets: [u8; 4] = octets.try_into().map_err(|_| Errno::EINVAL)?;
    let ip = IpAddr::from(octets);
    let name = name_of(ip).ok_or(Errno::EAI_NONAME)?;
    host(name, vec![ip])
}

/// GETADDRINFO: flags, family, type and protocol; node, a zero, service.
pub fn addresses(world: &SocketState, hints: [i64; 4], data: &[u8]) -> Result<CallReply, Errno> {
    const PASSIVE: i64 = 1;
    const NUMERIC_HOST: i64 = 4;
    const KNOWN: i64 = 0x7F;
    let [flags, family, ..] = hints;
    if flags & !KNOWN != 0 {
        return Err(Errno::EAI_BADFLAGS);
    }
    let at = data.iter().position(|b| *b == 0).ok_or(Errno::EINVAL)?;
    let (node, service) = (text(&data[..at])?, text(&data[at + 1..])?);
    if node.is_empty() && service.is_empty() {
        return Err(Errno::EAI_NONAME);
    }
    let port = match service.as_str() {
        "" => 0,
        service => match service.parse() {
            Ok(port) => port,
            Err(_) => port_of(service).ok_or(Errno::EAI_SERVICE)?,
        },
    };
    let mut found = match (node.as_str(), flags & PASSIVE != 0) {
        ("", true) => vec![Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into()],
        ("", false) => vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
        (node, _) if flags & NUMERIC_HOST != 0 => {
            vec![node.parse().map_err(|_| Errno::EAI_NONAME)?]
        }
        (node, _) => resolve(world, node)?,
    };
    match u16::try_from(family) {
        Ok(0) => {}
        Ok(AF_INET) => found.retain(IpAddr::is_ipv4),
        Ok(AF_INET6) => found.retain(IpAddr::is_ipv6),
        _ => return Err(Errno::EAI_FAMILY),
    }
    let mut reply = host(node, found)?;
    reply.value = i64::from(port);
    Ok(reply)
}

/// GETNAMEINFO: a name, a zero, a service.
pub fn names(flags: i64, name: &[u8]) -> Result<CallReply, Errno> {
    const NUMERIC_HOST: i64 = 2;
    const NAME_REQUIRED: i64 = 4;
    const NUMERIC_SERVICE: i64 = 8;
    let SocketName(address) = SocketName::parse(name).map_err(|errno| match errno {
        Errno::EAFNOSUPPORT => Errno::EAI_FAMILY,
        other => other,
    })?;
    let numeric = address.ip().to_string();
    let host = match flags & NUMERIC_HOST {
        0 => name_of(address.ip()),
        _ => Some(numeric.clone()),
    };
    let host = match host {
        Some(host) => host,
        None if flags & NAME_REQUIRED != 0 => return Err(Errno::EAI_NONAME),
        None => numeric,
    };
    let service = match flags & NUMERIC_SERVICE {
        0 => service_of(address.port()),
        _ => None,
    };
    let service = service.unwrap_or_else(|| address.port().to_string());
    Ok(CallReply::with(
        0,
        [host.as_bytes(), &[0], service.as_bytes()].concat(),
    ))
}

fn host(name: String, addresses: Vec<IpAddr>) -> Result<CallReply, Errno> {
    if addresses.is_empty() {
        Err(Errno::EAI_NONAME)
    } else {
        Ok(CallReply::with(0, HostList { name, addresses }.emit()))
    }
}

/// A name or service without trailing blanks and zeros.
fn text(bytes: &[u8]) -> Result<String, Errno> {
    let text = std::str::from_utf8(bytes).map_err(|_| Errno::EINVAL)?;
    let text = text.trim_matches([' ', '\0']);
    if text.len() <= NAME_BYTES && !text.contains('\0') {
        Ok(text.to_owned())
    } else {
        Err(Errno::ENAMETOOLONG)
    }
}

fn resolve(world: &SocketState, name: &str) -> Result<Vec<IpAddr>, Errno> {
    if let Ok(ip) = name.parse() {
        return Ok(vec![ip]);
    }
    if name.eq_ignore_ascii_case("localhost") || name == own_name() && !world.resolver {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    if !world.resolver {
        return Err(Errno::EAI_NONAME);
    }
    let found = (name, 0).to_socket_addrs().map_err(|_| Errno::EAI_NONAME)?;
    let mut list: Vec<IpAddr> = found.map(|address| address.ip()).collect();
    list.dedup();
    Ok(list)
}

/// The name of an address that is this host's own.
fn name_of(ip: IpAddr) -> Option<String> {
    ip.is_loopback().then(|| "localhost".to_owned())
}

/// The system's services, `name port/protocol`.
fn services() -> String {
    std::fs::read_to_string("/etc/services").unwrap_or_default()
}

fn port_of(service: &str) -> Option<u16> {
    let known = services();
    known.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        let port = words.next()?.split('/').next()?.parse().ok();
        name.eq_ignore_ascii_case(service).then_some(port)?
    })
}

fn service_of(port: u16) -> Option<String> {
    let wanted = format!("{port}/");
    let known = services();
    known.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        words.next()?.starts_with(&wanted).then(|| name.to_owned())
    })
}
