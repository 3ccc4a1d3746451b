//! A PostgreSQL of the tests' own, which goes away with them.
//!
//! The tests of the crates that talk to a server share this file.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Users that may run a server when the tests are root's.
const USERS: &[&str] = &["postgres", "nobody"];

/// A cluster in a folder that goes away with it.
pub struct TestCluster {
    folder: tempfile::TempDir,
    bin: PathBuf,
    user: Option<&'static str>,
}

/// The newest PostgreSQL of this machine.
fn installed() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let mut found: Vec<PathBuf> = versions.map(|v| v.path().join("bin")).collect();
    found.retain(|bin| bin.join("initdb").is_file() && bin.join("psql").is_file());
    found.sort();
    found.pop()
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|o| o.stdout.trim_ascii() == b"0")
}

impl TestCluster {
    /// Makes and starts it; `None` if there is no PostgreSQL.
    pub fn start() -> Option<TestCluster> {
        let Some(bin) = installed() else {
            skipped::lacking("postgresql", "there is no /usr/lib/postgresql/*/bin");
            return None;
        };
        let folder = tempfile::Builder::new()
            .prefix("sqlpg")
            .tempdir_in("/tmp")
            .unwrap();
        let exists = |u: &&&str| {
            Command::new("id")
                .arg(u)
                .output()
                .is_ok_and(|o| o.status.success())
        };
        let user = is_root().then(|| *USERS.iter().find(exists).unwrap());
        if let Some(user) = user {
            let chown = Command::new("chown")
                .arg(user)
                .arg(folder.path())
                .status()
                .unwrap();
            assert!(chown.success());
        }
        let cluster = TestCluster { folder, bin, user };
        let data = cluster.path("data");
        let made = cluster.run(
            "initdb",
            &[
                "-D",
                &data,
                "--no-locale",
                "-E",
                "UTF8",
                "-N",
                "--auth=trust",
            ],
        );
        assert!(made.0, "{}", made.1);
        let options = format!(
            "-c listen_addresses='' -c fsync=off -k {}",
            cluster.folder.path().display()
        );
        let log = cluster.path("log");
        let started = cluster.run(
            "pg_ctl",
            &[
                "-D", &data, "-w", "-t", "60", "-o", &options, "-l", &log, "start",
            ],
        );
        assert!(started.0, "{}", started.1);
        Some(cluster)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// The folder that it is in: `data`, `log` and the socket.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// The server's socket.
    pub fn socket(&self) -> PathBuf {
        self.folder().join(".s.PGSQL.5432")
    }

    /// The superuser's name.
    pub fn user(&self) -> String {
        match self.user {
            Some(user) => user.to_owned(),
            None => {
                let out = Command::new("id").arg("-un").output().unwrap();
                String::from_utf8(out.stdout).unwrap().trim().to_owned()
            }
        }
    }

    /// Runs one of PostgreSQL's programs as the server's user: whether it was done, and
    /// what it printed.
    pub fn run(&self, program: &str, args: &[&str]) -> (bool, String) {
        let path = self.bin.join(program);
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("setpriv");
                command
                    .args(["--reuid", user, "--regid", user, "--clear-groups"])
                    .arg(path);
                command
            }
            None => Command::new(path),
        };
        let log = self.folder.path().join(format!("{program}.out"));
        let out = std::fs::File::create(&log).unwrap();
        let status = command
            .args(args)
            .current_dir("/tmp")
            .stdin(Stdio::null())
            .stdout(out.try_clone().unwrap())
            .stderr(out)
            .status()
            .unwrap();
        (
            status.success(),
            std::fs::read_to_string(log).unwrap_or_default(),
        )
    }

    /// Runs SQL; rows as lines, or the error.
    pub fn psql(&self, sql: &str) -> Result<String, String> {
        let file = self.folder.path().join("in.sql");
        std::fs::write(&file, sql).unwrap();
        let host = self.folder.path().display().to_string();
        let file = file.display().to_string();
        let (good, text) = self.run(
            "psql",
            &[
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                "-h",
                &host,
                "-d",
                "postgres",
                "-f",
                &file,
            ],
        );
        let kept: Vec<&str> = text.lines().filter(|l| !l.contains("NOTICE")).collect();
        if good {
            Ok(kept.join("\n"))
        } else {
            Err(kept.join("\n"))
        }
    }
}

impl Drop for TestCluster {
    fn drop(&mut self) {
        let data = self.path("data");
        let _ = self.run("pg_ctl", &["-D", &data, "-m", "immediate", "-w", "stop"]);
        if self.user.is_some() {
            let _ = Command::new("chown")
                .args(["-R", "root"])
                .arg(self.folder.path())
                .status();
        }
    }
}
