//! The served documents tell the truth: schemathesis makes requests from them
//! and holds the answers against them.
//!
//! It is run when it is there: as `schemathesis` in the PATH, or where
//! `SCHEMATHESIS` says (`pip install schemathesis`). With `SCHEMATHESIS` set, a
//! program that is missing fails the test.

use std::process::Command;

use crate::program::text;
use crate::server::{Server, example};

/// A program refuses valid requests for reasons of its own, such as a withdrawal
/// without funds, and says so with 422: the checks do not expect that by
/// themselves.
/// Text is of the region's code page, which no document can say.
const SETTINGS: &str = r#"
[generation]
codec = "ascii"
[checks]
positive_data_acceptance.expected-statuses = ["2xx", "3xx", "404", "409", "422", "5xx"]
"#;

#[test]
fn the_bank_s_document_says_what_its_server_does() {
    let asked = std::env::var_os("SCHEMATHESIS");
    let program = asked.clone().unwrap_or_else(|| "schemathesis".into());
    match Command::new(&program).arg("--version").output() {
        Ok(version) if version.status.success() => {}
        other => {
            assert!(asked.is_none(), "{program:?} cannot be run: {other:?}");
            println!("skipped: there is no schemathesis");
            return;
        }
    }
    let bank = Server::start(&example("bank"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("schemathesis.toml"), SETTINGS).unwrap();
    let document = format!("http://{}/apis/accounts/openapi.json", bank.admin);
    let url = format!("http://{}/bank", bank.gateway);
    let checks = ["--checks", "all", "--max-examples", "40", "--seed", "7"];
    let run = Command::new(&program)
        .current_dir(folder.path())
        .args(["run", &document, "--url", &url])
        .args(checks)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", text(&run.stdout));
}

#[test]
fn the_dashboard_asks_for_figures_that_there_are() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let known = read("docs/reference/metrics.md");
    let dashboard = read("deploy/grafana/tupelo.json");
    serde_json::from_str::<serde_json::Value>(&dashboard).unwrap();
    let word = |c: char| c.is_ascii_lowercase() || c == '_';
    let asked = dashboard.match_indices("tupelo_").map(|(at, _)| {
        let name = &dashboard[at..];
        &name[..name.find(|c| !word(c)).unwrap()]
    });
    let mut count = 0;
    for name in asked {
        let name = name.trim_end_matches("_bucket");
        assert!(known.contains(&format!("`{name}`")), "{name}");
        count += 1;
    }
    assert!(count > 20);
}
