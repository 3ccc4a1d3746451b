//! Policies: rules on a request that choose the connection, the transaction
//! and the code page of its program.
//!
//! A policy is a rule set in the format of z/OS Connect's, so that an existing
//! file can be used unchanged. A rule holds when all of its conditions do;
//! rules are evaluated in their order, and the first that sets a property
//! decides it. In addition to `header` there are Tupelo's conditions `path`,
//! `method`, `user` and `role`.
//!
//! Reference: z/OS Connect, "Format of a rule set", "Valid properties for use
//! in policy rules".

mod path;
mod read;

use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::project::page;
use crate::security::CallerIdentity;
use http::request::Parts;
use http::{HeaderName, Method};
use path::{NormalizedPath, PathPattern};
use region::TransId;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A rule set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyRules {
    file: PathBuf,
    rules: Vec<Rule>,
    warnings: ProjectDiagnostics,
}

/// Which policy applies to which API: one of its own, or the one for all
/// others.
#[derive(Debug, Clone, Default)]
pub struct PolicySet {
    /// For every API without one of its own.
    pub global: Option<Arc<PolicyRules>>,
    /// By the name of the API.
    pub specific: std::collections::BTreeMap<String, Arc<PolicyRules>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    name: String,
    at: FilePosition,
    conditions: Vec<Condition>,
    sets: Vec<PropertyChange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Condition {
    /// A header with one of these values; with any value if the list is absent.
    Header(HeaderName, Option<Vec<String>>),
    /// The request's whole path; `*` at the end matches the rest.
    Path(Vec<PathPattern>),
    Method(Vec<Method>),
    /// The name of the caller.
    User(Vec<String>),
    /// A role of the caller.
    Role(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PropertyChange {
    property: Property,
    value: Vec<ValuePart>,
    at: FilePosition,
}

/// A property that a rule can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Property {
    Connection,
    Transaction,
    Ccsid,
}

/// A part of a value: as it is written, or the value of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ValuePart {
    Text(String),
    Header(HeaderName),
}

/// The choices of a policy for one request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PolicyChoice {
    pub connection: Option<String>,
    pub transid: Option<TransId>,
    /// The mainframe's code page that data has there.
    pub ccsid: Option<u16>,
}

impl PolicySet {
    /// The policy of an API.
    pub(crate) fn of(&self, api: &str) -> Option<&Arc<PolicyRules>> {
        self.specific.get(api).or(self.global.as_ref())
    }

    /// Paths of rules that no operation has, each with its place, of the APIs by
    /// name with the paths of their operations: such a rule never holds.
    pub fn stray_paths(&self, apis: &[(&str, Vec<String>)]) -> ProjectDiagnostics {
        let mut out = ProjectDiagnostics::default();
        let all = self.specific.values().chain(self.global.as_ref());
        let mut seen: Vec<&Arc<PolicyRules>> = Vec::new();
        for policy in all {
            if seen.iter().any(|before| Arc::ptr_eq(before, policy)) {
                continue;
            }
            seen.push(policy);
            // One may be for several.
            let is_for = |api: &str| self.of(api).is_some_and(|own| Arc::ptr_eq(own, policy));
            let apis = apis.iter().filter(|(name, _)| is_for(name));
            let paths: Vec<&str> = apis.flat_map(|(_, paths)| paths).map(|p| &**p).collect();
            policy.stray_paths(&paths, &mut out);
        }
        out
    }
}

impl PolicyRules {
    /// Reads a rule set.
    ///
    /// # Errors
    /// All that is wrong with it, each with its line and what would do.
    pub fn load(file: &Path) -> Result<PolicyRules, ProjectDiagnostics> {
        let mut out = ProjectDiagnostics::default();
        let text = match sources::read_to_string(file) {
            Ok(text) => text,
            Err(e) => {
                out.error(
                    file,
                    FilePosition::default(),
                    format!("cannot be read: {e}"),
                );
                return Err(out);
            }
        };
        PolicyRules::parse(file, &text)
    }

