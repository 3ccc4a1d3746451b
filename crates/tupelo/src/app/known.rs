//! APPC partners from definitions and `[appc]`: their names, the modes they are
//! reached under, and the security that their Attaches must have.
//!
//! All of it is read at the start and at each reload, and replaced at once.
//!
//! Reference: CICS resource definition, CONNECTION, SESSIONS, PARTNER and
//! PROFILE.

use std::collections::BTreeMap;

use appc::AppcConfig;
use cics::csd::{Csd, OtherDef};
use miette::{IntoDiagnostic, Result, bail};
use region::ConversationTarget;
use sna::{Mode, ModeName, ModeTable};

use super::attachsec::AttachSecurity;

/// Mode of conversations whose PROFILE names none.
const DEFAULT_MODE: &str = "#INTER";
/// The types of definitions that are read.
const KINDS: [&str; 4] = ["CONNECTION", "SESSIONS", "PARTNER", "PROFILE"];
/// Bytes of an RU that SENDSIZE and RECEIVESIZE may name, as for APPC sessions.
const RU_BYTES: std::ops::RangeInclusive<usize> = 256..=30_720;

/// The definitions of partners.
#[derive(Debug, Clone)]
pub struct KnownPartners {
    definitions: Vec<OtherDef>,
    /// The `[appc]` section, with the trust that the connections define.
    pub section: AppcConfig,
    /// The modes, with the attributes of the SESSIONS.
    pub modes: BTreeMap<ModeName, Mode>,
    /// The security that Attaches must have.
    pub security: AttachSecurity,
}

impl KnownPartners {
    /// Reads the section and the definitions.
    pub fn read(section: &AppcConfig, csd: &Csd) -> Result<KnownPartners> {
        let kept = |other: &&OtherDef| KINDS.contains(&other.kind.as_str());
        let definitions: Vec<OtherDef> = csd.others.iter().filter(kept).cloned().collect();
        let connections = definitions.iter().filter(|def| def.kind == "CONNECTION");
        let security = AttachSecurity::read(connections)?;
        let mut section = section.clone();
        section.validate().into_diagnostic()?;
        security.apply(&mut section);
        let modes = modes(&section, &definitions)?;
        Ok(KnownPartners {
            definitions,
            section,
            modes,
            security,
        })
    }

    /// The partner of a SYSID: that of the CONNECTION, or the partner with this name if
    /// no CONNECTION has it.
    pub fn system(&self, sysid: &str) -> Option<ConversationTarget> {
        match self.definition("CONNECTION", sysid) {
            Some(def) => self.configured(attribute(def, "NETNAME")?),
            None => self.configured(sysid),
        }
    }

    /// SYSID and NETNAME of each CONNECTION.
    pub fn connections(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.definitions.iter().filter(|d| d.kind == "CONNECTION");
        all.filter_map(|def| Some((def.name.as_str(), attribute(def, "NETNAME")?)))
    }

    /// The partner of a PARTNER definition.
    pub fn partner(&self, name: &str) -> Option<ConversationTarget> {
        let def = self.definition("PARTNER", name)?;
        let net_name = attribute(def, "NETNAME")?;
        let found = match attribute(def, "NETWORK") {
            Some(network) => self.configured(&format!("{network}.{net_name}")),
            None => self.configured(net_name),
        };
        let mut destination = found?;
        destination.process = attribute(def, "TPNAME").map(str::to_owned);
        if let Some(profile) = attribute(def, "PROFILE") {
            destination.mode = self.profile(profile)?;
        }
        Some(destination)
    }

    /// The mode of a PROFILE.
    pub fn profile(&self, name: &str) -> Option<String> {
        let def = self.definition("PROFILE", name)?;
        let mode = attribute(def, "MODENAME").unwrap_or(DEFAULT_MODE);
        Some(mode.to_owned())
    }

    fn definition(&self, kind: &str, name: &str) -> Option<&OtherDef> {
        let mut all = self.definitions.iter();
        all.find(|def| def.kind == kind && def.name.eq_ignore_ascii_case(name))
    }

    /// The partner of `[appc]` with this name, qualified or not.
    fn configured(&self, name: &str) -> Option<ConversationTarget> {
        let same = |full: &&String| {
            let own = full.rsplit('.').next().unwrap_or(full);
            full.eq_ignore_ascii_case(name) || own.eq_ignore_ascii_case(name)
        };
        let mut names = self.section.partners.keys();
        names.find(same).map(|partner| ConversationTarget {
            partner: partner.clone(),
            mode: DEFAULT_MODE.to_owned(),
            process: None,
        })
    }
}

/// The value of an attribute, unless it is empty.
pub fn attribute<'d>(def: &'d OtherDef, name: &str) -> Option<&'d str> {
    let found = def.attributes.iter().find(|a| a.name == name)?;
    found.value.as_deref().filter(|value| !value.is_empty())
}

