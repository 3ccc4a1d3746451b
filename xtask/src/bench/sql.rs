//! EXEC SQL against the same statements through libpq.
//!
//! The bench makes a PostgreSQL of its own; the region and the peer, a C program that
//! is compiled with the system's libpq, use it over the same Unix socket. COBOL
//! programs look at the clock themselves. 32 tasks that update stand against pgbench
//! with 32 clients and the same transaction; a unit over a file and SQL against the
//! bare transaction and one flush of the disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::cobol::{MeasuredApplication, Program, run};
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, median, program};

/// The benches of EXEC SQL.
pub const BENCHES: &[BenchEntry] = &[BenchEntry {
    name: "sql",
    about: "EXEC SQL: SELECT, UPDATE and SYNCPOINT, FETCH, 32 tasks, file and SQL, against libpq",
    run: measure,
}];

const PROGRAMS: [Program; 6] = [
    ("SQLS", "SQLSEL", include_str!("sql/SQLSEL.cbl")),
    ("SQLU", "SQLUPD", include_str!("sql/SQLUPD.cbl")),
    ("SQLB", "SQLBOTH", include_str!("sql/SQLBOTH.cbl")),
    ("SQLA", "SQLALL", include_str!("sql/SQLALL.cbl")),
    ("SQLM", "SQLMANY", include_str!("sql/SQLMANY.cbl")),
    ("SQLC", "SQLCHLD", include_str!("sql/SQLCHLD.cbl")),
];

