//! `tupelo appc serve` as a process, and the output of commands that use it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::program::{tupelo, until};

/// A `tupelo appc serve` of the test's own; dropping it kills it.
pub struct Node {
    pub child: Child,
    /// Where DLSw partners connect.
    pub at: String,
    /// Its status address.
    pub admin: String,
}

impl Node {
    pub fn start() -> Node {
        Node::configured("")
    }

    /// Starts a node with additional keys in its configuration.
    pub fn configured(more: &str) -> Node {
        Node::started(more, Stdio::inherit())
    }

    /// With its standard error piped.
    pub fn start_with_stderr() -> Node {
        Node::configured_with_stderr("")
    }

    /// With its standard error piped and these keys more.
    pub fn configured_with_stderr(more: &str) -> Node {
        Node::started(more, Stdio::piped())
    }

    fn started(more: &str, stderr: Stdio) -> Node {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("[appc]\nlu = \"NET.SERVER\"\n{more}")).unwrap();
        let mut child = tupelo()
            .args(["appc", "serve", "--listen", "127.0.0.1:0"])
            .args(["--admin", "127.0.0.1:0", "--config"])
            .arg(file.path())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        assert_eq!(
            lines.next().unwrap().unwrap(),
            "Programs: APINGD, FILETRAN, INQUIRY"
        );
        let addresses = first.strip_prefix("NET.SERVER: DLSw on ").unwrap();
        let (at, admin) = addresses.split_once(", status on ").unwrap();
        Node {
            at: at.to_owned(),
            admin: admin.to_owned(),
            child,
        }
    }

    /// Runs `tupelo aping NET.SERVER` against it.
    pub fn aping(&self, options: &[&str]) -> Output {
        self.aping_command(options).output().unwrap()
    }

    pub fn aping_command(&self, options: &[&str]) -> Command {
        let mut command = tupelo();
        command.args(["aping", "NET.SERVER", "--at", &self.at]);
        command.args(options);
        command
    }

    pub fn status(&self) -> Value {
        let out = tupelo()
            .args(["appc", "status", "--json", "--admin", &self.admin])
            .output()
            .unwrap();
        serde_json::from_str(&good(&out)).unwrap()
    }

    /// Waits until a conversation is going on.
    pub fn wait_for_a_conversation(&self) {
        until("a conversation", || {
            let status = self.status();
            let sessions = status["sessions"].as_array().unwrap();
            let busy = |session: &Value| session["busy"] == true && session["mode"] == "#INTER";
            sessions.iter().any(busy)
        });
    }

    pub fn signal(&self, signal: i32) {
        send(&self.child, signal);
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn send(child: &Child, signal: i32) {
    // SAFETY: kill(2) takes any pid; this is the test's child.
    unsafe { libc::kill(child.id() as i32, signal) };
}

/// The output of a command that must succeed.
pub fn good(out: &Output) -> String {
    let printed = String::from_utf8_lossy(&out.stdout).into_owned();
    let errors = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{printed}{errors}");
    printed
}

/// The error message of a command that must fail.
pub fn complaint(out: &Output) -> String {
    let errors = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{errors}");
    assert!(out.stdout.is_empty(), "{out:?}");
    // The reporter breaks long lines.
    errors.split_whitespace().collect::<Vec<_>>().join(" ")
}