    /// As above from a text; `file` is for messages.
    ///
    /// # Errors
    /// As [`load`](PolicyRules::load).
    pub fn parse(file: &Path, text: &str) -> Result<PolicyRules, ProjectDiagnostics> {
        let mut out = ProjectDiagnostics::default();
        let rules = read::rules(file, text, &mut out);
        if out.has_errors() {
            Err(out)
        } else {
            Ok(PolicyRules {
                file: file.to_owned(),
                rules,
                warnings: out,
            })
        }
    }

    /// Problems that do not prevent its use.
    pub fn warnings(&self) -> &ProjectDiagnostics {
        &self.warnings
    }

    /// Connections that rules name and `known` does not contain, each with its
    /// place.
    pub fn unknown_connections(&self, known: impl Fn(&str) -> bool) -> ProjectDiagnostics {
        let mut out = ProjectDiagnostics::default();
        for set in self.rules.iter().flat_map(|rule| &rule.sets) {
            if let (Property::Connection, [ValuePart::Text(name)]) = (set.property, &*set.value)
                && !known(name)
            {
                let message = format!("no connection or group {name}");
                let help = format!("define it with [ipconn.connections.{name}] in tupelo.toml");
                out.error_help(&self.file, set.at, message, help);
            }
        }
        out
    }

    /// Code pages that rules choose, each with its place: they mean nothing
    /// where there is no connection to a mainframe.
    pub fn idle_code_pages(&self) -> ProjectDiagnostics {
        let mut out = ProjectDiagnostics::default();
        for set in self.rules.iter().flat_map(|rule| &rule.sets) {
            if set.property == Property::Ccsid {
                let message = "cicsCcsid is not applied: data is in the region's code page";
                let help = "it applies to connections of [mainframe] in tupelo.toml".to_owned();
                out.warn_help(&self.file, set.at, message.to_owned(), Some(help));
            }
        }
        out
    }

    /// Rules about callers: they never hold if callers are not identified.
    pub fn rules_about_callers(&self) -> ProjectDiagnostics {
        let mut out = ProjectDiagnostics::default();
        let about = |c: &Condition| matches!(c, Condition::User(_) | Condition::Role(_));
        for rule in self.rules.iter().filter(|r| r.conditions.iter().any(about)) {
            let at = rule
                .sets
                .first()
                .map_or(FilePosition::default(), |set| set.at);
            let message = format!(
                "the rule {} never holds: callers are not authenticated",
                rule.name
            );
            let help = "callers need users, tokens or client certificates: see the security page";
            out.warn_help(&self.file, at, message, Some(help.to_owned()));
        }
        out
    }

    fn stray_paths(&self, operations: &[&str], out: &mut ProjectDiagnostics) {
        for rule in &self.rules {
            let patterns = rule.conditions.iter().filter_map(|c| match c {
                Condition::Path(patterns) => Some(patterns),
                _ => None,
            });
            for pattern in patterns.flatten() {
                if operations.iter().any(|path| pattern.may_hold(path)) {
                    continue;
                }
                let message = format!(
                    "no operation matches the path {pattern} of the rule {}",
                    rule.name
                );
                let help = "the path must match the whole path of a request, including the base \
                    path: /bank/accounts/*";
                out.warn_help(&self.file, rule.at, message, Some(help.to_owned()));
            }
        }
    }

    /// The choices of the rules for a request.
    ///
    /// # Errors Why a header's value cannot be used.
    pub(crate) fn choose(
        &self,
        parts: &Parts,
        caller: Option<&CallerIdentity>,
        known: impl Fn(&str) -> bool,
    ) -> Result<PolicyChoice, String> {
        let mut choice = PolicyChoice::default();
        let (mut transid, mut ccsid) = (None, None);
        for rule in &self.rules {
            if !rule.conditions.iter().all(|c| c.holds(parts, caller)) {
                continue;
            }
            for set in &rule.sets {
                let place = match set.property {
                    Property::Connection => &mut choice.connection,
                    Property::Transaction => &mut transid,
                    Property::Ccsid => &mut ccsid,
                };
                if place.is_none() {
                    *place = Some(set.value(parts));
                }
            }
        }
        let name = |text: String| match TransId::new(&text) {
            Ok(name) if read::is_transid(&text) => Ok(name),
            _ => Err(format!("{text:?} is not a valid transaction name")),
        };
        choice.transid = transid.map(name).transpose()?;
        if let Some(name) = choice.connection.as_ref().filter(|name| !known(name)) {
            return Err(format!("no connection {name:?}"));
        }
        choice.ccsid = ccsid.map(|text| page::ccsid(&text)).transpose()?;
        Ok(choice)
    }
}