const DEFINITIONS: &str = "\
DEFINE FILE(LEDGER) GROUP(B) RECORDFORMAT(F) RECORDSIZE(80) KEYLENGTH(8)
       ADD(YES) READ(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
";

/// The tables: 10,000 keys in no order of use, and 100,000 rows to read.
const TABLES: &str = "\
CREATE TABLE BANK.ITEM (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(20) NOT NULL, COUNTED INTEGER NOT NULL);
CREATE TABLE BANK.LEDGER (ID INTEGER NOT NULL, NAME CHAR(20) NOT NULL, COUNTED INTEGER NOT NULL);
";
const ROWS: &str = "\
INSERT INTO \"BANK\".\"ITEM\" SELECT n, 'item ' || n, 0 FROM generate_series(0, 9999) n;
INSERT INTO \"BANK\".\"LEDGER\" SELECT n, 'row ' || n, n FROM generate_series(1, 100000) n;
GRANT USAGE ON SCHEMA \"BANK\" TO \"CICSUSER\";
GRANT SELECT, UPDATE ON ALL TABLES IN SCHEMA \"BANK\" TO \"CICSUSER\";
ANALYZE;
";

fn measure(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let server = BenchServer::start()?;
    let settings = format!(
        "[sql]\nurl = \"{}\"\nowner = \"{}\"\n[files.LEDGER]\nkey_offset = 0\n",
        server.url(),
        server.owner
    );
    let app = MeasuredApplication::new(&PROGRAMS, &settings, DEFINITIONS)?;
    fs::write(
        app.folder().join("copybooks/SQLWS.cpy"),
        include_str!("sql/SQLWS.cpy"),
    )?;
    server.fill(app.folder())?;
    let peer = server.peer()?;
    let mut figures: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut note = |name, value: Option<f64>| figures.entry(name).or_default().extend(value);
    for _ in 0..setting.rounds {
        for (name, transid) in [
            ("select", "SQLS"),
            ("update", "SQLU"),
            ("fetch", "SQLA"),
            ("both", "SQLB"),
            ("many", "SQLM"),
        ] {
            let report = app.figures(transid, 1)?;
            note(name, report.first().copied());
        }
        note("select cpu", Some(cpu_of_a_select(app.folder())?));
        for (name, cpu, mode, times) in [
            ("libpq select", "libpq select cpu", "select", "20000"),
            ("libpq update", "", "update", "2000"),
            ("libpq fetch", "", "fetch", "100000"),
            ("flush", "", "flush", "500"),
        ] {
            let measured = peer
                .as_deref()
                .map(|peer| server.run_peer(peer, mode, times));
            if let Some((elapsed, used)) = measured.transpose()? {
                note(name, Some(elapsed));
                note(cpu, Some(used).filter(|_| !cpu.is_empty()));
            }
        }
        note("pgbench", server.pgbench()?);
    }
    Ok(rows(figures))
}

fn rows(mut figures: BTreeMap<&str, Vec<f64>>) -> Vec<BudgetRow> {
    let mut figure = |name: &str| {
        let list = figures.get_mut(name).filter(|list| !list.is_empty());
        list.map(|list| median(list))
    };
    let both = figure("libpq update").zip(figure("flush"));
    let both = both.map(|(transaction, flush)| transaction + flush);
    let a_second = |us: Option<f64>| us.map(|us| 1e6 / us);
    let all = [
        (
            "singleton SELECT by key",
            figure("select"),
            "us",
            "libpq",
            figure("libpq select"),
            RowBound::RatioAtMost(1.3),
        ),
        (
            "the same, CPU of the client",
            figure("select cpu"),
            "us CPU",
            "libpq",
            figure("libpq select cpu"),
            RowBound::RatioAtMost(1.3),
        ),
        (
            "UPDATE and SYNCPOINT",
            figure("update"),
            "us",
            "libpq",
            figure("libpq update"),
            RowBound::RatioAtMost(1.2),
        ),
        (
            "FETCH of 100,000 rows",
            a_second(figure("fetch")),
            "rows/s",
            "libpq, row by row",
            a_second(figure("libpq fetch")),
            RowBound::RatioAtLeast(0.7),
        ),
        (
            "32 tasks that update",
            a_second(figure("many")),
            "updates/s",
            "pgbench -c 32",
            figure("pgbench"),
            RowBound::RatioAtLeast(0.7),
        ),
        (
            "unit over file and SQL",
            figure("both"),
            "us",
            "libpq and a flush",
            both,
            RowBound::RatioAtMost(1.3),
        ),
    ];
    all.map(|(row, value, unit, peer, peer_value, bound)| {
        let value = (value.unwrap_or(f64::NAN), unit);
        BudgetRow::judged("sql", row, value, (peer, peer_value), bound)
    })
    .into()
}

/// Microseconds of CPU of one SELECT: those of the task over its statements.
fn cpu_of_a_select(app: &Path) -> Result<f64> {
    let report = run(app, "SQLS", &["--commarea", "", "--length", "36"])?;
    let record = &report["monitoring"];
    let cpu = record["general_cpu_ns"].as_f64().context("no CPU time")?;
    Ok(cpu / 20_001.0 / 1e3)
}

/// A PostgreSQL for the bench, in a folder that goes away with it.
struct BenchServer {
    folder: tempfile::TempDir,
    bin: PathBuf,
    /// Superuser, and the user that the server runs as.
    owner: String,
    is_root: bool,
}

impl BenchServer {
    fn start() -> Result<BenchServer> {
        let versions = fs::read_dir("/usr/lib/postgresql")
            .into_iter()
            .flatten()
            .flatten();
        let mut found: Vec<PathBuf> = versions.map(|v| v.path().join("bin")).collect();
        found.retain(|bin| bin.join("initdb").is_file() && bin.join("pgbench").is_file());
        found.sort();
        let bin = found
            .pop()
            .context("PostgreSQL is not installed (package postgresql)")?;
        let folder = tempfile::Builder::new()
            .prefix("sqlbench")
            .tempdir_in("/tmp")?;
        let id = |what| Command::new("id").arg(what).output();
        let is_root = id("-u")?.stdout.trim_ascii() == b"0";
        let owner = if is_root {
            "postgres".to_owned()
        } else {
            String::from_utf8_lossy(id("-un")?.stdout.trim_ascii()).into_owned()
        };
        let server = BenchServer {
            folder,
            bin,
            owner,
            is_root,
        };
        if is_root {
            done(
                Command::new("chown")
                    .arg(&server.owner)
                    .arg(server.folder.path()),
            )?;
        }
        let data = server.path("data");
        done(server.command("initdb").args([
            "-D",
            &data,
            "--no-locale",
            "-E",
            "UTF8",
            "-A",
            "trust",
        ]))?;
        // The settings of a private cluster that cost or save time.
        let options = format!(
            "-c listen_addresses= -c wal_level=minimal -c max_wal_senders=0 -c deadlock_timeout=100ms \
             -c client_connection_check_interval=500ms -k {}",
            server.folder.path().display()
        );
        let log = server.path("log");
        done(
            server
                .command("pg_ctl")
                .args(["-D", &data, "-w", "-o", &options, "-l", &log, "start"]),
        )?;
        server.psql("CREATE ROLE \"CICSUSER\" LOGIN")?;
        Ok(server)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn url(&self) -> String {
        format!(
            "postgresql:///postgres?host={}",
            self.folder.path().display()
        )
    }

    /// One of PostgreSQL's programs, as the server's user.
    fn command(&self, program: &str) -> Command {
        let path = self.bin.join(program);
        let mut command = if self.is_root {
            let mut command = Command::new("setpriv");
            let user = self.owner.as_str();
            command
                .args(["--reuid", user, "--regid", user, "--clear-groups"])
                .arg(path);
            command
        } else {
            Command::new(path)
        };
        command.current_dir("/").stdin(Stdio::null());
        command
    }

    fn psql(&self, text: &str) -> Result<()> {
        let host = self.folder.path().display().to_string();
        let arguments = [
            "-X",
            "-q",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            &host,
            "-d",
            "postgres",
            "-c",
            text,
        ];
        done(self.command("psql").args(arguments))
    }

    /// Schema db2, the tables and their rows.
    fn fill(&self, app: &Path) -> Result<()> {
        let tupelo = program::tupelo()?;
        let ddl = app.join("tables.sql");
        fs::write(&ddl, TABLES)?;
        done(
            Command::new(&tupelo)
                .args(["sql", "setup", "--app"])
                .arg(app),
        )?;
        done(
            Command::new(&tupelo)
                .args(["sql", "apply"])
                .arg(&ddl)
                .arg("--app")
                .arg(app),
        )?;
        self.psql(ROWS)
    }

    /// The peer, compiled; `None` without a compiler or libpq.
    fn peer(&self) -> Result<Option<PathBuf>> {
        let folder = self.folder.path();
        let (source, peer) = (folder.join("peer.c"), folder.join("peer"));
        fs::write(&source, include_str!("sql/peer.c"))?;
        let compiled = Command::new("cc")
            .args(["-O2", "-I/usr/include/postgresql", "-o"])
            .arg(&peer)
            .arg(&source)
            .arg("-lpq")
            .stderr(Stdio::null())
            .status();
        Ok(compiled
            .is_ok_and(|status| status.success())
            .then_some(peer))
    }

    /// Elapsed and CPU microseconds of what the peer does once.
    fn run_peer(&self, peer: &Path, mode: &str, times: &str) -> Result<(f64, f64)> {
        let connection = format!(
            "host={} dbname=postgres user=CICSUSER",
            self.folder.path().display()
        );
        let output = Command::new(peer)
            .arg(connection)
            .args([mode, times])
            .arg(std::env::temp_dir().join(format!("sqlbench-flush-{}", std::process::id())))
            .output()?;
        if !output.status.success() {
            bail!("the peer: {}", String::from_utf8_lossy(&output.stderr));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let mut numbers = text.split_whitespace().map(str::parse::<f64>);
        let mut next = || {
            numbers
                .next()
                .context("the peer printed no figure")?
                .context("no number")
        };
        Ok((next()? / 1e3, next()? / 1e3))
    }

    /// Transactions a second of 32 clients with the same transaction.
    fn pgbench(&self) -> Result<Option<f64>> {
        let script = self.path("update.pgbench");
        fs::write(
            &script,
            "\\set id random(0, 9999)\nBEGIN;\nUPDATE \"BANK\".\"ITEM\" SET \"COUNTED\" = \"COUNTED\" + 1 WHERE \"ID\" = :id;\nCOMMIT;\n",
        )?;
        let host = self.folder.path().display().to_string();
        let output = self
            .command("pgbench")
            .args([
                "-n", "-M", "prepared", "-c", "32", "-j", "2", "-t", "200", "-h", &host,
            ])
            .args(["-U", "CICSUSER", "-f", &script, "postgres"])
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let rate = text.lines().find_map(|line| line.strip_prefix("tps = "));
        Ok(rate.and_then(|rate| rate.split(' ').next()?.parse().ok()))
    }
}

impl Drop for BenchServer {
    fn drop(&mut self) {
        let data = self.path("data");
        let _ = self
            .command("pg_ctl")
            .args(["-D", &data, "-m", "immediate", "stop"])
            .output();
        if self.is_root {
            let _ = Command::new("chown")
                .args(["-R", "root"])
                .arg(self.folder.path())
                .status();
        }
    }
}

/// Runs a command that must succeed.
fn done(command: &mut Command) -> Result<()> {
    let output = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()?;
    if !output.status.success() {
        bail!(
            "{:?}: {}{}",
            command.get_program(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}
