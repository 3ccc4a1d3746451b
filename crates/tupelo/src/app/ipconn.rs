//! Connections to other regions, from definitions and `[ipconn]`.
//!
//! A DEFINE IPCONN is a connection unless the settings have one with its name.
//!
//! Reference: CICS TS resource definition, IPCONN attributes.

use cics::csd::OtherDef;
use ipconn::{ConnectionConfig, ConnectionDirectory, IpconnConfig, LocalIdentity};
use miette::{Result, bail, miette};

use super::Application;
use super::known::attribute;

/// The group of all connections, for a gateway that has no region and names no connection.
pub const ANY: &str = "*";
/// Port of a definition without PORT.
const PORT: u16 = 1435;

/// The connections of a process.
#[derive(Debug, Clone)]
pub struct IpconnConnections {
    /// The `[ipconn]` section with the connections of the definitions.
    pub config: IpconnConfig,
    /// APPLID and SYSID of this process.
    pub who: LocalIdentity,
    /// The state of the connections.
    pub directory: ConnectionDirectory,
}

impl IpconnConnections {
    /// Reads the section and the definitions.
    pub fn read(app: &Application) -> Result<IpconnConnections> {
        let config = config(app)?;
        let region = &app.config.region;
        let applid = region.applid.parse::<region::Name<8>>();
        let sysid = region.sysid.parse::<region::Name<4>>();
        let who = LocalIdentity::new(
            applid.map_err(|e| miette!("[region] applid: {e}"))?,
            sysid.map_err(|e| miette!("[region] sysid: {e}"))?,
        );
        Ok(IpconnConnections {
            directory: ConnectionDirectory::new(&config),
            config,
            who,
        })
    }

    /// Threads of this process that make calls: those of the gateway and, with a
    /// region, one for its programs.
    pub fn lanes(&self, app: &Application, region: bool) -> u16 {
        u16::try_from(doors(app) + u32::from(region)).unwrap_or(u16::MAX)
    }
}

/// Threads of this process's gateway.
pub fn doors(app: &Application) -> u32 {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let settings = &app.config.gateway;
    match (settings.enabled, settings.threads) {
        (false, _) => 0,
        (true, 0) => u32::try_from(cpus.div_ceil(2)).unwrap_or(u32::MAX),
        (true, threads) => threads,
    }
}

/// The section with the connections of the definitions. Reports all errors at once.
pub fn config(app: &Application) -> Result<IpconnConfig> {
    let mut config = app.config.ipconn.clone();
    let mut wrong = Vec::new();
    for def in app.csd.others.iter().filter(|def| def.kind == "IPCONN") {
        let name = def.name.to_ascii_uppercase();
        if config.connections.contains_key(&name) {
            continue;
        }
        match connection(def) {
            Ok(Some(connection)) => {
                config.connections.insert(name, connection);
            }
            Ok(None) => {}
            Err(why) => wrong.push(format!("resources.csd: IPCONN({name}): {why}")),
        }
    }
    config
        .groups
        .insert(ANY.into(), config.connections.keys().cloned().collect());
    if config.connections.is_empty() {
        config.groups.remove(ANY);
    }
    wrong.extend(config.check().iter().map(ToString::to_string));
    if let Some(name) = &app.config.gateway.connection
        && !config.connections.contains_key(name)
        && !config.groups.contains_key(name)
        && !app.config.mainframe.connections.contains_key(name)
    {
        wrong.push(format!(
            "[gateway] connection: {name} is not a connection or group of [ipconn], nor a connection of [mainframe]"
        ));
    }
    let names = config.connections.keys().chain(config.groups.keys());
    for name in names.filter(|name| app.config.mainframe.connections.contains_key(*name)) {
        wrong.push(format!("{name} is also a connection of [mainframe]"));
    }
    if wrong.is_empty() {
        Ok(config)
    } else {
        bail!("connections to other regions\n{}", wrong.join("\n"))
    }
}

/// The connection that a definition describes. Returns `None` for one that only
/// receives.
fn connection(def: &OtherDef) -> Result<Option<ConnectionConfig>, String> {
    let number = |name: &str, most: u16| match attribute(def, name) {
        None => Ok(None),
        Some(text) if text.eq_ignore_ascii_case("NO") => Ok(None),
        Some(text) => match text.parse::<u16>() {
            Ok(number) if number <= most => Ok(Some(number)),
            _ => Err(format!("{name}({text}): expected 0 to {most}")),
        },
    };
    let Some(host) = attribute(def, "HOST") else {
        return Ok(None);
    };
    let sessions = number("SENDCOUNT", 999)?;
    if sessions == Some(0) {
        return Ok(None);
    }
    if attribute(def, "SSL").is_some_and(|ssl| ssl.eq_ignore_ascii_case("YES")) {
        let name = def.name.to_ascii_uppercase();
        return Err(format!(
            "SSL(YES): its certificates are files, and without them it would be a connection in \
             the clear: write [ipconn.connections.{name}] with its tls into tupelo.toml"
        ));
    }
    let port = number("PORT", u16::MAX)?.unwrap_or(PORT);
    let usual = ConnectionConfig::default();
    Ok(Some(ConnectionConfig {
        address: if host.contains(':') {
            format!("[{host}]:{port}")
        } else {
            format!("{host}:{port}")
        },
        applid: attribute(def, "APPLID").map(str::to_owned),
        sessions: sessions.unwrap_or(usual.sessions),
        ..usual
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_with_tls_is_not_connected_in_the_clear() {
        let folder = tempfile::tempdir().unwrap();
        let read = |more: &str, settings: &str| {
            let csd = format!("DEFINE IPCONN(AOR2) GROUP(A) HOST(aor2) {more}\n");
            std::fs::write(folder.path().join("resources.csd"), csd).unwrap();
            std::fs::write(folder.path().join("tupelo.toml"), settings).unwrap();
            let app = Application::open(folder.path(), None).unwrap();
            config(&app).map_err(|e| e.to_string())
        };
        let plain = read("SSL(NO)", "").unwrap();
        assert_eq!(plain.connections["AOR2"].address, "aor2:1435");
        let why = read("SSL(YES)", "").unwrap_err();
        assert!(why.contains("IPCONN(AOR2): SSL(YES)"), "{why}");
        let own = "[ipconn.connections.AOR2]\naddress = \"aor2:1435\"\n";
        assert!(read("SSL(YES)", own).is_ok(), "the settings count");
    }
}
