//! The Liberty configuration that a project brings along.
//!
//! `src/main/liberty/config/*.xml` configures IBM's server: registries of
//! users, roles, TLS, policies. Tupelo has all that in `tupelo.toml`, so these
//! files have no effect; each of their settings is reported with its place in
//! `tupelo.toml`. The address of a CICS is there too; in Tupelo it belongs to a
//! connection.
//!
//! Reference: the z/OS Connect documentation, "Configuration elements"; Open
//! Liberty, "Server configuration".

use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use quick_xml::Reader;
use quick_xml::events::Event;
use std::path::{Path, PathBuf};

/// Elements below `server` that ask for nothing here.
const PLAIN: [&str; 9] = [
    "featureManager",
    "zosconnect_cicsIpicConnection",
    "zosconnect_authData",
    "variable",
    "include",
    "logging",
    "applicationManager",
    "webApplication",
    "config",
];

const USERS: &str = "`tupelo user add NAME` stores users";
const ROLES: &str = "[security.roles] and [security.apis.NAME] name roles";
const TOKENS: &str = "[security.jwt] defines which tokens are accepted";
const TLS: &str = "[gateway] has tls_certificate, tls_key and tls_client_ca";

/// Elements, and their settings in `tupelo.toml`.
const ELSEWHERE: [(&str, &str); 20] = [
    ("basicRegistry", USERS),
    ("quickStartSecurity", USERS),
    ("ldapRegistry", USERS),
    ("safRegistry", USERS),
    ("authorization-roles", ROLES),
    ("safAuthorization", ROLES),
    ("safCredentials", ROLES),
    ("mpJwt", TOKENS),
    ("jwtConsumer", TOKENS),
    ("openidConnectClient", TOKENS),
    (
        "webAppSecurity",
        "[security] has require_auth and require_secure",
    ),
    (
        "zosconnect_zosConnectManager",
        "[security] has require_auth and require_secure",
    ),
    ("ssl", TLS),
    ("sslDefault", TLS),
    ("keyStore", TLS),
    ("httpEndpoint", "[gateway] listen has the gateway's address"),
    ("cors", "[gateway] cors_origins lists the permitted origins"),
    (
        "zosconnect_policy",
        "[gateway] policy names a file of rules",
    ),
    (
        "zosconnect_auditInterceptor",
        "[audit] path names the file of audit records",
    ),
    ("zosconnect_authorizationInterceptor", ROLES),
];

/// Reports the settings in the files of a folder.
pub(super) fn check(folder: &Path, out: &mut ProjectDiagnostics) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_xml = |path: &PathBuf| {
        path.extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("xml"))
    };
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).filter(is_xml).collect();
    files.sort();
    for file in files {
        match sources::read_to_string(&file) {
            Ok(text) => elements(&file, &text, out),
            Err(e) => out.warn(
                &file,
                FilePosition::default(),
                format!("cannot be read: {e}"),
            ),
        }
    }
}

fn elements(file: &Path, text: &str, out: &mut ProjectDiagnostics) {
    let mut reader = Reader::from_str(text);
    let (mut depth, mut reported) = (0_usize, Vec::new());
    loop {
        let at = position(text, reader.buffer_position() as usize);
        let (name, opens) = match reader.read_event() {
            Ok(Event::Start(tag)) => (tag.name().as_ref().to_vec(), true),
            Ok(Event::Empty(tag)) => (tag.name().as_ref().to_vec(), false),
            Ok(Event::End(_)) => {
                depth = depth.saturating_sub(1);
                continue;
            }
            Ok(Event::Eof) => return,
            Ok(_) => continue,
            Err(e) => {
                out.warn(file, at, format!("not valid XML, so it is ignored: {e}"));
                return;
            }
        };
        let name = String::from_utf8_lossy(&name).into_owned();
        if depth == 1 && !PLAIN.contains(&name.as_str()) && !reported.contains(&name) {
            let message = format!("{name} configures IBM's server, and is ignored here");
            let row = ELSEWHERE.iter().find(|(element, _)| *element == name);
            let help = row.map(|(_, place)| format!("use tupelo.toml: {place}"));
            out.warn_help(file, at, message, help);
            reported.push(name);
        }
        depth += usize::from(opens);
    }
}

/// Line and column of an offset.
fn position(text: &str, offset: usize) -> FilePosition {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() as u32 + 1;
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let column = before[start..].chars().count() as u32 + 1;
    FilePosition { line, column }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(text: &str) -> String {
        let mut out = ProjectDiagnostics::default();
        elements(Path::new("server.xml"), text, &mut out);
        out.to_string()
    }

    #[test]
    fn features_of_a_server_xml_are_reported_with_their_settings_here() {
        let text = "<server>\n  <basicRegistry><user name=\"a\" password=\"b\"/></basicRegistry>\n  \
                    <authorization-roles id=\"x\"/>\n</server>";
        let found = reported(text);
        assert!(
            found.contains("server.xml:2:3: warning: basicRegistry"),
            "{found}"
        );
        assert!(found.contains("tupelo user add"), "{found}");
        assert!(
            found.contains("server.xml:3:3: warning: authorization-roles"),
            "{found}"
        );
        assert!(!found.contains("password"), "{found}");
    }

    #[test]
    fn a_connection_and_its_features_need_no_settings() {
        let text = "<server><featureManager><feature>zosconnect:cics-1.0</feature></featureManager>\
                    <zosconnect_cicsIpicConnection id=\"cicsConn\" host=\"h\" port=\"1\"/></server>";
        assert_eq!(reported(text), "");
    }

    #[test]
    fn invalid_xml_is_reported_once() {
        assert_eq!(
            reported("<server><a></b></server>")
                .matches("warning")
                .count(),
            2
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[<>/a-z&;!\\[\\]\" é\n]{0,60}") {
            reported(&text);
        }
    }
}
