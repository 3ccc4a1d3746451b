//! The served documents describe the real behaviour: schemathesis makes requests from them
//! and compares the answers with them.
//!
//! The test needs schemathesis: from `SCHEMATHESIS`, from `scripts/setup test`, or from the
//! PATH. With `SCHEMATHESIS` set, a missing program fails the test.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::text;
use crate::server::{Server, example};

/// A program may reject valid requests with 422, such as a withdrawal without funds; the
/// checks do not expect that by default. Text must fit the region's code page, which no
/// document can state. The key of a printed link, which works once, is not the token that all
/// requests have here.
const SETTINGS: &str = r#"
[generation]
codec = "ascii"
[checks]
positive_data_acceptance.expected-statuses = ["2xx", "3xx", "404", "409", "422", "5xx"]
[[operations]]
include-path = "/operator/session"
checks.positive_data_acceptance.expected-statuses = ["403"]
"#;

/// The program. Returns `None`, and reports a skipped test, if it is missing.
fn schemathesis() -> Option<PathBuf> {
    let asked = std::env::var_os("SCHEMATHESIS").map(PathBuf::from);
    let installed = root().join("target/test-tools/bin/schemathesis");
    let program = asked.clone().unwrap_or(if installed.exists() {
        installed
    } else {
        "schemathesis".into()
    });
    match Command::new(&program).arg("--version").output() {
        Ok(version) if version.status.success() => Some(program),
        other => {
            assert!(asked.is_none(), "{program:?} cannot be run: {other:?}");
            skipped::lacking("schemathesis", "it cannot be run");
            None
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_bank_s_document_says_what_its_server_does() {
    let Some(program) = schemathesis() else {
        return;
    };
    let bank = Server::start(&example("bank"));
    let document = format!("http://{}/apis/accounts/openapi.json", bank.admin);
    let url = format!("http://{}/bank", bank.gateway);
    holds(&program, &document, &url, &["--max-examples", "40"]);
}

#[test]
fn the_administration_s_document_says_what_its_port_does() {
    let Some(program) = schemathesis() else {
        return;
    };
    let bank = Server::start(&example("bank"));
    let url = format!("http://{}", bank.admin);
    let token = format!("x-tupelo-operator: {}", bank.operator_token());
    let more = ["--max-examples", "15", "-H", &token];
    holds(&program, &format!("{url}/openapi.json"), &url, &more);
}

/// Compares the answers of a server with its document.
fn holds(program: &Path, document: &str, url: &str, more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("schemathesis.toml"), SETTINGS).unwrap();
    let run = Command::new(program)
        .current_dir(folder.path())
        .args([
            "run", document, "--url", url, "--checks", "all", "--seed", "7",
        ])
        .args(more)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", text(&run.stdout));
}

#[test]
fn the_dashboard_asks_for_figures_that_there_are() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
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

#[test]
fn each_process_of_the_manifests_has_a_name_of_its_own() {
    let manifests = std::fs::read_to_string(root().join("deploy/kubernetes/tupelo.yaml")).unwrap();
    let mut served = 0;
    for command in manifests
        .lines()
        .filter(|line| line.contains("tupelo serve"))
    {
        assert!(command.contains("--applid"), "{command}");
        let script = command.rsplit_once("--applid ").unwrap().1;
        let name = script
            .trim_end_matches(['"', ']', '\\'])
            .replace("\\\"", "\"")
            + "\"";
        for (pod, applid) in [
            ("region-1", "REGION1"),
            ("gateway-7d9c8b6f5-x2k4q", "GWX2K4Q"),
        ] {
            let print = format!("hostname() {{ echo {pod}; }}; printf %s {name}");
            let output = Command::new("sh").args(["-c", &print]).output().unwrap();
            assert!(output.status.success(), "{print}: {}", text(&output.stderr));
            if manifests_kind(command) == pod.split('-').next().unwrap() {
                assert_eq!(text(&output.stdout), applid, "{print}");
                served += 1;
            }
        }
    }
    assert_eq!(served, 2);
}

/// Which of the two a command starts.
fn manifests_kind(command: &str) -> &'static str {
    if command.contains("--gateway-only") {
        "gateway"
    } else {
        "region"
    }
}