impl Condition {
    fn holds(&self, parts: &Parts, caller: Option<&CallerIdentity>) -> bool {
        match self {
            Condition::Header(name, None) => parts.headers.contains_key(name),
            Condition::Header(name, Some(values)) => {
                let mut given = parts.headers.get_all(name).iter();
                given.any(|g| values.iter().any(|v| v.as_bytes() == g.as_bytes()))
            }
            Condition::Path(patterns) => {
                let path = NormalizedPath::new(parts.uri.path());
                patterns.iter().any(|pattern| pattern.holds(&path))
            }
            Condition::Method(methods) => methods.contains(&parts.method),
            Condition::User(names) => caller.is_some_and(|who| names.contains(&who.name)),
            Condition::Role(roles) => {
                caller.is_some_and(|who| who.roles.iter().any(|r| roles.contains(r)))
            }
        }
    }
}

impl PropertyChange {
    fn value(&self, parts: &Parts) -> String {
        let text = |piece: &ValuePart| match piece {
            ValuePart::Text(text) => text.clone(),
            ValuePart::Header(name) => {
                let value = parts.headers.get(name).map(|v| v.as_bytes());
                String::from_utf8_lossy(value.unwrap_or_default()).into_owned()
            }
        };
        self.value.iter().map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<ruleset>
  <rule name="groupOne">
    <conditions><header name="group" value="A, B"/><header name="test" match="ANY_VALUE"/></conditions>
    <actions><set property="cicsConnectionRef" value="one"/></actions>
  </rule>
  <rule name="country">
    <conditions><header name="Country" match="ANY_VALUE"/></conditions>
    <actions><set property="cicsTransId" value="TR${country}"/></actions>
  </rule>
  <rule name="clerks">
    <conditions><path value="/bank/*"/><role value="clerk"/><method value="get"/></conditions>
    <actions><set property="cicsConnectionRef" value="two"/><set property="cicsTransId" value="CLRK"/></actions>
  </rule>
</ruleset>"#;

    fn choose(
        path: &str,
        headers: &[(&str, &str)],
        role: Option<&str>,
    ) -> Result<PolicyChoice, String> {
        let policy = PolicyRules::parse(Path::new("p.xml"), RULES).unwrap();
        let mut request = http::Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let parts = request.body(()).unwrap().into_parts().0;
        let who = role.map(|role| CallerIdentity {
            name: "ada".into(),
            user_id: None,
            roles: vec![role.into()],
        });
        policy.choose(&parts, who.as_ref(), |name| name != "gone")
    }

    #[test]
    fn a_rule_holds_when_all_its_conditions_do_and_the_first_decides() {
        let chosen = choose("/x", &[("group", "B"), ("test", "")], None).unwrap();
        assert_eq!(chosen.connection.as_deref(), Some("one"));
        assert_eq!(
            choose("/x", &[("group", "B")], None),
            Ok(PolicyChoice::default())
        );
        let both = [("group", "A"), ("test", "1")];
        let chosen = choose("/bank/accounts", &both, Some("clerk")).unwrap();
        assert_eq!(chosen.connection.as_deref(), Some("one"));
        assert_eq!(chosen.transid, Some(TransId::from_bytes(*b"CLRK")));
        assert_eq!(
            choose("/bank/a", &[], Some("chief")),
            Ok(PolicyChoice::default())
        );
        assert_eq!(choose("/bank/a", &[], None), Ok(PolicyChoice::default()));
    }

    #[test]
    fn a_header_is_put_into_a_value_and_an_impossible_one_is_reported() {
        let chosen = choose("/x", &[("country", "SE")], None).unwrap();
        assert_eq!(chosen.transid, Some(TransId::from_bytes(*b"TRSE")));
        let why = choose("/x", &[("country", "SWEDEN")], None).unwrap_err();
        assert!(why.contains("TRSWEDEN"), "{why}");
    }

    #[test]
    fn mistakes_are_reported_with_line_and_fix() {
        let wrong = "<ruleset>\n <rule name=\"a\">\n  <conditions><heeder name=\"x\" value=\"1\"/></conditions>\n  \
            <actions><set property=\"cicsTransID\" value=\"ABCDE\"/></actions>\n </rule>\n <rule>\n  \
            <conditions/><actions><set property=\"cicsTransId\" value=\"TOOLONG\"/>\n  \
            <set property=\"cicsConnectionRef\" value=\"${y}\"/></actions></rule>\n</ruleset>";
        let reported = PolicyRules::parse(Path::new("p.xml"), wrong)
            .unwrap_err()
            .to_string();
        for part in [
            "p.xml:3:15: error: <heeder> is not a condition",
            "did you mean header?",
            "p.xml:4:12: error: cicsTransID is not a property",
            "did you mean cicsTransId?",
            "p.xml:6:2: error: the rule has no name",
            "p.xml:7:3: error: the rule has no conditions",
            "p.xml:7:25: error: \"TOOLONG\" is not a valid transaction name",
            "p.xml:8:3: error: ${y}: this rule has no condition for the header y",
        ] {
            assert!(reported.contains(part), "{part}\n{reported}");
        }
        let policy = PolicyRules::parse(Path::new("p.xml"), RULES).unwrap();
        let unknown = policy.unknown_connections(|name| name == "one").to_string();
        assert!(
            unknown.contains("p.xml:13:14: error: no connection or group two"),
            "{unknown}"
        );
    }

    /// A rule set of one rule.
    fn rule(conditions: &str, sets: &str) -> String {
        format!(
            "<ruleset><rule name=\"a\"><conditions>{conditions}</conditions>\
             <actions>{sets}</actions></rule></ruleset>"
        )
    }

    #[test]
    fn a_rule_that_matches_no_request_or_does_nothing_is_an_error() {
        let set = "<set property=\"cicsTransId\" value=\"A\"/>";
        for (condition, reported) in [
            ("<method value=\"GTE\"/>", "\"GTE\" is not a method"),
            ("<method value=\"GET PUT\"/>", "\"GET PUT\" is not a method"),
            ("<path value=\"/a/*/b\"/>", "no request can have the path"),
            ("<path value=\"/a/{id}\"/>", "no request can have the path"),
            (
                "<header name=\"x\" value=\"1\" match=\"ANY_VALUE\"/>",
                "and a value",
            ),
            (
                "<header name=\"x\" value=\"1\" match=\"any\"/>",
                "match=\"any\" has no meaning",
            ),
            (
                "<header name=\"x\" value=\"1\" mach=\"A\"/>",
                "did you mean match?",
            ),
            (
                "<role value=\"x\" not=\"true\"/>",
                "<role> has no attribute not",
            ),
            (
                "<role value=\"x\"><role value=\"y\"/></role>",
                "<role> is not allowed here",
            ),
        ] {
            let wrong = PolicyRules::parse(Path::new("p.xml"), &rule(condition, set));
            let wrong = wrong.unwrap_err().to_string();
            assert!(wrong.contains(reported), "{condition}\n{wrong}");
        }
        let right = rule("<path value=\"/a\"/>", set)
            .replace("<ruleset>", "<ruleset xmlns:x=\"urn:x\" x:y=\"1\">");
        assert!(PolicyRules::parse(Path::new("p.xml"), &right).is_ok());
    }

    #[test]
    fn rules_about_callers_are_named() {
        let set = "<set property=\"cicsTransId\" value=\"A\"/>";
        let reported = |condition: &str| {
            let policy = PolicyRules::parse(Path::new("p.xml"), &rule(condition, set)).unwrap();
            policy.rules_about_callers().to_string()
        };
        assert!(reported("<role value=\"clerk\"/>").contains("the rule a never holds"));
        assert_eq!(reported("<method value=\"GET\"/>"), "");
    }

    #[test]
    fn what_never_decides_is_warned_of() {
        let set = "<set property=\"cicsTransId\" value=\"A\"/>";
        let path = "<path value=\"/a\"/>";
        let warned = |text: &str| {
            let policy = PolicyRules::parse(Path::new("p.xml"), text).unwrap();
            policy.warnings().to_string()
        };
        let twice = warned(&rule(path, &format!("{set}{set}")));
        assert!(twice.contains("already sets this property"), "{twice}");
        let (wide, narrow) = (rule(path, set), format!("{path}<method value=\"GET\"/>"));
        let narrow = rule(&narrow, set);
        let both = |first: &str, second: &str| {
            let first = first.trim_end_matches("</ruleset>");
            format!("{first}{}", second.trim_start_matches("<ruleset>"))
        };
        let never = warned(&both(&wide, &narrow));
        assert!(never.contains("has no effect"), "{never}");
        assert_eq!(warned(&both(&narrow, &wide)), "");
    }

    #[test]
    fn paths_that_no_operation_has_are_reported_for_the_apis_of_a_policy() {
        let set = "<set property=\"cicsTransId\" value=\"A\"/>";
        let policy = |paths: &str| {
            let text = rule(&format!("<path value=\"{paths}\"/>"), set);
            Arc::new(PolicyRules::parse(Path::new("p.xml"), &text).unwrap())
        };
        let (bank, shop) = ("/bank/accounts/{id}".to_owned(), "/shop/items".to_owned());
        let apis = [("bank", vec![bank]), ("shop", vec![shop])];
        let mut policies = PolicySet {
            global: Some(policy("/bank/accounts/*, /shop/items, /bonk/*")),
            ..PolicySet::default()
        };
        let reported = policies.stray_paths(&apis).to_string();
        assert!(
            reported.contains("p.xml:1:10: warning: no operation"),
            "{reported}"
        );
        assert!(reported.contains("/bonk/*"), "{reported}");
        assert!(
            !reported.contains("/bank/*") && !reported.contains("/shop"),
            "{reported}"
        );
        // The bank has one of its own, so the other is for the shop alone.
        let own = policy("/shop/items");
        policies.specific.insert("bank".into(), own);
        let reported = policies.stray_paths(&apis).to_string();
        assert!(reported.contains("/bank/accounts/*"), "{reported}");
        assert!(reported.contains("/shop/items"), "{reported}");
    }

    #[test]
    fn properties_of_other_systems_are_reported_and_ignored() {
        let ims = "<ruleset><rule name=\"a\"><conditions><header name=\"x\" match=\"ANY_VALUE\"/></conditions>\
            <actions><set property=\"imsTranCode\" value=\"A\"/><set property=\"cicsCcsid\" value=\"37\"/></actions></rule></ruleset>";
        let policy = PolicyRules::parse(Path::new("p.xml"), ims).unwrap();
        let reported = policy.warnings().to_string();
        assert!(reported.contains("imsTranCode"), "{reported}");
        assert!(!reported.contains("cicsCcsid"), "{reported}");
        // The code page has an effect only with a mainframe connection.
        let reported = policy.idle_code_pages().to_string();
        assert!(reported.contains("cicsCcsid is not applied"), "{reported}");
        let choose = |policy: &PolicyRules, header: &str| {
            let request = http::Request::get("/").header("x", header);
            let parts = request.body(()).unwrap().into_parts().0;
            policy.choose(&parts, None, |_| true)
        };
        assert_eq!(choose(&policy, "a").unwrap().ccsid, Some(37));
        let by_header = ims.replace("value=\"37\"", "value=\"${x}\"");
        let policy = PolicyRules::parse(Path::new("p.xml"), &by_header).unwrap();
        assert_eq!(choose(&policy, "1047").unwrap().ccsid, Some(1047));
        assert!(choose(&policy, "ebcdic").unwrap_err().contains("CCSID"));
        let wrong = ims.replace("value=\"37\"", "value=\"3\"");
        assert!(PolicyRules::parse(Path::new("p.xml"), &wrong).is_err());
        for none in [
            "",
            "<ruleset/>",
            "<a/>",
            "<ruleset><rule",
            "<ruleset></rule>",
        ] {
            assert!(
                PolicyRules::parse(Path::new("p.xml"), none).is_err(),
                "{none}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[<>/=\"a-z $\\{\\}&;!\\-\\[\\]?]{0,120}") {
            let _ = PolicyRules::parse(Path::new("p.xml"), &text);
        }
    }
}
