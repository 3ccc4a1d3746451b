//! The ranges of the numbers and names of `[region]`, `[store]` and the listeners.
//!
//! `check` and `serve` use the same list: both report an error, with its line, for a
//! server that would not start.

use std::net::SocketAddr;
use std::path::Path;

use region::{ACCOUNTS, AccountKind, AccountLimits, AtLimit};

use super::config::{Config, LimitSection, RegionSection, StoreSection};
use super::cpus;
use super::finding::{Finding, Findings, Severity};
use super::settings::at;

/// Most GiB of address space for the store: half of a process's address space.
const MOST_MAP_GIB: u64 = 65_536;

/// Each number with its smallest and largest value.
fn bounds(
    of: &RegionSection,
    store: &StoreSection,
) -> Vec<(&'static str, &'static str, u64, u64, u64)> {
    let region = |key, value: u64, least, most| ("region", key, value, least, most);
    vec![
        region("max_tasks", of.max_tasks.into(), 1, 1_000),
        region("max_queued", of.max_queued.into(), 0, 1_000_000),
        region("shutdown_s", of.shutdown_s.into(), 1, 3_600),
        region("worker_nice", of.worker_nice.into(), 0, 19),
        region("priority_aging_ms", of.priority_aging_ms.into(), 0, 65_535),
        region("cwa_bytes", of.cwa_bytes.into(), 0, 3_584),
        region("shared_storage_bytes", of.shared_storage_bytes, 0, 1 << 30),
        region("channel_bytes", of.channel_bytes, 1 << 16, 1 << 36),
        region("task_memory_mib", of.task_memory_mib.into(), 1, 1 << 20),
        region("worker_memory_mib", of.worker_memory_mib.into(), 1, 1 << 20),
        ("store", "map_gib", store.map_gib.into(), 1, MOST_MAP_GIB),
    ]
}

/// Findings about the region's settings that would stop a server from starting.
pub fn findings(folder: &Path, config: &Config) -> Findings {
    let mut found = Findings::new(folder);
    for (section, key, value, least, most) in bounds(&config.region, &config.store) {
        if !(least..=most).contains(&value) {
            let message = format!("{key} is {value}; expected {least} to {most}");
            let help = "leave it out for the default";
            found.add(at(folder, section, key, Severity::Error, message, help));
        }
    }
    found.extend(names(folder, &config.region));
    found.extend(paths(folder, config));
    found.extend(engines(folder, config));
    found.extend(accounts(folder, config));
    found
}

/// Checks the characters of names.
fn names(folder: &Path, region: &RegionSection) -> Vec<Finding> {
    let mut found = Vec::new();
    for (key, name, most) in [
        ("applid", &region.applid, 8),
        ("sysid", &region.sysid, 4),
        ("default_user", &region.default_user, 8),
    ] {
        let is_known = |c: char| c.is_ascii_graphic();
        if name.is_empty() || name.len() > most || !name.chars().all(is_known) {
            let message = format!("{key} is {name:?}; expected 1 to {most} characters");
            let help = "use letters, digits and @ # $";
            found.push(at(folder, "region", key, Severity::Error, message, help));
        }
    }
    found
}

/// Checks the characters of paths.
fn paths(folder: &Path, config: &Config) -> Vec<Finding> {
    let all = [
        ("store", "path", Some(&config.store.path)),
        ("region", "monitoring", config.region.monitoring.as_ref()),
    ];
    let mut found = Vec::new();
    for (section, key, path) in all {
        let has_nul = |path: &Path| path.as_os_str().as_encoded_bytes().contains(&0);
        if path.is_some_and(|path| has_nul(path)) {
            let message = format!("{key} contains a NUL character, which a path cannot");
            let help = "leave it out";
            found.push(at(folder, section, key, Severity::Error, message, help));
        }
    }
    found
}

/// Checks that lists of CPUs can be read, and that the CPUs exist.
fn engines(folder: &Path, config: &Config) -> Vec<Finding> {
    let mut found = Vec::new();
    for (key, list) in [
        ("general", &config.engines.general),
        ("offload", &config.engines.offload),
    ] {
        let Some(list) = list else {
            continue;
        };
        if let Err(message) = cpus::parse(list) {
            let help = "write a list such as 0-3,6";
            found.push(at(folder, "engines", key, Severity::Error, message, help));
        }
    }
    found
}

/// Reports two listeners with one address: the second would not start. Options of
/// `serve` can change addresses, so only `check` looks for this.
pub fn same_ports(folder: &Path, config: &Config) -> Vec<Finding> {
    let all: [(&str, Option<SocketAddr>); 2] = [
        ("gateway", Some(config.gateway.listen)),
        ("admin", Some(config.admin.listen)),
    ];
    let mut found = Vec::new();
    for (number, (section, address)) in all.iter().enumerate() {
        let Some(address) = address.filter(|a| a.port() != 0) else {
            continue;
        };
        let overlaps = |other: &SocketAddr| {
            let is_any = other.ip().is_unspecified() || address.ip().is_unspecified();
            other.port() == address.port() && (is_any || other.ip() == address.ip())
        };
        let before = all[..number].iter();
        let mut taken = before.filter(|(_, other)| other.as_ref().is_some_and(overlaps));
        if let Some((other, _)) = taken.next() {
            let message = format!("[{section}] listen is {address}, the address of [{other}]");
            let help = "give each its own port";
            found.push(at(
                folder,
                section,
                "listen",
                Severity::Error,
                message,
                help,
            ));
        }
    }
    found
}

