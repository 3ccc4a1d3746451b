//! Batch jobs that change files while a region serves them: the bank, and the
//! programs of `testdata/region_jobs`.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::http;
use crate::program::{text, tupelo};
use crate::server::{Server, example};

const ACCOUNT: &str = "10000001";

/// The bank with batch programs, served.
struct BatchBank {
    folder: tempfile::TempDir,
    server: Server,
}

impl BatchBank {
    fn start(lock_wait_ms: u32) -> BatchBank {
        let folder = tempfile::tempdir().expect("a folder");
        crate::appc::copy(&example("bank"), folder.path());
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/region_jobs");
        crate::appc::copy(&programs, &folder.path().join("batch"));
        let path = folder.path().join("tupelo.toml");
        let settings = std::fs::read_to_string(&path).expect("settings");
        let settings = settings.replace(
            "[region]",
            &format!("[region]\nlock_wait_ms = {lock_wait_ms}"),
        );
        std::fs::write(path, settings).expect("settings");
        let server = Server::start(folder.path());
        BatchBank { folder, server }
    }

    fn job(&self, program: &str, parm: &str) -> Command {
        let mut job = tupelo();
        job.args(["batch", program]).arg(self.folder.path());
        job.arg("--state").arg(self.server.state.path());
        job.args(["--dd", "ACCTS=ACCTFILE", "--parm", parm]);
        job.stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        job
    }

    /// Starts HOLDS and waits until it has its record.
    fn holds(&self) -> Child {
        let job = self.job("HOLDS", ACCOUNT).spawn().expect("a job");
        self.until("the job has the record", || !self.locks().is_empty());
        job
    }

    fn locks(&self) -> Vec<serde_json::Value> {
        let locks = http::send(&self.server.admin, "GET", "/locks", None);
        locks.json().as_array().expect("a list").clone()
    }

    fn movements(&self) -> u64 {
        let account = self.server.get(&format!("/bank/accounts/{ACCOUNT}"));
        account.json()["movements"].as_u64().expect("a number")
    }

    fn until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let limit = Instant::now() + Duration::from_secs(60);
        while !holds() {
            assert!(Instant::now() < limit, "never: {what}");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

fn deposit(gateway: &str) -> u16 {
    let path = format!("/bank/accounts/{ACCOUNT}/movements");
    let body = json!({"kind": "DEPOSIT", "amount": 1.0}).to_string();
    http::send(gateway, "POST", &path, Some(&body)).status
}

fn go_on(mut job: Child) -> Output {
    let mut stdin = job.stdin.take().expect("its input");
    writeln!(stdin, "GO ON").expect("it listens");
    drop(stdin);
    job.wait_with_output().expect("its end")
}

#[test]
fn of_updates_by_jobs_and_by_tasks_none_is_lost() {
    let bank = BatchBank::start(10_000);
    let before = bank.movements();
    let jobs = [bank.job("INTEREST", "0010"), bank.job("INTEREST", "0010")];
    let gateway = &bank.server.gateway;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(deposit(gateway), 200);
                }
            });
        }
        for mut job in jobs {
            scope.spawn(move || {
                let output = job.output().expect("a job");
                let (printed, why) = (text(&output.stdout), text(&output.stderr));
                assert!(output.status.success(), "{printed}{why}");
            });
        }
    });
    assert_eq!(bank.movements(), before + 2 * 10 + 2 * 50);
    assert_eq!(bank.locks(), [json!(null); 0]);
}

#[test]
fn a_task_waits_for_a_record_that_a_job_has_read_for_update() {
    let bank = BatchBank::start(60_000);
    let before = bank.movements();
    let job = bank.holds();
    let gateway = bank.server.gateway.clone();
    let waits = std::thread::spawn(move || deposit(&gateway));
    bank.until("the task waits", || {
        let locks = bank.locks();
        let name = locks[0]["name"].as_str().unwrap_or_default();
        // The file is addressed by its name.
        assert!(name.starts_with("record of ACCTFILE "), "{name}");
        locks[0]["transid"] == "CBAT" && !locks[0]["waiters"].as_array().unwrap().is_empty()
    });
    let output = go_on(job);
    assert_eq!(
        text(&output.stdout),
        "OPEN 00\nREAD 00\nREWRITE 00\nCLOSE 00\n"
    );
    assert_eq!(waits.join().expect("an answer"), 200);
    assert_eq!(bank.movements(), before + 2);
}

#[test]
fn a_job_that_is_killed_leaves_no_lock() {
    let bank = BatchBank::start(60_000);
    let mut job = bank.holds();
    // The program's own process, whose parent only waits for it.
    let child = format!("/proc/{0}/task/{0}/children", job.id());
    let child = std::fs::read_to_string(child).expect("its child");
    let child: i32 = child.trim().parse().expect("a number");
    // SAFETY: a plain call; the child lives until its parent has waited for it.
    unsafe { libc::kill(child, libc::SIGKILL) };
    job.wait().expect("its end");
    assert_eq!(deposit(&bank.server.gateway), 200);
    bank.until("the lock is free", || bank.locks().is_empty());
}

