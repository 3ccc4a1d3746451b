//! A `tupelo serve` of the test's own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::http::{self, HttpAnswer};
use crate::program::tupelo;

/// A running server; dropping it stops it.
pub struct Server {
    child: Child,
    /// Where the gateway listens, `host:port`.
    pub gateway: String,
    /// Where the administration server listens.
    pub admin: String,
    /// Where APPC partners connect; empty without an `[appc]` section.
    pub appc: String,
    /// Where terminals connect; empty without a `[terminal]` section.
    pub tn3270: String,
    /// Where each TCPIPSERVICE listens, by its name.
    pub web: Vec<(String, String)>,
    /// Records and compiled programs; removed with the server.
    pub state: tempfile::TempDir,
    /// Its log, shown if the test fails; none where the test reads it itself.
    log: Option<tempfile::NamedTempFile>,
}

impl Server {
    /// Serves an application folder and waits until it is ready.
    pub fn start(folder: &Path) -> Server {
        let state = tempfile::tempdir().unwrap();
        Server::start_in(folder, state)
    }

    /// The same with a more detailed log, which is shown if the test fails.
    pub fn start_verbose(folder: &Path) -> Server {
        let mut command = tupelo();
        command.env("TUPELO_LOG", "info,h2=error,rustls=error");
        Server::run_with_log(command, folder, tempfile::tempdir().unwrap())
    }

    /// The same, with its log written to a file.
    pub fn start_logging(folder: &Path, log: std::fs::File) -> Server {
        let mut command = tupelo();
        command.stderr(log);
        Server::run(command, folder, tempfile::tempdir().unwrap())
    }

    /// The same, run from another copy of the program.
    pub fn start_copy(program: &Path, folder: &Path) -> Server {
        Server::run(Command::new(program), folder, tempfile::tempdir().unwrap())
    }

    /// The same with a state folder that has been used before.
    pub fn start_in(folder: &Path, state: tempfile::TempDir) -> Server {
        Server::run_with_log(tupelo(), folder, state)
    }

    /// Serves with its state on a disk of `size` (as mount(8) has it) in a
    /// mount namespace of its own; none where that is not allowed.
    pub fn start_on_small_disk(folder: &Path, size: &str) -> Option<Server> {
        let namespace = ["--user", "--map-root-user", "--mount"];
        let mount = format!("mount -t tmpfs -o size={size} tmpfs");
        let state = tempfile::tempdir().unwrap();
        let mut probe = Command::new("unshare");
        probe.args(namespace).args(["sh", "-c"]);
        probe.arg(format!("{mount} {}", state.path().display()));
        if !probe.output().is_ok_and(|o| o.status.success()) {
            skipped::lacking("mount", "no mount namespace may be made here");
            return None;
        }
        let mut command = Command::new("unshare");
        command.args(namespace).args(["sh", "-c"]);
        command.arg(format!("{mount} {} && exec \"$@\"", state.path().display()));
        command.args(["sh", env!("CARGO_BIN_EXE_tupelo")]);
        Some(Server::run(command, folder, state))
    }

    /// The same, but the server has the user that it has outside, and a root that can
    /// become other users, as a private PostgreSQL needs it.
    pub fn start_on_small_disk_as_is(folder: &Path, size: &str) -> Option<Server> {
        let state = tempfile::tempdir().unwrap();
        let mount = format!(
            "mount -t tmpfs -o size={size} tmpfs {}",
            state.path().display()
        );
        // SAFETY: it only reads the user's number.
        let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
        let (namespace, run) = if user == 0 {
            (&["--mount"][..], "exec \"$@\"".to_owned())
        } else {
            // Root inside to mount, and oneself again afterwards.
            let again = format!("exec unshare --user --map-user={user} --map-group={group}");
            (
                &["--user", "--map-root-user", "--mount"][..],
                format!("{again} -- \"$@\""),
            )
        };
        let mut probe = Command::new("unshare");
        probe.args(namespace).args(["sh", "-c"]);
        probe.arg(format!("{mount} && {run}")).args(["sh", "true"]);
        if !probe.output().is_ok_and(|o| o.status.success()) {
            skipped::lacking("mount", "no mount namespace may be made here");
            return None;
        }
        let mut command = Command::new("unshare");
        command.args(namespace).args(["sh", "-c"]);
        command.arg(format!("{mount} && {run}"));
        command.args(["sh", env!("CARGO_BIN_EXE_tupelo")]);
        Some(Server::run_with_log(command, folder, state))
    }

    /// The token of requests that change something at the administration port.
    pub fn operator_token(&self) -> String {
        let token = std::fs::read_to_string(self.state.path().join("operator.token"));
        token.unwrap().trim().to_owned()
    }

    /// The end of a console's address that lets a browser change something; `view`
    /// is the part that is shown.
    pub fn console_key(&self, view: &str) -> String {
        let token = self.operator_token();
        let head = format!(
            "POST /operator/key HTTP/1.1\r\nhost: x\r\nx-tupelo-operator: {token}\r\n\
             connection: close\r\n\r\n"
        );
        let answer = http::raw(&self.admin, head.as_bytes()).unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
        let key = answer["key"].as_str().unwrap();
        match view {
            "" => format!("#key={key}"),
            view => format!("#{view}&key={key}"),
        }
    }