/// Checks the names and values of `[region.limits]`.
fn accounts(folder: &Path, config: &Config) -> Vec<Finding> {
    let known = |name: &String| ACCOUNTS.iter().find(|row| row.name == *name);
    let mut found = Vec::new();
    for (name, section) in &config.region.limits {
        let message = match known(name) {
            None => {
                let names: Vec<&str> = ACCOUNTS.iter().map(|row| row.name).collect();
                format!("there is no account {name}; expected {}", names.join(", "))
            }
            Some(row) if matches!(row.at_limit, AtLimit::OwnSetting(_)) && has_bytes(section) => {
                format!("the bytes of {name} have their own setting: see `tupelo limits`")
            }
            Some(_) if section.task == Some(0) || section.region == Some(0) => {
                format!("a limit of 0 for {name} would reject every command; expected 1 or more")
            }
            Some(_) => continue,
        };
        let help = "`tupelo limits` lists the accounts, their limits and settings";
        found.push(at(
            folder,
            "region",
            "limits",
            Severity::Error,
            message,
            help,
        ));
    }
    found
}

fn has_bytes(section: &LimitSection) -> bool {
    section.task_kib.is_some() || section.region_kib.is_some()
}

/// The limits in force: the defaults, changed by `[region.limits]`.
pub fn account_limits(region: &RegionSection) -> AccountLimits {
    let mut limits = AccountLimits::usual();
    for kind in AccountKind::ALL {
        let Some(section) = region.limits.get(kind.row().name) else {
            continue;
        };
        let bytes = |kib: u64| kib.saturating_mul(1_024);
        let mut limit = limits.of(*kind);
        limit.task.count = section.task.unwrap_or(limit.task.count);
        limit.task.bytes = section.task_kib.map_or(limit.task.bytes, bytes);
        limit.region.count = section.region.unwrap_or(limit.region.count);
        limit.region.bytes = section.region_kib.map_or(limit.region.bytes, bytes);
        limits.set(*kind, limit);
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let config: Config = toml::from_str(text).expect("settings");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("tupelo.toml"), text).expect("a file");
        let mut found = findings(folder.path(), &config);
        found.extend(same_ports(folder.path(), &config));
        found.iter().map(|f| f.message.clone()).collect()
    }

    #[test]
    fn settings_that_serve_would_reject_are_found_with_their_bounds() {
        for (text, message) in [
            (
                "[region]\nmax_tasks = 0",
                "max_tasks is 0; expected 1 to 1000",
            ),
            (
                "[region]\nmax_tasks = 10000000",
                "max_tasks is 10000000; expected 1 to 1000",
            ),
            (
                "[region]\napplid = \"TOOLONGNAME\"",
                "applid is \"TOOLONGNAME\"; expected 1 to 8",
            ),
            ("[region]\nsysid = \"\"", "sysid is \"\"; expected 1 to 4"),
            (
                "[region]\nsysid = \"A\\u0000\"",
                "sysid is \"A\\0\"; expected 1 to 4",
            ),
            (
                "[store]\nmap_gib = 4000000000",
                "map_gib is 4000000000; expected 1 to",
            ),
            ("[engines]\ngeneral = \"x\"", "is not a CPU's number"),
            (
                "[gateway]\nlisten = \"127.0.0.1:8080\"\n[admin]\nlisten = \"0.0.0.0:8080\"",
                "[admin] listen is 0.0.0.0:8080, the address of [gateway]",
            ),
            (
                "[store]\npath = \"a\\u0000\"",
                "path contains a NUL character",
            ),
            (
                "[region.limits.starst]\ntask = 1",
                "there is no account starst",
            ),
            (
                "[region.limits.starts]\ntask = 0",
                "a limit of 0 for starts",
            ),
        ] {
            let found_messages = found(text);
            assert!(
                found_messages.iter().any(|m| m.contains(message)),
                "{text}: {found_messages:?}"
            );
        }
        assert_eq!(found(""), [""; 0]);
    }

    #[test]
    fn a_setting_changes_only_its_limit() {
        let text = "[region.limits.starts]\ntask = 5\nregion_kib = 2";
        let config: Config = toml::from_str(text).expect("settings");
        let usual = AccountLimits::usual().of(AccountKind::Starts);
        let limit = account_limits(&config.region).of(AccountKind::Starts);
        assert_eq!((limit.task.count, limit.region.bytes), (5, 2_048));
        assert_eq!(limit.task.bytes, usual.task.bytes);
        assert_eq!(limit.region.count, usual.region.count);
    }
}
