//! Operators and the tasks of a region that runs: what waits, who holds what,
//! replies, purges.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{run, text, until};
use crate::server::{Server, example};

/// The bank, whose inquiry asks the operator first, one task at a time.
fn prompting_bank() -> tempfile::TempDir {
    let asks = "PROCEDURE DIVISION.\n           \
        EXEC CICS ENQ RESOURCE('ACCOUNTS') LENGTH(8) END-EXEC\n           \
        EXEC CICS WRITE OPERATOR TEXT('MAY I') REPLY(ASK-REPLY)\n               \
        MAXLENGTH(20) END-EXEC\n";
    bank_that(asks)
}

/// The bank, whose inquiry begins with other statements.
fn bank_that(asks: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let path = folder.path().join("cobol/ACCTINQ.cbl");
    let program = fs::read_to_string(&path).unwrap();
    let storage = "WORKING-STORAGE SECTION.\n       01  ASK-REPLY PIC X(20).\n";
    let program = program
        .replace("PROCEDURE DIVISION.\n", asks)
        .replace("WORKING-STORAGE SECTION.\n", storage);
    fs::write(path, program).unwrap();
    folder
}

/// Copies a folder, without what was compiled in it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        match entry.file_type().unwrap().is_dir() {
            // What was compiled and stored in the example's own folder.
            true if name == ".tupelo" => {}
            true => copy(&entry.path(), &to.join(name)),
            false => {
                fs::copy(entry.path(), to.join(name)).unwrap();
            }
        }
    }
}

