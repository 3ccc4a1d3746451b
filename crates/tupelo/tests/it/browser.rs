//! A headless Chromium that tests speak to, through its debugging pipe: two
//! descriptors with one JSON message after another, each ended by a zero byte.
//!
//! Reference: the Chrome DevTools Protocol, domains Target, Page and Runtime.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The browser, by the names that systems give it.
pub fn name() -> Option<&'static str> {
    let there = |name: &&str| {
        let mut command = Command::new(name);
        command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(there)
}

/// A page that scripts are run on.
pub struct BrowserPage {
    browser: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    sent: u64,
    _profile: tempfile::TempDir,
}

impl BrowserPage {
    /// Opens an address in a browser of its own.
    pub fn open(browser: &str, url: &str) -> BrowserPage {
        let profile = tempfile::tempdir().unwrap();
        // The browser reads descriptor 3 and writes descriptor 4.
        let script = "exec \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>&1";
        let mut browser = Command::new("sh")
            .args(["-c", script, "sh", browser])
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--remote-debugging-pipe", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-sync"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (browser.stdin.take(), browser.stdout.take());
        let mut page = BrowserPage {
            browser,
            to: to.unwrap(),
            from: BufReader::new(from.unwrap()),
            session: None,
            sent: 0,
            _profile: profile,
        };
        let made = page.ask("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": made["targetId"], "flatten": true});
        let attached = page.ask("Target.attachToTarget", target);
        page.session = attached["sessionId"].as_str().map(str::to_owned);
        page.ask("Page.enable", json!({}));
        page.ask("Page.navigate", json!({"url": url}));
        while page.next()["method"] != "Page.loadEventFired" {}
        page
    }

    /// Gives the window a width, and the light or dark that its reader has chosen,
    /// and opens an address in it.
    pub fn open_as(&mut self, url: &str, width: u32, dark: bool) {
        let metrics = json!({
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.ask("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let media = json!({ "features": features });
        self.ask("Emulation.setEmulatedMedia", media);
        // Another address with the same page would only move in it.
        self.ask("Page.navigate", json!({"url": "about:blank"}));
        while self.next()["method"] != "Page.loadEventFired" {}
        self.ask("Page.navigate", json!({"url": url}));
        while self.next()["method"] != "Page.loadEventFired" {}
    }

    /// The text with which a script's promise is resolved.
    pub fn run(&mut self, script: &str) -> String {
        let what = json!({
            "expression": script, "awaitPromise": true, "returnByValue": true,
        });
        let answer = self.ask("Runtime.evaluate", what);
        let value = answer["result"]["value"].as_str();
        value.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Sends a command, and waits for its answer.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut command = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        self.to
            .write_all(format!("{command}\0").as_bytes())
            .unwrap();
        loop {
            let answer = self.next();
            if answer["id"] == self.sent {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// The next message: an answer or an event.
    fn next(&mut self) -> Value {
        let mut message = Vec::new();
        let read = self.from.read_until(0, &mut message).unwrap();
        assert!(read > 0, "the browser has ended");
        message.pop();
        serde_json::from_slice(&message).unwrap()
    }
}

impl Drop for BrowserPage {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}
