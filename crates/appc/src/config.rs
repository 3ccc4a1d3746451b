//! The `[appc]` section: this node's logical unit, partners, modes and links.
//!
//! Keys that are not known are errors. Every doc comment here is the key's
//! reference.

use crate::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use sna::mode::{Mode, ModeTable, PacingMode, TransmissionPriority};
use sna::wire::{bind, ru_size};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

/// One APPC node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct AppcConfig {
    /// The local logical unit, `NET.NAME`; also the control-point name that
    /// partners see in XIDs. A partner has one node of each name at a time. If it
    /// is not given, clients (`tupelo aping`, `drive`, CPI-C programs that no
    /// partner calls) generate their own name.
    #[serde(deserialize_with = "upper")]
    pub lu: String,
    /// The address on which DLSw partners connect; empty for none. An address
    /// that other machines can reach must be given explicitly.
    pub listen: Option<SocketAddr>,
    /// An Ethernet interface for 802.2 links; needs CAP_NET_RAW.
    pub interface: Option<String>,
    /// The station's LAN address in token-ring bit order, twelve hexadecimal
    /// digits; made from the LU name when not given.
    pub mac: Option<String>,
    /// Block number of the node identification, three hexadecimal digits.
    pub id_block: String,
    /// Number of the node identification, five hexadecimal digits; made from
    /// the LU name when not given.
    pub id_number: Option<String>,
    /// The largest basic transmission unit this node receives, in bytes: TH, RH
    /// and RU of one frame. 99 to 17,800.
    pub max_btu_bytes: u16,
    /// Messages a DLSw circuit grants at first, and the most it grows to.
    pub circuit_window: u16,
    /// The TCP connections of a DLSw partner that this node calls.
    pub tcp_connections: DlswConnections,
    /// Seconds a link or a session may take to come up.
    pub activation_timeout_s: u64,
    /// A file to write a capture to (pcapng, for tshark).
    pub trace: Option<PathBuf>,
    /// The address of the status for `tupelo appc status`; loopback only.
    pub admin: Option<SocketAddr>,
    /// Sessions at most.
    pub max_sessions: usize,
    /// Most programs attached by partners that run at once; a partner that
    /// attaches one more receives that it may try again (084B6031).
    pub max_programs: usize,
    /// Partner logical units by name.
    #[serde(deserialize_with = "upper_keys")]
    pub partners: BTreeMap<String, PartnerConfig>,
    /// Modes in addition to the architected ones, or replacing them, by name.
    pub modes: BTreeMap<String, ModeConfig>,
    /// Users by name, with their passwords, for Attaches that carry both.
    pub users: BTreeMap<String, String>,
    /// Side information of CPI-C programs, by symbolic destination name.
    pub side_information: BTreeMap<String, SideConfig>,
}

/// The meaning of a symbolic destination name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SideConfig {
    /// The partner logical unit.
    pub partner: String,
    /// The mode.
    #[serde(default)]
    pub mode: String,
    /// The transaction program.
    pub tp: String,
}

/// The number of TCP connections that DLSw opens and uses. If the partner connects,
/// its choice is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DlswConnections {
    /// This node opens one, and both directions use it.
    #[default]
    One,
    /// Each node writes on the connection that it opened (RFC 1795). The node
    /// must listen for the partner's connection.
    Two,
    /// Two are opened; if both nodes announce one connection, the node with the
    /// higher address closes one.
    TwoThenOne,
}

impl std::str::FromStr for DlswConnections {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<DlswConnections, &'static str> {
        match text {
            "one" => Ok(DlswConnections::One),
            "two" => Ok(DlswConnections::Two),
            "two-then-one" => Ok(DlswConnections::TwoThenOne),
            _ => Err("one, two or two-then-one"),
        }
    }
}

/// A partner logical unit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PartnerConfig {
    /// Its DLSw switch, `host:port`; port 2065 when left out.
    pub address: Option<String>,
    /// Its LAN address: that of the switch's station (token-ring bit order), or
    /// on the Ethernet (Ethernet bit order) when `ethernet` is set. Generated
    /// from its name if not given.
    pub mac: Option<String>,
    /// Use the Ethernet interface instead of DLSw.
    pub ethernet: bool,
    /// Its SAP, two hexadecimal digits; 04 when not given.
    pub sap: Option<String>,
    /// One session only, without an exchange of session limits.
    pub single_session: bool,
    /// Whether users that it has verified itself are believed.
    pub trusted: bool,
}