    /// A path of its state as it sees it, from outside of its namespace.
    pub fn in_state(&self, name: &str) -> PathBuf {
        let inside = self.state.path().join(name);
        let root = PathBuf::from(format!("/proc/{}/root", self.child.id()));
        root.join(inside.strip_prefix("/").unwrap())
    }

    fn run_with_log(mut command: Command, folder: &Path, state: tempfile::TempDir) -> Server {
        let log = tempfile::NamedTempFile::new().unwrap();
        command.stderr(log.reopen().unwrap());
        // A server that does not start writes the reason there.
        let shown = LogShown(Some(log));
        let mut server = Server::run(command, folder, state);
        server.log = shown.taken();
        server
    }

    fn run(mut command: Command, folder: &Path, state: tempfile::TempDir) -> Server {
        let mut child = command
            .arg("serve")
            .arg(folder)
            .arg("--state")
            .arg(state.path())
            .args(["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let (tx, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = tx.send(line);
            }
        });
        let mut gateway = None;
        let mut admin = None;
        let mut web = Vec::new();
        let settings = std::fs::read_to_string(folder.join("tupelo.toml")).unwrap_or_default();
        let mut appc = (!settings.contains("[appc]")).then(String::new);
        let mut tn3270 = (!settings.contains("[terminal]")).then(String::new);
        while gateway.is_none() || admin.is_none() || appc.is_none() || tn3270.is_none() {
            let line = lines
                .recv_timeout(Duration::from_secs(120))
                .expect("the server says where it listens");
            let mut words = line.split_whitespace();
            let what = words.next();
            let url = words.next();
            if let Some(address) = url.and_then(|url| url.strip_prefix("dlsw://")) {
                appc = Some(address.to_owned());
            }
            if let (Some("tn3270"), Some(address)) = (what, url) {
                tn3270 = Some(address.to_owned());
            }
            if let (Some("web"), Some(address)) = (what, url) {
                let name = words.nth(1).unwrap_or_default();
                web.push((name.to_owned(), address.to_owned()));
            }
            let address = url.and_then(|url| url.strip_prefix("http://"));
            match (what, address) {
                (Some("gateway"), Some(address)) => gateway = Some(address.to_owned()),
                (Some("admin"), Some(address)) => admin = Some(address.to_owned()),
                _ => {}
            }
        }
        Server {
            child,
            gateway: gateway.unwrap(),
            admin: admin.unwrap(),
            appc: appc.unwrap(),
            tn3270: tn3270.unwrap(),
            web,
            state,
            log: None,
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request to the gateway.
    pub fn send(&self, method: &str, path: &str, body: Option<&str>) -> HttpAnswer {
        http::send(&self.gateway, method, path, body)
    }

    /// GET from the gateway.
    pub fn get(&self, path: &str) -> HttpAnswer {
        self.send("GET", path, None)
    }

    /// Process ids of the COBOL workers.
    pub fn workers(&self) -> Vec<i32> {
        let children = format!("/proc/{0}/task", self.child.id());
        let mut pids = Vec::new();
        for task in std::fs::read_dir(children).into_iter().flatten().flatten() {
            let text = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            pids.extend(
                text.split_whitespace()
                    .filter_map(|p| p.parse::<i32>().ok()),
            );
        }
        pids
    }

    /// Kills the server with SIGKILL, like a power cut, and returns
    /// its records.
    pub fn kill(mut self) -> tempfile::TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::mem::replace(&mut self.state, tempfile::tempdir().unwrap())
    }

    /// Ends the server as an operator does, and hands back its records.
    pub fn stop(mut self) -> tempfile::TempDir {
        // SAFETY: kill(2) takes any pid; the child is ours and not yet reaped.
        unsafe { libc::kill(self.child.id() as i32, libc::SIGTERM) };
        self.child.wait().unwrap();
        std::mem::replace(&mut self.state, tempfile::tempdir().unwrap())
    }

    /// Waits until the server has ended by itself and returns its exit status.
    pub fn ended(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

/// A log that is shown if the test fails meanwhile.
struct LogShown(Option<tempfile::NamedTempFile>);

impl LogShown {
    fn taken(mut self) -> Option<tempfile::NamedTempFile> {
        self.0.take()
    }
}

impl Drop for LogShown {
    fn drop(&mut self) {
        if let Some(log) = self.0.as_ref().filter(|_| std::thread::panicking()) {
            let text = std::fs::read(log.path()).unwrap_or_default();
            eprintln!("its server's log:\n{}", String::from_utf8_lossy(&text));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let ended = self.child.try_wait();
        if let (Ok(Some(status)), true) = (&ended, std::thread::panicking()) {
            eprintln!("its server had ended before: {status}");
        }
        drop(LogShown(self.log.take()));
        if matches!(ended, Ok(None)) {
            // SAFETY: kill(2) takes any pid; the child is ours and not yet reaped.
            unsafe { libc::kill(self.child.id() as i32, libc::SIGTERM) };
        }
        let _ = self.child.wait();
    }
}

/// A folder of `examples/`.
pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name)
}

/// A copy of the new-application template with other COBOL and definitions.
pub fn application(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let made = tupelo()
        .arg("new")
        .arg(folder.path())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(made.success());
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}