#[test]
fn a_job_gets_the_name_of_the_task_that_holds_its_record_too_long() {
    let bank = BatchBank::start(200);
    let holder = bank.holds();
    let output = go_on(bank.job("HOLDS", ACCOUNT).spawn().expect("a job"));
    assert!(text(&output.stdout).contains("READ 93\n"), "{output:?}");
    let why = text(&output.stderr);
    assert!(
        why.contains("(CBAT) has the record 10000001 locked"),
        "{why}"
    );
    assert!(text(&go_on(holder).stdout).contains("REWRITE 00\n"));
}

#[test]
fn a_job_whose_region_dies_gets_a_permanent_error() {
    let bank = BatchBank::start(10_000);
    let job = bank.holds();
    let BatchBank { folder, server } = bank;
    let _state = server.kill();
    let output = go_on(job);
    assert_eq!(text(&output.stdout).lines().nth(2), Some("REWRITE 30"));
    let why = text(&output.stderr);
    assert!(why.contains("the region has ended"), "{why}");
    drop(folder);
}

#[test]
fn an_operator_ends_a_job_by_its_task() {
    let bank = BatchBank::start(10_000);
    let job = bank.holds();
    let owner = bank.locks()[0]["owner"].as_u64().expect("a number");
    let purged = tupelo()
        .args([
            "task",
            "purge",
            &owner.to_string(),
            "--admin",
            &bank.server.admin,
        ])
        .output()
        .expect("tupelo runs");
    assert!(purged.status.success(), "{purged:?}");
    bank.until("the lock is free", || bank.locks().is_empty());
    let output = go_on(job);
    assert_eq!(text(&output.stdout).lines().nth(2), Some("REWRITE 30"));
}

/// A job of IDCAMS steps: a data set of its own, and records for one that the
/// region's tasks have.
const IDCAMS: &str = "//JOB1 JOB
//DEFINE EXEC PGM=IDCAMS
//SYSIN DD *
  DEFINE CLUSTER(NAME(JOB.NEW) INDEXED KEYS(4 0) RECORDSIZE(8 8))
  DEFINE PATH(NAME(JOB.PATH) PATHENTRY(JOB.NEW))
/*
//FILL EXEC PGM=IDCAMS
//IN DD *
0002 two
0001 one
0002 two
/*
//SYSIN DD *
  REPRO INFILE(IN) OUTDATASET(JOB.NEW)
/*
//COPY EXEC PGM=IDCAMS
//SYSIN DD *
  REPRO INDATASET(JOB.NEW) OUTDATASET(JOB.NEW) REPLACE
  DEFINE CLUSTER(NAME(JOB.TEXT) INDEXED KEYS(3 5) RECORDSIZE(8 8))
  DEFINE CLUSTER(NAME(JOB.ORDER) NONINDEXED RECORDSIZE(8 8))
  DEFINE CLUSTER(NAME(JOB.SLOTS) NUMBERED RECORDSIZE(8 8))
  REPRO INDATASET(JOB.NEW) OUTDATASET(JOB.TEXT)
  REPRO INDATASET(JOB.TEXT) OUTDATASET(JOB.ORDER)
  REPRO INDATASET(JOB.ORDER) OUTDATASET(JOB.SLOTS)
  REPRO INDATASET(JOB.ORDER) OUTDATASET(JOB.SLOTS)
  REPRO INDATASET(ACCTFILE) OUTDATASET(ACCTFILE) REPLACE
  DEFINE ALTERNATEINDEX(NAME(JOB.AIX) RELATE(ACCTFILE) KEYS(2 8))
  DELETE ACCTFILE
  DELETE JOB.PATH
  DELETE JOB.NEW
  DELETE JOB.NEW
/*
";

#[test]
fn idcams_steps_run_next_to_a_region_that_keeps_what_its_files_name() {
    let bank = BatchBank::start(10_000);
    let before = bank.movements();
    let jcl = bank.folder.path().join("job.jcl");
    std::fs::write(&jcl, IDCAMS).expect("a job");
    let output = tupelo()
        .args(["batch", "--jcl"])
        .arg(&jcl)
        .arg(bank.folder.path())
        .arg("--state")
        .arg(bank.server.state.path())
        .output()
        .expect("a job");
    let printed = text(&output.stdout);
    let said = |wanted: &str| assert!(printed.contains(wanted), "{wanted} in\n{printed}");
    said("JOB.NEW defined: ");
    said("JOB.PATH defined, to JOB.NEW");
    said("JOB.NEW: 2 records");
    // Keys are those of the file that the records come into.
    said("JOB.TEXT: 2 records added, 0 refused");
    said("JOB.ORDER: 2 records added, 0 refused");
    assert_eq!(
        printed
            .matches("JOB.SLOTS: 2 records added, 0 refused")
            .count(),
        2,
        "{printed}"
    );
    said("ACCTFILE is in use: a FILE of the running region names it");
    said("JOB.PATH deleted");
    said("JOB.NEW deleted");
    said("JOB.NEW does not exist");
    // Every record was replaced by itself; no update is lost.
    assert_eq!(bank.movements(), before);
    assert_eq!(deposit(&bank.server.gateway), 200);
    assert_eq!(bank.movements(), before + 1);
    bank.until("the job's locks are given back", || bank.locks().is_empty());
}