/// A mode.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ModeConfig {
    /// The largest RU either way, in bytes.
    pub ru_bytes: Option<usize>,
    /// The pacing window in both directions, in RUs; 0 means no pacing. At most 63
    /// with `fixed-pacing`.
    pub pacing: Option<u8>,
    /// Fixed instead of adaptive pacing.
    pub fixed_pacing: bool,
    /// The largest window that adaptive pacing may grant, in RUs.
    pub max_window: Option<u16>,
    /// Sessions at most.
    pub sessions: Option<u16>,
    /// Contention winners this side wants.
    pub winners: Option<u16>,
    /// Low transmission priority (batch).
    pub batch: bool,
}

impl Default for AppcConfig {
    fn default() -> AppcConfig {
        AppcConfig {
            lu: "TUPELO.NODE".into(),
            listen: None,
            interface: None,
            mac: None,
            id_block: "05D".into(),
            id_number: None,
            max_btu_bytes: 17_749,
            circuit_window: 64,
            tcp_connections: DlswConnections::One,
            activation_timeout_s: 30,
            trace: None,
            admin: None,
            max_sessions: 65_536,
            max_programs: 4096,
            partners: BTreeMap::new(),
            modes: BTreeMap::new(),
            users: BTreeMap::new(),
            side_information: BTreeMap::new(),
        }
    }
}

impl AppcConfig {
    /// A node of this name with defaults for everything else.
    pub fn named(lu: &str) -> Result<AppcConfig, Error> {
        let config = AppcConfig {
            lu: lu.to_owned(),
            ..AppcConfig::default()
        };
        config.validate()?;
        Ok(config)
    }

    /// Changes a mode's largest RU in bytes and its pacing window in RUs.
    /// `None` leaves a value unchanged.
    pub fn tune(&mut self, mode: &str, ru: Option<usize>, pacing: Option<u8>) {
        if ru.is_some() || pacing.is_some() {
            let mode = self.modes.entry(mode.to_owned()).or_default();
            mode.ru_bytes = ru.or(mode.ru_bytes);
            mode.pacing = pacing.or(mode.pacing);
        }
    }

    /// Reports the first thing that cannot be.
    pub fn validate(&self) -> Result<(), Error> {
        full_name("lu", &self.lu)?;
        self.station_mac()?;
        self.node_id()?;
        self.mode_table()?;
        if !(99..=17_800).contains(&self.max_btu_bytes) {
            let text = self.max_btu_bytes.to_string();
            return Err(Error::config("max-btu-bytes", &text, "99 to 17800"));
        }
        if self.circuit_window == 0 {
            return Err(Error::config("circuit-window", "0", "at least 1"));
        }
        if self.max_programs == 0 {
            return Err(Error::config("max-programs", "0", "at least 1"));
        }
        if let Some(admin) = self.admin.filter(|admin| !admin.ip().is_loopback()) {
            let why = "only loopback addresses";
            return Err(Error::config("admin", &admin.to_string(), why));
        }
        for (name, partner) in &self.partners {
            full_name("partners", name)?;
            partner.station_mac(name)?;
            partner.sap()?;
        }
        Ok(())
    }

    /// The station's address in token-ring bit order.
    pub fn station_mac(&self) -> Result<[u8; 6], Error> {
        self.mac
            .as_deref()
            .map_or_else(|| Ok(mac_of(&self.lu)), |text| mac("mac", text))
    }

    /// Block and number of the node identification.
    pub fn node_id(&self) -> Result<(u16, u32), Error> {
        let block = u16::from_str_radix(&self.id_block, 16)
            .ok()
            .filter(|block| *block < 0x1000)
            .ok_or_else(|| Error::config("id-block", &self.id_block, "three hexadecimal digits"))?;
        let number = match &self.id_number {
            None => digest(&self.lu) & 0xF_FFFF,
            Some(text) => u32::from_str_radix(text, 16)
                .ok()
                .filter(|number| *number < 0x10_0000)
                .ok_or_else(|| Error::config("id-number", text, "five hexadecimal digits"))?,
        };
        Ok((block, number))
    }

