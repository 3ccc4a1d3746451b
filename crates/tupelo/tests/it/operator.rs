//! Operators and the tasks of a running region: waiting tasks, lock holders,
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

/// The JSON output of an operator's command.
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
    grant(folder.path(), "SHUTDOWN");
    let bank = Server::start(folder.path());
    // The task ends normally, with the operator's reply.
    assert_ne!(bank.get("/bank/accounts/10000001").status, 500);
    assert_eq!(bank.ended(), Some(0));
}

/// Lets programs use a command that administers the region.
fn grant(folder: &Path, command: &str) {
    let path = folder.join("tupelo.toml");
    let settings = fs::read_to_string(&path).unwrap();
    let granted = format!("[region]\nspi = [\"{command}\"]\n");
    assert!(settings.contains("[region]\n"), "{settings}");
    fs::write(path, settings.replace("[region]\n", &granted)).unwrap();
}

#[test]
fn a_program_without_the_grant_gets_notauth_and_the_server_goes_on() {
    let asks = "PROCEDURE DIVISION.\n           EXEC CICS PERFORM SHUTDOWN END-EXEC\n";
    let folder = bank_that(asks);
    grant(folder.path(), "CREATE");
    let log = tempfile::NamedTempFile::new().unwrap();
    let bank = Server::start_logging(folder.path(), log.reopen().unwrap());
    for _ in 0..2 {
        let answer = bank.get("/bank/accounts/10000001");
        assert_eq!(answer.status, 500, "{}", text(&answer.body));
    }
    until("the log has the abend", || {
        fs::read_to_string(log.path()).is_ok_and(|log| log.contains("AEY7"))
    });
}

#[test]
fn who_has_no_token_changes_nothing_and_reads_all() {
    let bank = Server::start(&example("bank"));
    let ask = |method: &str, path: &str, token: &str| {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nx-tupelo-operator: {token}\r\n\
             connection: close\r\n\r\n"
        );
        crate::http::raw(&bank.admin, head.as_bytes()).unwrap()
    };
    let stop = "/apis/accounts/stop";
    for token in ["1", "", "none"] {
        assert_eq!(ask("POST", stop, token).status, 403, "{token:?}");
    }
    for path in ["/health", "/metrics", "/tasks", "/apis"] {
        assert_eq!(ask("GET", path, "1").status, 200, "{path}");
    }
    assert_eq!(bank.get("/bank/accounts/10000001").status, 200);
    // The key of a link works once, and gives a token that works.
    let key = bank.console_key("");
    let key = key.strip_prefix("#key=").unwrap();
    assert_eq!(ask("POST", stop, key).status, 403);
    let session = ask("POST", "/operator/session", key);
    let session: Value = serde_json::from_slice(&session.body).unwrap();
    assert_eq!(ask("POST", "/operator/session", key).status, 403);
    let token = session["token"].as_str().unwrap();
    assert_eq!(ask("POST", stop, token).status, 200);
    assert_eq!(bank.get("/bank/accounts/10000001").status, 503);
    assert_eq!(
        ask("POST", "/apis/accounts/start", &bank.operator_token()).status,
        200
    );
}

/// The bank, whose inquiry connects to the port that is its account number, at
/// each of these addresses and returns how many of them let it in.
fn connecting_bank(hosts: &[&str]) -> tempfile::TempDir {
    let mut statements = "PROCEDURE DIVISION.\n           \
        SET ADDRESS OF ACCTINQ-AREA TO ADDRESS OF DFHCOMMAREA\n           \
        SUBTRACT 10000000 FROM INQ-NUMBER GIVING ASK-PORT\n           \
        MOVE 0 TO INQ-MOVEMENTS INQ-BALANCE INQ-OVERDRAFT INQ-OPENED\n           \
        MOVE SPACES TO INQ-HOLDER INQ-KIND\n"
        .to_owned();
    for host in hosts {
        statements += &format!(
            "           EXEC CICS WEB OPEN HOST('{host}') HOSTLENGTH({})\n               \
             PORTNUMBER(ASK-PORT) SCHEME(DFHVALUE(HTTP))\n               \
             SESSTOKEN(ASK-TOKEN) RESP(WS-RESP) END-EXEC\n           \
             IF WS-RESP = 0 ADD 1 TO INQ-MOVEMENTS END-IF\n",
            host.len()
        );
    }
    statements += "           MOVE SPACES TO RESULT-TEXT\n           SET RESULT-OK TO TRUE\n           \
        EXEC CICS RETURN END-EXEC.\n";
    let folder = bank_that(&statements);
    let program = folder.path().join("cobol/ACCTINQ.cbl");
    let text = fs::read_to_string(&program).unwrap();
    let fields = "01  ASK-REPLY PIC X(20).\n       01  ASK-PORT PIC S9(8) COMP.\n       \
        01  ASK-TOKEN PIC X(8).\n";
    fs::write(program, text.replace("01  ASK-REPLY PIC X(20).\n", fields)).unwrap();
    let settings = folder.path().join("tupelo.toml");
    let text = fs::read_to_string(&settings).unwrap();
    let allowed = "\n[web]\nconnect = [\"any\"]\nresolver = true\n[terminal]\n\
        listen = \"127.0.0.1:0\"\n[appc]\nlu = \"NET.BANK\"\nlisten = \"127.0.0.1:0\"\n[region]\n";
    assert!(
        !text.contains("[web]") && !text.contains("[terminal]"),
        "{text}"
    );
    fs::write(settings, text.replacen("\n[region]\n", allowed, 1)).unwrap();
    folder
}

#[test]
fn no_spelling_of_an_address_leads_a_program_to_where_its_region_is_administered() {
    let hosts = [
        "127.0.0.1",
        "127.1.2.3",
        "localhost",
        "0.0.0.0",
        "::1",
        "::ffff:127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
    ];
    let folder = connecting_bank(&hosts);
    let bank = Server::start(folder.path());
    let reached = |port: &str| {
        let answer = bank.get(&format!("/bank/accounts/1{port:0>7}"));
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        body["movements"]
            .as_u64()
            .unwrap_or_else(|| panic!("{body}"))
    };
    let port = |address: &str| address.rsplit(':').next().unwrap().to_owned();
    assert_eq!(reached(&port(&bank.admin)), 0);
    assert_eq!(reached(&port(&bank.tn3270)), 0);
    assert_eq!(reached(&port(&bank.appc)), 0);
    // The same spellings reach ports that are allowed, so the addresses are right.
    assert!(reached(&port(&bank.gateway)) >= 7);
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
        let printed = text(&done.stdout);
        assert!(
            printed.contains("by ending its worker's process"),
            "{printed}"
        );
        assert_eq!(answer.join().unwrap(), 500);
    });
}

#[test]
fn an_operators_mistakes_are_reported_and_change_nothing() {
    let bank = Server::start(&example("bank"));
    let admin = bank.admin.as_str();
    for (args, expected) in [
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
        assert!(stderr.contains(expected), "{args:?}: {stderr}");
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
