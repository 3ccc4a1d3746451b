//! The console in a browser, and what it does by hand: APIs are redeployed.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::browser;
use crate::http;
use crate::operator::copy;
use crate::program::{run, text};
use crate::server::{Server, example};

/// What a page has become once its scripts have run for a while.
fn shown(browser: &str, url: &str) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg("--virtual-time-budget=15000")
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(url)
        .output()
        .unwrap();
    text(&output.stdout)
}

#[test]
fn the_console_shows_apis_files_and_the_log_in_a_browser() {
    let Some(browser) = browser::name() else {
        return skipped::lacking("chromium", "there is no browser");
    };
    let bank = Server::start(&example("bank"));
    assert_eq!(bank.get("/bank/accounts/10000001").status, 200);
    let page = |name: &str| {
        let url = format!("http://{}/console/#{name}", bank.admin);
        let page = shown(browser, &url);
        assert!(
            page.contains(&format!("data-shown=\"{name}\"")),
            "{name}: {page}"
        );
        assert!(page.contains("class=\"good\">up</p>"), "{page}");
        page
    };
    let overview = page("overview");
    assert!(
        overview.contains("GET /bank/accounts/{number}"),
        "{overview}"
    );
    let apis = page("apis");
    for part in [
        "accounts",
        "ACCTINQ",
        ">stop</button>",
        ">redeploy</button>",
    ] {
        assert!(apis.contains(part), "{part}: {apis}");
    }
    assert!(page("resources").contains("ACCTFILE"));
    assert!(page("tasks").contains("No task is active."));
    assert!(page("regions").contains("This process calls no other region."));
    page("log");
}

#[test]
fn a_project_that_is_wrong_is_not_redeployed_and_told_with_its_faults() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let bank = Server::start(folder.path());
    let ask = |args: &[&str]| run(&[&["api"], args, &["--admin", &bank.admin]].concat());
    let done = ask(&["redeploy", "accounts"]);
    assert_eq!(text(&done.stdout), "accounts is redeployed\n");
    let asset = asset_of(&folder.path().join("apis/accounts"));
    let right = fs::read_to_string(&asset).unwrap();
    fs::write(&asset, right.replace("cicsCommarea", "cicsComarea")).unwrap();
    let told = ask(&["redeploy", "accounts"]);
    assert_eq!(told.status.code(), Some(2));
    let told = text(&told.stderr);
    for part in ["accounts is not redeployed", "did you mean cicsCommarea"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(bank.get("/bank/accounts/10000001").status, 200);
    assert_eq!(ask(&["redeploy", "nobody"]).status.code(), Some(2));
    let one = ["--operation", "GET /accounts/{number}"];
    let stopped = ask(&[&["stop", "accounts"][..], &one].concat());
    assert_eq!(
        text(&stopped.stdout),
        "GET /accounts/{number} of accounts is stopped\n"
    );
    assert_eq!(bank.get("/bank/accounts/10000001").status, 503);
    assert_eq!(bank.get("/bank/accounts").status, 200);
    let listed = text(&ask(&["list"]).stdout);
    assert_eq!(listed.matches("stopped").count(), 1, "{listed}");
    let page = http::send(&bank.admin, "GET", "/logs?last=50", None);
    assert!(page.head.contains("200"), "{}", page.head);
}

/// The first asset of a COMMAREA program.
fn asset_of(project: &Path) -> std::path::PathBuf {
    let assets = fs::read_dir(project.join("src/main/zosAssets")).unwrap();
    let mut files = assets.map(|asset| asset.unwrap().path().join("zosAsset.yaml"));
    let commarea = |file: &std::path::PathBuf| {
        fs::read_to_string(file).is_ok_and(|text| text.contains("cicsCommarea"))
    };
    files.find(commarea).expect("an asset with a COMMAREA")
}