/// What a command of the operator's prints as JSON.
pub fn ask(server: &Server, args: &[&str]) -> Value {
    let mut all = args.to_vec();
    all.extend(["--json", "--admin", &server.admin]);
    let output = run(&all);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_program_shuts_the_server_down() {
    let asks = "PROCEDURE DIVISION.\n           EXEC CICS PERFORM SHUTDOWN END-EXEC\n";
    let folder = bank_that(asks);
    let bank = Server::start(folder.path());
    // The task ends normally, with what it was given.
    assert_ne!(bank.get("/bank/accounts/10000001").status, 500);
    assert_eq!(bank.ended(), Some(0));
}

#[test]
fn an_operator_sees_who_waits_and_replies_and_purges() {
    let folder = prompting_bank();
    let bank = Server::start(folder.path());
    std::thread::scope(|scope| {
        let answers: Vec<_> = (0..3)
            .map(|n| {
                let answer = scope.spawn(|| bank.get("/bank/accounts/10000001").status);
                until("the task", || {
                    let tasks = ask(&bank, &["task", "list"]);
                    let tasks = tasks.as_array().unwrap();
                    tasks.iter().filter(|t| t["status"] == "SUSPENDED").count() == n + 1
                });
                answer
            })
            .collect();
        let locks = ask(&bank, &["locks"]);
        assert_eq!(locks[0]["name"], "enqueue ACCOUNTS");
        assert_eq!(locks[0]["waiters"].as_array().unwrap().len(), 2);
        let messages = ask(&bank, &["task", "messages"]);
        assert_eq!(messages[0]["text"], "MAY I");
        assert_eq!(messages[0]["task"], locks[0]["owner"]);

        let number = |value: &Value| value.as_u64().unwrap().to_string();
        let last = number(&locks[0]["waiters"][1]);
        ask(
            &bank,
            &[
                "task",
                "reply",
                &number(&messages[0]["message"]),
                "YES, 1+1 % of it",
            ],
        );
        assert_eq!(ask(&bank, &["task", "purge", &last])["purge"], "done");
        until("the second message", || {
            ask(&bank, &["task", "messages"])[0]["text"] == "MAY I"
        });
        let second = number(&ask(&bank, &["task", "messages"])[0]["task"]);
        assert_eq!(
            ask(&bank, &["task", "forcepurge", &second])["purge"],
            "done"
        );
        let statuses: Vec<u16> = answers.into_iter().map(|a| a.join().unwrap()).collect();
        assert_eq!(statuses, [200, 500, 500]);
    });
    assert_eq!(ask(&bank, &["locks"]), Value::Array(Vec::new()));
}

#[test]
fn a_forced_purge_says_that_it_ended_the_worker_of_a_task_that_runs() {
    let loops = "PROCEDURE DIVISION.\n           \
        EXEC CICS ENQ RESOURCE('RUNS') LENGTH(4) END-EXEC\n           \
        PERFORM UNTIL EIBTRNID = SPACES\n             \
        CONTINUE\n           \
        END-PERFORM\n";
    let folder = bank_that(loops);
    let log = tempfile::NamedTempFile::new().unwrap();
    let bank = Server::start_logging(folder.path(), log.reopen().unwrap());
    std::thread::scope(|scope| {
        let looping = || {
            let answer = scope.spawn(|| bank.get("/bank/accounts/10000001").status);
            let owner = || ask(&bank, &["locks"])[0]["owner"].as_u64();
            until("the task", || owner().is_some());
            (answer, owner().unwrap().to_string())
        };
        let (answer, task) = looping();
        let done = ask(&bank, &["task", "forcepurge", &task]);
        assert_eq!(done["purge"], "worker-ended");
        assert_eq!(answer.join().unwrap(), 500);
        until("the log", || {
            let log = fs::read_to_string(log.path()).unwrap();
            log.contains("an operator purged the task, and it was running")
        });
        until("the lock's end", || {
            ask(&bank, &["locks"]) == Value::Array(Vec::new())
        });
        // A worker has taken its place.
        let (answer, task) = looping();
        let done = run(&["task", "forcepurge", &task, "--admin", &bank.admin]);
        let told = text(&done.stdout);
        assert!(told.contains("by ending its worker's process"), "{told}");
        assert_eq!(answer.join().unwrap(), 500);
    });
}

#[test]
fn an_operators_mistakes_are_reported_and_change_nothing() {
    let bank = Server::start(&example("bank"));
    let admin = bank.admin.as_str();
    for (args, told) in [
        (
            &["task", "purge", "4711", "--admin", admin][..],
            "there is no such task",
        ),
        (
            &["task", "reply", "1", "YES", "--admin", admin],
            "no task waits for a reply",
        ),
        (&["locks", "--admin", &bank.gateway], "is it a region"),
        (
            &["task", "list", "--admin", "127.0.0.1:1"],
            "is `tupelo serve` running",
        ),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let stderr = text(&output.stderr);
        assert!(stderr.contains(told), "{args:?}: {stderr}");
    }
    // A page in a browser cannot send the header that a change needs.
    let bare = crate::http::send(admin, "POST", "/tasks/1/purge", None);
    assert_eq!(bare.status, 403);
}

#[test]
fn a_trace_goes_to_a_file_from_start_to_stop_and_can_be_printed() {
    let bank = Server::start(&example("bank"));
    let none = run(&["trace", "stop", "--admin", &bank.admin]);
    assert!(text(&none.stderr).contains("no trace is being written"));
    let started = ask(
        &bank,
        &["trace", "start", "--name", "mine", "--domain", "files"],
    );
    let again = run(&["trace", "start", "--admin", &bank.admin]);
    assert!(text(&again.stderr).contains("already"));
    assert_eq!(bank.get("/bank/accounts/10000001").status, 200);
    let stopped = ask(&bank, &["trace", "stop"]);
    assert_eq!(stopped["path"], started["path"]);
    assert!(
        stopped["records"].as_u64().is_some_and(|n| n > 0),
        "{stopped}"
    );
    let path = stopped["path"].as_str().unwrap();
    let printed = run(&["trace", "print", "--file", path]);
    let printed = text(&printed.stdout);
    assert!(
        printed.contains("READ") && printed.contains("exit"),
        "{printed}"
    );
    assert!(!printed.contains("kernel"), "{printed}");
    fs::remove_file(path).unwrap();
}

#[test]
fn top_shows_tasks_classes_and_files_of_a_region() {
    let bank = Server::start(&example("bank"));
    assert_eq!(bank.get("/bank/accounts/10000001").status, 200);
    let sample = ask(&bank, &["top", "--once"]);
    assert_eq!(sample["statistics"]["tasks_ok"], 1);
    assert!(sample["general_cpu_ns"].as_u64().is_some_and(|ns| ns > 0));
    let page = run(&["top", "--once", "--admin", &bank.admin]);
    let page = text(&page.stdout);
    for part in ["tasks    0 of", "BANKCLS", "ACCTFILE", "engines  general"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    assert!(!page.contains('\x1b'), "{page}");
}