/// The modes: the architected ones, then those of SESSIONS, then `[appc.modes]`.
fn modes(section: &AppcConfig, definitions: &[OtherDef]) -> Result<BTreeMap<ModeName, Mode>> {
    let architected = ModeTable::default();
    let mut modes: BTreeMap<ModeName, Mode> = architected
        .iter()
        .map(|m| (m.name.clone(), m.clone()))
        .collect();
    for def in definitions.iter().filter(|def| def.kind == "SESSIONS") {
        if attribute(def, "PROTOCOL").is_some_and(|p| !p.eq_ignore_ascii_case("APPC")) {
            continue;
        }
        let Some(name) = attribute(def, "MODENAME") else {
            continue;
        };
        let place = format!("SESSIONS({}), line {}", def.name, def.line);
        let Ok(name) = name.to_ascii_uppercase().parse::<ModeName>() else {
            bail!("{place}: MODENAME({name}) is not the name of a mode");
        };
        let mode = modes
            .remove(&name)
            .unwrap_or_else(|| Mode::new(name.clone()));
        modes.insert(name, sessions(def, mode, &place)?);
    }
    for (name, config) in &section.modes {
        let name: ModeName = name.parse().into_diagnostic()?;
        let mode = modes
            .remove(&name)
            .unwrap_or_else(|| Mode::new(name.clone()));
        modes.insert(name, config.apply(mode));
    }
    Ok(modes)
}

/// `mode` with the attributes of a SESSIONS definition.
fn sessions(def: &OtherDef, mut mode: Mode, place: &str) -> Result<Mode> {
    if let Some(text) = attribute(def, "MAXIMUM") {
        let (limit, winners) = text.split_once(',').unwrap_or((text, "0"));
        let (limit, winners) = (limit.trim().parse(), winners.trim().parse());
        let (Ok(limit @ 1..=999u16), Ok(winners)) = (limit, winners) else {
            bail!(
                help = "MAXIMUM(sessions,winners), 1 to 999 and 0 to 999",
                "{place}: MAXIMUM({text})"
            );
        };
        if winners > limit {
            bail!("{place}: MAXIMUM({text}): more contention winners than sessions");
        }
        mode = mode.with_sessions(limit, winners);
    }
    let bytes = |name: &str| -> Result<Option<usize>> {
        let Some(text) = attribute(def, name) else {
            return Ok(None);
        };
        match text.parse() {
            Ok(bytes) if RU_BYTES.contains(&bytes) => Ok(Some(bytes)),
            _ => {
                bail!(help = "256 to 30720 bytes", "{place}: {name}({text})");
            }
        }
    };
    mode.send_ru_bytes = bytes("SENDSIZE")?.unwrap_or(mode.send_ru_bytes);
    mode.receive_ru_bytes = bytes("RECEIVESIZE")?.unwrap_or(mode.receive_ru_bytes);
    Ok(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(definitions: &str, section: &str) -> Result<KnownPartners> {
        let (others, diagnostics) = cics::csd::definitions(definitions);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let csd = Csd {
            others,
            ..Csd::default()
        };
        KnownPartners::read(&toml::from_str(section).unwrap(), &csd)
    }

    #[test]
    fn sessions_are_modes_and_the_section_goes_before_them() {
        let text = "DEFINE SESSIONS(S) GROUP(A) CONNECTION(PEER) PROTOCOL(APPC)
            MODENAME(LU62PS) MAXIMUM(6,2) SENDSIZE(2048) RECEIVESIZE(4096)";
        let got = known(text, "").unwrap();
        let mode = &got.modes[&"LU62PS".parse().unwrap()];
        assert_eq!((mode.session_limit, mode.min_winners), (6, 2));
        assert_eq!((mode.send_ru_bytes, mode.receive_ru_bytes), (2048, 4096));
        let got = known(text, "[modes.LU62PS]\nsessions = 4\n").unwrap();
        let mode = &got.modes[&"LU62PS".parse().unwrap()];
        assert_eq!((mode.session_limit, mode.send_ru_bytes), (4, 2048));
    }

    #[test]
    fn sessions_that_cannot_be_are_errors_with_their_place() {
        for wrong in [
            "MAXIMUM(0,0)",
            "MAXIMUM(2,3)",
            "MAXIMUM(A)",
            "SENDSIZE(255)",
            "RECEIVESIZE(30721)",
        ] {
            let text = format!("DEFINE SESSIONS(S) GROUP(A) MODENAME(M) {wrong}");
            let error = known(&text, "").unwrap_err().to_string();
            assert!(error.starts_with("SESSIONS(S), line 1"), "{error}");
        }
        // SESSIONS with another PROTOCOL are not checked.
        let other = "DEFINE SESSIONS(S) GROUP(A) MODENAME(M) PROTOCOL(LU61) SENDSIZE(1)";
        known(other, "").unwrap();
    }
}