    /// The architected modes with this configuration's in front.
    pub fn mode_table(&self) -> Result<ModeTable, Error> {
        let mut table = ModeTable::default();
        for (name, config) in &self.modes {
            let parsed = name
                .parse()
                .map_err(|why| Error::config("modes", name, why))?;
            config.validate(name)?;
            let mode = table.get(&parsed).unwrap_or_else(|| Mode::new(parsed));
            let mode = config.apply(mode);
            if mode.pacing != PacingMode::Adaptive && mode.send_window > bind::MOST_WINDOW {
                let why = format!(
                    "a fixed pacing of {} RUs does not fit into a BIND; `pacing` must be 0 to {} \
                     with `fixed-pacing`",
                    mode.send_window,
                    bind::MOST_WINDOW
                );
                return Err(Error::config("mode", name, why));
            }
            table.define(mode);
        }
        Ok(table)
    }
}

impl PartnerConfig {
    /// A partner at this switch.
    pub fn at(address: &str) -> PartnerConfig {
        PartnerConfig {
            address: Some(address.to_owned()),
            ..PartnerConfig::default()
        }
    }

    /// Its station's address.
    pub fn station_mac(&self, name: &str) -> Result<[u8; 6], Error> {
        self.mac
            .as_deref()
            .map_or_else(|| Ok(mac_of(name)), |text| mac("mac", text))
    }

    /// Its SAP.
    pub fn sap(&self) -> Result<u8, Error> {
        let text = self.sap.as_deref().unwrap_or("04");
        u8::from_str_radix(text, 16)
            .ok()
            .filter(|sap| sap & 1 == 0)
            .ok_or_else(|| {
                Error::config(
                    "sap",
                    text,
                    "two hexadecimal digits of an even number, such as 04",
                )
            })
    }
}

impl ModeConfig {
    /// Reports the first thing of the mode called `name` that cannot be.
    fn validate(&self, name: &str) -> Result<(), Error> {
        let sizes = ru_size::MIN..=ru_size::MAX;
        if let Some(bytes) = self.ru_bytes.filter(|bytes| !sizes.contains(bytes)) {
            let why = format!(
                "{bytes} is not an RU size; give {} to {} bytes",
                sizes.start(),
                sizes.end()
            );
            return Err(Error::config("mode", name, why));
        }
        if let (Some(sessions), Some(winners)) = (self.sessions, self.winners)
            && winners > sessions
        {
            let why = format!("{winners} contention winners, but only {sessions} sessions");
            return Err(Error::config("mode", name, why));
        }
        Ok(())
    }

    /// `mode` with the values that are set here.
    pub fn apply(&self, mut mode: Mode) -> Mode {
        if let Some(bytes) = self.ru_bytes {
            mode = mode.with_ru_bytes(bytes);
        }
        let window = self.pacing.unwrap_or(mode.send_window);
        let pacing = if self.fixed_pacing {
            PacingMode::FixedOneStage
        } else {
            mode.pacing
        };
        mode = mode.with_pacing(pacing, window);
        if let Some(widest) = self.max_window {
            mode.max_adaptive_window = widest;
        }
        let limit = self.sessions.unwrap_or(mode.session_limit);
        let winners = self.winners.unwrap_or(match self.sessions {
            Some(limit) => limit / 2,
            None => mode.min_winners,
        });
        mode = mode.with_sessions(limit, winners);
        if self.batch {
            mode.priority = TransmissionPriority::Low;
        }
        mode
    }
}

/// Parses the name of a logical unit, or returns the error.
pub(crate) fn lu_name(what: &'static str, text: &str) -> Result<sna::LuName, Error> {
    text.parse().map_err(|why| Error::config(what, text, why))
}

/// A name as a configuration gives it: with its network, and neither part begins
/// with a digit (symbol-string type A of *SNA Formats*).
fn full_name(what: &'static str, text: &str) -> Result<(), Error> {
    let name = lu_name(what, text)?;
    let digit = |part: &str| part.starts_with(|first: char| first.is_ascii_digit());
    match name.network() {
        None => Err(Error::config(
            what,
            text,
            "write NET.NAME, with the network",
        )),
        Some(network) if digit(network) || digit(name.lu()) => {
            let why = "network and name must not begin with a digit";
            Err(Error::config(what, text, why))
        }
        Some(_) => Ok(()),
    }
}

/// Names are upper case, however they are written.
fn upper<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(|name| name.to_ascii_uppercase())
}

