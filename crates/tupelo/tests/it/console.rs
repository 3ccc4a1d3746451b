//! The console in a browser: its views, and APIs that are redeployed with its buttons.

use std::fs;
use std::path::Path;
use std::process::Command;

use appc::AllocateRequest;
use sna::conversation::code::PrepareToReceiveType;

use crate::browser;
use crate::http;
use crate::operator::copy;
use crate::program::{run, text};
use crate::server::{Server, application, example};

/// The document of a page after its scripts have run for a while.
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
        let url = format!("http://{}/console/{}", bank.admin, bank.console_key(name));
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
fn a_project_that_is_wrong_is_not_redeployed_and_reported_with_its_faults() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let bank = Server::start(folder.path());
    let ask = |args: &[&str]| run(&[&["api"], args, &["--admin", &bank.admin]].concat());
    let done = ask(&["redeploy", "accounts"]);
    assert_eq!(text(&done.stdout), "accounts is redeployed\n");
    let asset = asset_of(&folder.path().join("apis/accounts"));
    let right = fs::read_to_string(&asset).unwrap();
    fs::write(&asset, right.replace("cicsCommarea", "cicsComarea")).unwrap();
    let redeployed = ask(&["redeploy", "accounts"]);
    assert_eq!(redeployed.status.code(), Some(2));
    let error_text = text(&redeployed.stderr);
    for part in ["accounts is not redeployed", "did you mean cicsCommarea"] {
        assert!(error_text.contains(part), "{part}: {error_text}");
    }
    assert_eq!(bank.get("/bank/accounts/10000001").status, 200);
    assert_eq!(ask(&["redeploy", "absent"]).status.code(), Some(2));
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

/// Waits for an element, then returns the unreadable parts of a page: texts whose
/// contrast with their ground is below 4.5, and parts that the window cuts.
const UNREADABLE: &str = r#"
(async (awaited) => {
  const late = Date.now() + 60000;
  while (!document.querySelector(awaited)) {
    if (Date.now() > late) throw new Error("not shown: " + awaited);
    await new Promise((again) => setTimeout(again, 20));
  }
  // Colours that change are looked at when they have.
  for (const moving of document.getAnimations()) moving.finish();
  const parts = (colour) => {
    const all = colour.match(/[\d.]+/g).map(Number);
    return all.length < 4 ? [...all, 1] : all;
  };
  const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3]));
  const light = (c) => {
    const [r, g, b] = c.map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parts(getComputedStyle(e).backgroundColor));
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (!texts.currentNode.data.trim() || !box.width || style.visibility === "hidden") continue;
    if (element.closest("script, style, noscript, option, :disabled")) continue;
    const ground_colour = ground(element);
    const [a, b] = [light(over(parts(style.color), ground_colour)), light(ground_colour)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(`${texts.currentNode.data.trim()}: ${ratio.toFixed(2)}`);
  }
  for (const part of document.querySelectorAll("html, nav")) {
    if (part.scrollWidth > part.clientWidth + 1) found.push(`${part.tagName} is ${part.scrollWidth} wide`);
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (dark !== light(ground(document.body)) < 0.2) found.push("the ground is of the other scheme");
  return found.join("\n");
})"#;

#[test]
fn pages_can_be_read_on_a_telephone_and_a_desk_in_light_and_dark() {
    let Some(browser) = browser::name() else {
        return skipped::lacking("chromium", "there is no browser");
    };
    let bank = Server::start(&example("bank"));
    assert_eq!(bank.get("/bank/accounts/10000001").status, 200);
    let pages = [
        (
            format!("http://{}/console/{}", bank.admin, bank.console_key("apis")),
            "td button",
        ),
        (
            format!("http://{}/console/terminal.html", bank.admin),
            "#screen .row .cursor",
        ),
        (format!("http://{}/docs/", bank.gateway), ".opblock-tag"),
    ];
    let mut page = browser::BrowserPage::open(browser, "about:blank");
    for (url, awaited) in &pages {
        for (width, dark) in [(390, false), (390, true), (1280, false), (1280, true)] {
            page.open_as(url, width, dark);
            let unread = page.run(&format!("{UNREADABLE}('{awaited}')"));
            assert_eq!(unread, "", "{url} at {width}, dark {dark}");
        }
    }
}

