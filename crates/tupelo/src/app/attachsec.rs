//! ATTACHSEC: the user and password that a partner's Attaches must carry.
//!
//! The level is an attribute of the CONNECTION whose NETNAME is the partner's. The
//! node checks passwords, and accepts a user without one only from a trusted
//! partner. This module decides which partners are trusted, which users they must
//! name, and which user their tasks run for.
//!
//! Reference: CICS RACF security guide, attach-time security of LU6.2.

use appc::AppcConfig;
use cics::csd::OtherDef;
use miette::{Result, bail};
use region::UserId;

/// The levels of all connections that have one.
#[derive(Debug, Clone, Default)]
pub struct AttachSecurity(Vec<AttachRule>);

#[derive(Debug, Clone)]
struct AttachRule {
    net_name: String,
    level: AttachLevel,
    /// USEDFLTUSER: an Attach without a user is accepted.
    default_user: bool,
    /// SECURITYNAME: the user of tasks whose Attach names no user.
    link_user: Option<UserId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttachLevel {
    /// Attaches need no user; a user in an Attach is ignored.
    Local,
    /// A user that the partner has verified.
    Identify,
    /// A user and a password.
    Verify,
}

impl AttachSecurity {
    /// Reads the levels of the CONNECTION definitions.
    pub fn read<'d>(definitions: impl IntoIterator<Item = &'d OtherDef>) -> Result<AttachSecurity> {
        let mut rules = Vec::new();
        for def in definitions {
            let value = |name: &str| super::known::attribute(def, name);
            let (Some(net_name), Some(level)) = (value("NETNAME"), value("ATTACHSEC")) else {
                continue;
            };
            let place = format!("CONNECTION({}), line {}", def.name, def.line);
            let level = match level.to_ascii_uppercase().as_str() {
                "LOCAL" => AttachLevel::Local,
                "IDENTIFY" => AttachLevel::Identify,
                "VERIFY" => AttachLevel::Verify,
                "PERSISTENT" | "MIXIDPE" => {
                    bail!(
                        help = "VERIFY asks for the password with every Attach",
                        "{place}: ATTACHSEC({level}) is not supported"
                    );
                }
                _ => {
                    bail!(
                        help = "LOCAL, IDENTIFY or VERIFY",
                        "{place}: ATTACHSEC({level}) is not a level"
                    );
                }
            };
            let link_user = match value("SECURITYNAME").map(str::parse) {
                Some(Err(_)) => {
                    bail!("{place}: SECURITYNAME is not a user id");
                }
                Some(Ok(user)) => Some(user),
                None => None,
            };
            rules.push(AttachRule {
                net_name: net_name.to_owned(),
                level,
                default_user: value("USEDFLTUSER").is_some_and(|v| v.eq_ignore_ascii_case("YES")),
                link_user,
            });
        }
        Ok(AttachSecurity(rules))
    }

    /// Marks the partners that the node trusts to name a user without a password.
    pub fn apply(&self, section: &mut AppcConfig) {
        for (name, partner) in &mut section.partners {
            if let Some(rule) = self.rule(name) {
                partner.trusted = rule.level == AttachLevel::Identify;
            }
        }
    }

    /// The user that the task of an Attach by `partner` runs for, when the Attach names
    /// `named`; `default` is the region's default user. Returns `None` if the Attach must
    /// be rejected.
    pub fn user(&self, partner: &str, named: Option<&str>, default: UserId) -> Option<UserId> {
        let named = named.map(str::parse);
        let Some(rule) = self.rule(partner) else {
            // An invalid user id does not fall back to another user.
            return Some(named.and_then(Result::ok).unwrap_or(default));
        };
        let link = rule.link_user.unwrap_or(default);
        match (rule.level, named) {
            (AttachLevel::Local, _) => Some(link),
            (_, Some(named)) => named.ok(),
            (_, None) => rule.default_user.then_some(link),
        }
    }

    fn rule(&self, partner: &str) -> Option<&AttachRule> {
        let own = partner.rsplit('.').next().unwrap_or(partner);
        self.0.iter().find(|rule| {
            let name = rule.net_name.as_str();
            name.eq_ignore_ascii_case(partner) || name.eq_ignore_ascii_case(own)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn security(attributes: &str) -> Result<AttachSecurity> {
        let text = format!("DEFINE CONNECTION(PEER) GROUP(A) NETNAME(PEER) {attributes}");
        let (found, diagnostics) = cics::csd::definitions(&text);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        AttachSecurity::read(&found)
    }

    #[test]
    fn each_level_takes_and_refuses_what_it_must() {
        let default: UserId = "DEFAULT".parse().unwrap();
        let cases = [
            ("", "NET.PEER", None, Some("DEFAULT")),
            ("", "NET.PEER", Some("ALICE"), Some("ALICE")),
            ("ATTACHSEC(LOCAL)", "NET.PEER", None, Some("DEFAULT")),
            (
                "ATTACHSEC(LOCAL)",
                "NET.PEER",
                Some("ALICE"),
                Some("DEFAULT"),
            ),
            (
                "ATTACHSEC(LOCAL) SECURITYNAME(LINKUSR)",
                "NET.PEER",
                None,
                Some("LINKUSR"),
            ),
            ("ATTACHSEC(VERIFY)", "NET.PEER", None, None),
            (
                "ATTACHSEC(VERIFY)",
                "NET.PEER",
                Some("ALICE"),
                Some("ALICE"),
            ),
            ("ATTACHSEC(VERIFY)", "NET.OTHER", None, Some("DEFAULT")),
            ("ATTACHSEC(IDENTIFY)", "NET.PEER", None, None),
            (
                "ATTACHSEC(IDENTIFY)",
                "NET.PEER",
                Some("TOOLONGFORAUSER"),
                None,
            ),
            (
                "ATTACHSEC(VERIFY) USEDFLTUSER(YES)",
                "NET.PEER",
                None,
                Some("DEFAULT"),
            ),
        ];
        for (attributes, partner, user, expected) in cases {
            let got = security(attributes).unwrap();
            let got = got.user(partner, user, default);
            let expected = expected.map(|user| user.parse().unwrap());
            assert_eq!(got, expected, "{attributes} {partner} {user:?}");
        }
    }

    #[test]
    fn only_identify_trusts_and_levels_that_are_not_served_are_errors() {
        let mut section = AppcConfig::named("NET.REGION").unwrap();
        let partner = appc::config::PartnerConfig {
            trusted: true,
            ..Default::default()
        };
        section.partners.insert("NET.PEER".into(), partner);
        for (level, trusted) in [("VERIFY", false), ("IDENTIFY", true), ("LOCAL", false)] {
            let found = security(&format!("ATTACHSEC({level})")).unwrap();
            found.apply(&mut section);
            assert_eq!(section.partners["NET.PEER"].trusted, trusted, "{level}");
        }
        for wrong in ["PERSISTENT", "MIXIDPE", "NONSENSE"] {
            let error = security(&format!("ATTACHSEC({wrong})")).unwrap_err();
            assert!(
                error.to_string().contains("CONNECTION(PEER), line 1"),
                "{error}"
            );
        }
    }
}
