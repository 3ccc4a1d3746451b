//! Tests that need another process run this binary once more: the test
//! [`child`] then runs as the process that its variables name, and passes at once without them.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

const ROLE: &str = "STORE_TEST_ROLE";
const DIRECTORY: &str = "STORE_TEST_DIRECTORY";

/// The work of a child in its directory; it ends by returning.
type Role = fn(&Path);

const ROLES: [(&str, Role); 6] = [
    ("transfer", crate::crash::transfer),
    ("load", crate::crash::load),
    ("read-forever", crate::readers::read_forever),
    ("hold", crate::readers::hold),
    ("fault", crate::damage::fault),
    ("fill-limited", crate::full::fill_limited),
];

/// A process that plays a role, killed when dropped.
pub struct Peer {
    pub process: Child,
    pub lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Peer {
    pub fn start(role: &str, directory: &Path) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["child::child", "--exact", "--nocapture", "--test-threads=1"])
            .env(ROLE, role)
            .env(DIRECTORY, directory)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, lines }
    }

    /// The next line of its output; `None` if it has ended.
    pub fn receive_line(&mut self) -> Option<String> {
        loop {
            let line = self.lines.next()?.unwrap();
            if let Some((_, said)) = line.split_once("SAYS ") {
                return Some(said.to_owned());
            }
        }
    }

    /// Ends it with SIGKILL and returns its output that was not read yet.
    pub fn kill(mut self) -> Vec<String> {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        std::iter::from_fn(|| self.receive_line()).collect()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Writes a line to the test that started this process.
pub fn send_line(what: impl std::fmt::Display) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "SAYS {what}").unwrap();
    out.flush().unwrap();
}

#[test]
fn child() {
    let Ok(wanted) = std::env::var(ROLE) else {
        return;
    };
    let directory = std::env::var_os(DIRECTORY).unwrap();
    for (name, role) in ROLES {
        if name == wanted {
            role(Path::new(&directory));
        }
    }
}