/// Waits for a button and presses it. Returns the page's message.
const PRESSED: &str = r##"(async (label) => {
  window.confirm = () => true;
  const until = async (found) => {
    for (let i = 0; i < 300; i += 1) {
      const what = found();
      if (what) return what;
      await new Promise((next) => setTimeout(next, 100));
    }
    return { click() {}, textContent: `${label}: it does not come` };
  };
  const said = () => document.querySelector("#notice:not([hidden])");
  const button = () => [...document.querySelectorAll("td button")].find((b) => b.textContent === label);
  (await until(button)).click();
  return (await until(() => said()?.textContent.includes(":") && said())).textContent;
})"##;

#[test]
fn a_purge_that_is_refused_is_said_to_be() {
    let Some(browser) = browser::name() else {
        return skipped::lacking("chromium", "there is no browser");
    };
    let program = include_str!("../../testdata/programs/console/SLEEPS.cbl");
    let folder = application(&[
        ("cobol/SLEEPS.cbl", program),
        (
            "resources.csd",
            "DEFINE TRANSACTION(SLEP) GROUP(A) PROGRAM(SLEEPS)\n\
             DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n\
             DEFINE TRANSACTION(LOAN) GROUP(A) PROGRAM(LOAN)\n",
        ),
    ]);
    let server = Server::start(folder.path());
    let token = server.operator_token();
    let start = format!(
        "POST /transactions/SLEP/start HTTP/1.1\r\nhost: x\r\n\
         x-tupelo-operator: {token}\r\nconnection: close\r\n\r\n"
    );
    let started = http::raw(&server.admin, start.as_bytes()).unwrap();
    assert_eq!(started.status, 200);
    let key = || server.console_key("tasks");
    let url = || format!("http://{}/console/{}", server.admin, key());
    let mut page = browser::BrowserPage::open(browser, &url());
    let said = page.run(&format!("{PRESSED}('purge')"));
    assert!(said.contains("refused"), "{said}");
    let mut page = browser::BrowserPage::open(browser, &url());
    let said = page.run(&format!("{PRESSED}('force')"));
    assert!(said.ends_with(": done"), "{said}");
}

#[test]
fn conversations_and_sessions_are_shown_and_ended() {
    let Some(browser) = browser::name() else {
        return skipped::lacking("chromium", "there is no browser");
    };
    let (_folder, server, node) = crate::appc::echo();
    let mut conversation = node
        .allocate(&AllocateRequest::new("NET.REGION", "ECHO"))
        .unwrap();
    let mut buffer = vec![0; 4000];
    conversation.send(b"hello").unwrap();
    let flush = PrepareToReceiveType::Flush;
    conversation.prepare_to_receive(flush).unwrap();
    // The program has answered, and waits for the next record.
    assert_eq!(conversation.receive(&mut buffer).unwrap().len, 5);
    let key = server.console_key("terminals");
    let url = format!("http://{}/console/{key}", server.admin);
    let own = format!(
        "http://{}/console/{}",
        server.admin,
        server.console_key("terminals")
    );
    let shown = shown(browser, &own);
    for part in [
        "data-shown=\"terminals\"",
        "Idle 3270 terminals are not listed",
        "<td>conversation</td><td class=\"code\">ECHO</td>",
        "<td class=\"code\">NET.PEER</td>",
        "in use",
        ">force</button>",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let mut page = browser::BrowserPage::open(browser, "about:blank");
    for (width, dark) in [(390, false), (390, true), (1280, false), (1280, true)] {
        page.open_as(&url, width, dark);
        let unread = page.run(&format!("{UNREADABLE}('td button')"));
        assert_eq!(unread, "", "at {width}, dark {dark}");
    }
    let said = page.run(&format!("{PRESSED}('force')"));
    assert!(said.ends_with(": done"), "{said}");
    // A turn that the program gave before may still arrive.
    let ended = (0..2).any(|_| conversation.receive(&mut buffer).is_err());
    assert!(
        ended
            || conversation
                .send(b"more")
                .and_then(|_| conversation.confirm().map(drop))
                .is_err()
    );
    let partners = http::send(&server.admin, "GET", "/partners", None).json();
    assert_eq!(partners["lu"], "NET.REGION");
    let bank = Server::start(&example("bank"));
    let none = http::send(&bank.admin, "GET", "/partners", None);
    assert_eq!((none.status, none.json()), (200, serde_json::Value::Null));
}
