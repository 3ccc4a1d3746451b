//! Whether a change of `tupelo.toml` needs a reload or a restart.
//!
//! A reload reads these again: files, compiler settings, FCQRONLY, the folder of the API
//! projects, their policies, the APIs that programs call, scripts and their limits, the
//! listeners of sockets and the addresses that programs may use, and the partners, modes
//! and users of APPC. All other settings take effect at the start: listeners, limits, the
//! store, the node for APPC partners.

use super::config::Config;

/// Sections that a reload applies completely.
const RELOADED_SECTIONS: [&str; 3] = ["files", "compile", "requester"];
/// Single keys that a reload applies.
const RELOADED_KEYS: [(&str, &str); 18] = [
    ("region", "fc_qr_only"),
    ("gateway", "apis"),
    ("gateway", "policy"),
    ("gateway", "policies"),
    ("appc", "partners"),
    ("appc", "modes"),
    ("appc", "users"),
    ("sockets", "listeners"),
    ("sockets", "definitions"),
    ("sockets", "listen"),
    ("sockets", "connect"),
    ("sockets", "ntasks"),
    ("script", "folder"),
    ("script", "routes"),
    ("script", "transaction"),
    ("script", "memory_mib"),
    ("script", "stack_kib"),
    ("script", "runaway_ms"),
];

/// The keys that differ and take effect at the next start only, as `[section] key`,
/// sorted by name.
pub fn needed(started: &Config, now: &Config) -> Vec<String> {
    let table = |config| toml::Table::try_from(config).unwrap_or_default();
    let (started, now) = (table(started), table(now));
    let mut sections: Vec<&String> = started.keys().chain(now.keys()).collect();
    sections.sort();
    sections.dedup();
    let mut keys = Vec::new();
    for section in sections {
        if RELOADED_SECTIONS.contains(&section.as_str()) {
            continue;
        }
        let empty = toml::Table::new();
        let of = |config: &toml::Table| {
            let found = config.get(section).and_then(toml::Value::as_table);
            found.cloned().unwrap_or_else(|| empty.clone())
        };
        let (old, new) = (of(&started), of(&now));
        let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
        names.sort();
        names.dedup();
        let changed = names.into_iter().filter(|key| {
            let reloaded = RELOADED_KEYS.contains(&(section.as_str(), key.as_str()));
            !reloaded && old.get(*key) != new.get(*key)
        });
        keys.extend(changed.map(|key| format!("[{section}] {key}")));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn listeners_limits_and_the_store_need_a_restart() {
        let started = config("[gateway]\nlisten = \"127.0.0.1:8080\"");
        let now = config(
            "[gateway]\nlisten = \"127.0.0.1:8081\"\n[store]\npath = \"s\"\n[region]\nmax_tasks = 9",
        );
        let keys = ["[gateway] listen", "[region] max_tasks", "[store] path"];
        assert_eq!(needed(&started, &now), keys);
    }

    #[test]
    fn files_compiler_settings_and_the_folder_of_apis_do_not() {
        let now = config(
            "[files.A]\nkey_length = 4\n[compile]\nchecks = false\n[gateway]\napis = \"rest\"\n\
             [requester.apis.books]\nurl = \"https://books.example\"",
        );
        assert_eq!(needed(&Config::default(), &now), [""; 0]);
    }

    #[test]
    fn partners_modes_and_users_do_not_and_the_node_itself_does() {
        let started = config("[appc]\nlu = \"NET.A\"");
        let now = config(
            "[appc]\nlu = \"NET.A\"\n[appc.partners.\"NET.B\"]\n[appc.modes.M]\n[appc.users]\nU = \"P\"",
        );
        assert_eq!(needed(&started, &now), [""; 0]);
        let now = config("[appc]\nlu = \"NET.B\"");
        assert_eq!(needed(&started, &now), ["[appc] lu"]);
        assert!(needed(&Config::default(), &now).contains(&"[appc] lu".to_owned()));
    }
}