/// Converts the keys of partners to upper case; a duplicate is an error.
fn upper_keys<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, PartnerConfig>, D::Error> {
    let mut partners = BTreeMap::new();
    for (name, partner) in BTreeMap::<String, PartnerConfig>::deserialize(from)? {
        let upper = name.to_ascii_uppercase();
        if partners.insert(upper, partner).is_some() {
            let why = format!("the partner {name} is defined twice, in upper and in lower case");
            return Err(serde::de::Error::custom(why));
        }
    }
    Ok(partners)
}

/// A locally administered address that is the same wherever the name is used.
pub fn mac_of(lu: &str) -> [u8; 6] {
    let digest = digest(lu).to_be_bytes();
    [0x40, 0x00, digest[0], digest[1], digest[2], digest[3]]
}

fn mac(what: &'static str, text: &str) -> Result<[u8; 6], Error> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b":-.".contains(b)).collect();
    let value = std::str::from_utf8(&digits)
        .ok()
        .filter(|digits| digits.len() == 12)
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .ok_or_else(|| Error::config(what, text, "twelve hexadecimal digits"))?;
    let bytes = value.to_be_bytes();
    Ok(std::array::from_fn(|i| bytes[2 + i]))
}

/// FNV-1a: names become addresses and identifications that both sides can work
/// out.
fn digest(name: &str) -> u32 {
    name.to_ascii_uppercase()
        .bytes()
        .fold(0x811C_9DC5, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_read_and_its_modes_are_applied() {
        let config: AppcConfig = toml::from_str(
            r##"
            lu = "APPN.ALPHA"
            listen = "127.0.0.1:2065"
            [partners."APPN.BETA"]
            address = "10.0.0.2"
            [modes."#BATCH"]
            ru-bytes = 4096
            pacing = 8
            "##,
        )
        .unwrap();
        config.validate().unwrap();
        let batch = config
            .mode_table()
            .unwrap()
            .get(&"#BATCH".parse().unwrap())
            .unwrap();
        assert_eq!((batch.send_ru_bytes, batch.send_window), (4096, 8));
        assert_eq!(batch.session_limit, 8);
    }

    #[test]
    fn unknown_keys_and_impossible_values_are_errors() {
        assert!(toml::from_str::<AppcConfig>("lus = \"A\"").is_err());
        for (key, wrong) in [
            ("lu", "lu = \"A.B.C\""),
            ("lu", "lu = \"x\""),
            ("lu", "lu = \"NET.1A\""),
            ("lu", "lu = \"1NET.A\""),
            ("partners", "[partners.BETA]"),
            ("mac", "mac = \"40\""),
            ("id-block", "id-block = \"12345\""),
            ("admin", "admin = \"0.0.0.0:9\""),
            ("max-btu-bytes", "max-btu-bytes = 98"),
        ] {
            let config: AppcConfig = toml::from_str(wrong).unwrap();
            match config.validate() {
                Err(Error::Config { what, .. }) => assert_eq!(what, key),
                other => panic!("{wrong}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_fixed_window_beyond_the_six_bits_of_a_bind_is_an_error() {
        let mut config: AppcConfig =
            toml::from_str("[modes.\"#BATCH\"]\nfixed-pacing = true\npacing = 63").unwrap();
        config.validate().unwrap();
        config.tune("#BATCH", None, Some(64));
        let why = config.validate().unwrap_err().to_string();
        assert!(
            why.contains("#BATCH") && why.contains("`pacing` must be 0 to 63"),
            "{why}"
        );
        config.modes.get_mut("#BATCH").unwrap().fixed_pacing = false;
        config.validate().unwrap();
    }

    #[test]
    fn names_are_upper_case_however_they_are_written() {
        let read = |text: &str| toml::from_str::<AppcConfig>(text);
        let config = read("lu = \"net.a\"\n[partners.\"net.b\"]").unwrap();
        config.validate().unwrap();
        assert_eq!(config.lu, "NET.A");
        assert!(config.partners.contains_key("NET.B"));
        let twice = read("[partners.\"net.b\"]\n[partners.\"NET.B\"]");
        assert!(twice.unwrap_err().to_string().contains("twice"));
    }

    #[test]
    fn addresses_are_read_with_and_without_punctuation() {
        let plain = mac("mac", "400000000001").unwrap();
        assert_eq!(plain, [0x40, 0, 0, 0, 0, 1]);
        assert_eq!(mac("mac", "40:00:00:00:00:01").unwrap(), plain);
        assert_eq!(mac_of("a.b"), mac_of("A.B"));
    }
}
