//! The terminal's page in a headless Chromium, and the requests that its server rejects.

use super::*;
use crate::browser;

/// Does steps on the page: waits for texts, presses keys, pastes. Returns the
/// screen's text.
const STEPS: &str = r##"(async (steps) => {
  const screen = document.getElementById("screen");
  const text = () => [...screen.children].map((row) => row.textContent).join("\n");
  const late = Date.now() + 60000;
  const until = async (found, what) => {
    while (!found()) {
      if (Date.now() > late) throw new Error(`no ${what} on\n${text()}\n${document.body.innerText}`);
      await new Promise((next) => setTimeout(next, 30));
    }
  };
  const down = (key) => screen.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const clipboard = (kind, data) => screen.dispatchEvent(
    new ClipboardEvent(kind, { clipboardData: data, bubbles: true, cancelable: true }));
  let copied = "";
  for (const [what, value] of steps) {
    if (what === "see") await until(() => text().includes(value), value);
    if (what === "key") down(value);
    if (what === "type") [...value].forEach(down);
    if (what === "click") [...document.querySelectorAll("button")].find((b) => b.textContent === value).click();
    if (what === "tabs") await until(() => document.querySelectorAll("[role=tab]").length === value, value);
    if (what === "paste") {
      const data = new DataTransfer();
      data.setData("text/plain", value);
      clipboard("paste", data);
    }
    if (what === "copy") {
      const [[top, left], [bottom, right]] = value;
      const point = (row, column) => {
        for (const span of screen.children[row].children) {
          if (column <= span.textContent.length) return [span.firstChild, column];
          column -= span.textContent.length;
        }
        throw new Error("no such column");
      };
      getSelection().setBaseAndExtent(...point(top, left), ...point(bottom, right));
      const data = new DataTransfer();
      clipboard("copy", data);
      copied = data.getData("text/plain");
    }
  }
  return JSON.stringify({ text: text(), copied });
})"##;

fn steps(page: &mut browser::BrowserPage, steps: &serde_json::Value) -> serde_json::Value {
    let seen = page.run(&format!("{STEPS}({steps})"));
    serde_json::from_str(&seen).unwrap()
}

#[test]
fn a_conversation_runs_in_a_browser_with_keys_keypad_paste_copy_and_sessions() {
    let Some(name) = browser::name() else {
        return skipped::lacking("chromium", "there is no browser");
    };
    let server = Server::start(&application());
    let key = server.console_key("");
    let url = format!("http://{}/console/terminal.html{key}", server.admin);
    let mut page = browser::BrowserPage::open(name, &url);
    // Keys are typed ahead of the screens that they are for.
    let seen = steps(
        &mut page,
        &serde_json::json!([
            ["see", "terminal T001. Type a transaction"],
            ["type", "tell"],
            ["key", "Enter"],
            ["type", "1"],
            ["key", "Enter"],
            ["see", "TRANSFER"],
            ["paste", "current1\n0000075"],
            ["see", "current1"],
            ["key", "Enter"],
            ["see", "CONFIRM"],
            ["see", "Transfer        75"],
            ["type", "y"],
            ["click", "ENTER"],
            ["see", "Transferred 0000075 to current1"],
            ["copy", [[0, 30], [3, 41]]],
        ]),
    );
    assert_eq!(seen["copied"], "TELLER MENU\n\n\n", "{seen}");
    // A second session has its own terminal, and the first continues.
    let seen = steps(
        &mut page,
        &serde_json::json!([
            ["click", "New session"],
            ["see", "terminal T002"],
            ["tabs", 2],
            ["type", "CEMT I TERM"],
            ["key", "Enter"],
            ["see", "Ter(T002)"],
            ["click", "LU00T001"],
            ["see", "Transferred 0000075"],
            ["click", "PF3"],
            ["see", "Goodbye, T001"],
            ["click", "×"],
            ["tabs", 1],
        ]),
    );
    assert!(
        seen["text"].as_str().unwrap().contains("Ter(T001)"),
        "{seen}"
    );
    until("the terminal to leave", || {
        let metrics = text(&http::send(&server.admin, "GET", "/metrics", None).body);
        metrics.contains("tupelo_terminals 1")
    });
}

#[test]
fn pages_without_a_session_or_the_operators_header_get_no_terminal() {
    let server = Server::start(&application());
    let status = |method: &str, path: &str| {
        let head = http::send(&server.admin, method, path, None).head;
        head.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(status("POST", "/terminals/open?model=2"), "403");
    assert_eq!(status("GET", "/terminals/0123/screen"), "404");
    assert_eq!(status("GET", "/console/terminal.html"), "200");
    let page = http::send(&server.admin, "GET", "/console/", None);
    assert!(text(&page.body).contains("href=\"terminal.html\""));
}
