//! The first hour of a new user, and its usual mistakes: no answer is wrong, and the terminal
//! shows every error.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};

use crate::http;
use crate::program::{run, text, tupelo, until};
use crate::server::application;

/// A server whose every line is kept.
pub struct WatchedServer {
    child: Child,
    output: Arc<Mutex<String>>,
}

impl WatchedServer {
    pub fn start(folder: &Path, more: &[&str]) -> WatchedServer {
        let mut child = tupelo()
            .arg("serve")
            .arg(folder)
            .args(["--listen", "0", "--admin", "0"])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let streams: [Box<dyn Read + Send>; 2] = [
            Box::new(child.stdout.take().unwrap()),
            Box::new(child.stderr.take().unwrap()),
        ];
        for stream in streams {
            let said = said.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    *said.lock().unwrap() += &format!("{line}\n");
                }
            });
        }
        let server = WatchedServer {
            child,
            output: said,
        };
        server.wait_for("admin ");
        server
    }

    pub fn output(&self) -> String {
        self.output.lock().unwrap().clone()
    }

    pub fn wait_for(&self, word: &str) {
        until(&format!("{word:?} in {}", self.output()), || {
            self.output().contains(word)
        });
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The address of a line that names a listener.
    pub fn address(&self, what: &str) -> String {
        let said = self.output();
        let line = said.lines().find(|l| l.starts_with(what)).unwrap();
        let url = line.split_whitespace().nth(1).unwrap();
        url.trim_start_matches("http://")
            .trim_end_matches("/docs/")
            .to_owned()
    }
}

impl Drop for WatchedServer {
    fn drop(&mut self) {
        // SAFETY: kill(2) takes any pid; the child is ours and not yet reaped.
        unsafe { libc::kill(self.child.id() as i32, libc::SIGTERM) };
        let _ = self.child.wait();
    }
}

const MONEY: &str = "       01  MONEY-AREA.\n           05  AMOUNT  PIC S9(7)V99.\n           05  TWICE   PIC S9(8)V99.\n";

const DOUBLE: &str = include_str!("../../testdata/programs/first_hour/DOUBLE.cbl");

/// An application with an API that was imported from a copybook.
pub fn money() -> tempfile::TempDir {
    let app = application(&[("copybooks/MONEY.cpy", MONEY), ("cobol/DOUBLE.cbl", DOUBLE)]);
    let folder = app.path().to_str().unwrap();
    let copybook = app.path().join("copybooks/MONEY.cpy");
    let made = run(&[
        "api",
        "import",
        "money",
        "--program",
        "DOUBLE",
        "--app",
        folder,
        "--request",
        copybook.to_str().unwrap(),
    ]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    app
}

fn change_money(app: &Path) {
    let changed = MONEY.replace("S9(7)V99", "S9(6)V999");
    std::fs::write(app.join("copybooks/MONEY.cpy"), changed).unwrap();
}

#[test]
fn a_copybook_that_drifts_from_its_api_is_an_error_until_the_api_is_updated() {
    let app = money();
    let folder = app.path().to_str().unwrap();
    let check = || run(&["check", folder]);
    assert_eq!(check().status.code(), Some(0), "{}", text(&check().stdout));
    change_money(app.path());
    let checked = check();
    assert_eq!(checked.status.code(), Some(1));
    let out = text(&checked.stdout);
    assert!(out.contains("copybooks/MONEY.cpy:2:"), "{out}");
    assert!(out.contains("AMOUNT was PIC S9(7)V99"), "{out}");
    assert!(out.contains("S9(6)V999.\n"), "the line stands there: {out}");
    let mapping = app
        .path()
        .join("apis/money/src/main/operations/%2F/post/response_200.yaml");
    let edited = std::fs::read_to_string(&mapping).unwrap() + "# mine\n";
    std::fs::write(&mapping, &edited).unwrap();
    let updated = run(&["api", "import", "money", "--update", "--app", folder]);
    assert!(updated.status.success(), "{}", text(&updated.stderr));
    assert_eq!(check().status.code(), Some(0), "{}", text(&check().stdout));
    assert_eq!(std::fs::read_to_string(&mapping).unwrap(), edited);
    let document = app.path().join("apis/money/src/main/api/openapi.yaml");
    assert!(std::fs::read_to_string(document).unwrap().contains("0.001"));
}

#[test]
fn a_drift_while_it_is_served_keeps_programs_and_apis_as_they_were() {
    let app = money();
    let server = WatchedServer::start(app.path(), &[]);
    let gateway = server.address("gateway");
    let ask = || http::send(&gateway, "POST", "/money", Some("{\"amount\": 12.50}"));
    assert_eq!(ask().json()["twice"], 25.0, "{:?}", ask());
    change_money(app.path());
    server.wait_for("not loaded, the previous state stays in force");
    assert_eq!(ask().json()["twice"], 25.0);
    assert!(
        server.output().contains("api import money --update"),
        "{}",
        server.output()
    );
    let folder = app.path().to_str().unwrap();
    let updated = run(&["api", "import", "money", "--update", "--app", folder]);
    assert!(updated.status.success(), "{}", text(&updated.stderr));
    server.wait_for("loaded again");
    assert_eq!(ask().json()["twice"], 25.0);
    assert!(!server.output().contains("WARN"), "{}", server.output());
}

#[test]
fn one_bad_mapping_leaves_the_other_apis_served() {
    let app = money();
    let mapping = app
        .path()
        .join("apis/money/src/main/operations/%2F/post/request.yaml");
    let right = std::fs::read_to_string(&mapping).unwrap();
    std::fs::write(&mapping, right.replace("AMOUNT", "AMOUNTT")).unwrap();
    std::fs::write(app.path().join("cobol/BAD.cbl"), "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. BAD.\n       PROCEDURE DIVISION.\n           MOVEE A TO B.\n").unwrap();
    let server = WatchedServer::start(app.path(), &[]);
    let said = server.output();
    assert!(
        said.contains("2 operations of 1 API; not served: money"),
        "{said}"
    );
    assert!(said.contains("1 program did not compile"), "{said}");
    server.wait_for("has no AMOUNTT");
    assert_eq!(
        http::send(&server.address("gateway"), "GET", "/hello/world", None).status,
        200
    );
}

const TALKS: &str = include_str!("../../testdata/programs/first_hour/HELLO.cbl");

#[test]
fn abends_displayed_lines_and_requests_are_seen_without_asking() {
    let settings = "[gateway]\naccess_log = true\n";
    let app = application(&[("cobol/HELLO.cbl", TALKS), ("tupelo.toml", settings)]);
    let server = WatchedServer::start(app.path(), &[]);
    let answer = http::send(&server.address("gateway"), "GET", "/hello/world", None);
    assert_eq!(answer.status, 500);
    let detail = answer.json()["detail"].to_string();
    assert!(
        detail.contains("CONTAINERERR") && detail.contains("NO-SUCH-ONE"),
        "{detail}"
    );
    server.wait_for("LOOKING FOR IT");
    server.wait_for("GET /hello/world");
    let said = server.output();
    assert!(
        said.contains("display task 1      HELO HELLO     LOOKING FOR IT"),
        "{said}"
    );
    let abend = said
        .lines()
        .find(|l| l.contains(" abend "))
        .unwrap_or_else(|| panic!("{said}"));
    assert!(
        abend.contains("task 1") && abend.contains("HELLO line 12"),
        "{abend}"
    );
    assert!(
        said.contains("12 | EXEC CICS GET CONTAINER('NO-SUCH-ONE')"),
        "{said}"
    );
    assert!(
        said.lines()
            .any(|l| l.contains("request") && l.contains("500")),
        "{said}"
    );
    assert!(!said.contains("\\x1b"), "{said}");
}

#[test]
fn calls_of_a_program_that_did_not_compile_report_that() {
    let broken = TALKS.replace("DISPLAY 'LOOKING", "DISPLAYY 'LOOKING");
    let caller = include_str!("../../testdata/programs/first_hour/CALLER.cbl");
    let csd = "DEFINE TRANSACTION(HELO) GROUP(G) PROGRAM(HELLO)
DEFINE TRANSACTION(CALL) GROUP(G) PROGRAM(CALLER)
";
    for csd in [
        csd.to_owned(),
        format!("{csd}DEFINE PROGRAM(HELLO) GROUP(G)\n"),
    ] {
        let files = [
            ("cobol/HELLO.cbl", &*broken),
            ("cobol/CALLER.cbl", caller),
            ("resources.csd", &*csd),
        ];
        let app = application(&files);
        let server = WatchedServer::start(app.path(), &[]);
        let answer = http::send(&server.address("gateway"), "GET", "/hello/world", None);
        assert_eq!(answer.status, 500);
        let detail = answer.json()["detail"].to_string();
        assert!(detail.contains("program HELLO did not compile"), "{detail}");
        assert!(detail.contains("tupelo check"), "{detail}");
        drop(server);
        let folder = app.path().to_str().unwrap();
        let ran = run(&["run", "HELO", folder]);
        let printed = format!("{}{}", text(&ran.stdout), text(&ran.stderr));
        assert!(
            printed.contains("program HELLO did not compile"),
            "{printed}"
        );
        let linked = run(&["run", "CALL", folder]);
        let printed = format!("{}{}", text(&linked.stdout), text(&linked.stderr));
        assert!(printed.contains("PGMIDERR"), "{printed}");
    }
}

#[test]
fn the_page_that_tries_requests_is_named_and_sends_them_to_the_gateway() {
    let app = application(&[]);
    let server = WatchedServer::start(app.path(), &[]);
    let gateway = server.address("gateway");
    assert_eq!(server.address("docs"), gateway);
    assert_eq!(http::send(&gateway, "GET", "/docs/", None).status, 200);
    let from_admin = http::send(&server.address("admin"), "GET", "/docs/", None);
    assert_eq!(
        from_admin.header("location"),
        Some(format!("http://{gateway}/docs/").as_str())
    );
}

#[test]
fn a_port_alone_is_an_address_and_one_in_use_names_who_has_it() {
    let app = application(&[]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let folder = app.path().to_str().unwrap();
    let refused = run(&["serve", folder, "--listen", &port, "--admin", "0"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        said.contains(&format!("port {port} is in use by")),
        "{said}"
    );
    assert!(
        said.contains(&format!("(pid {})", std::process::id())),
        "{said}"
    );
    assert!(said.contains("--listen"), "{said}");
}

#[test]
fn an_empty_folder_gets_a_message_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let refused = run(&["serve", folder.path().to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr);
    assert!(
        said.contains("tupelo new hello") && said.contains("api import"),
        "{said}"
    );
}

#[test]
fn a_file_is_loaded_before_the_first_serve() {
    let app = application(&[
        (
            "resources.csd",
            "DEFINE FILE(NOTES) GROUP(A) KEYLENGTH(4) RECORDSIZE(16) RECORDFORMAT(F)\n",
        ),
        ("notes.txt", "A001first note  \n"),
    ]);
    let folder = app.path().to_str().unwrap();
    let notes = app.path().join("notes.txt");
    let load = [
        "file",
        "load",
        "NOTES",
        notes.to_str().unwrap(),
        "--format",
        "lines",
        "--app",
        folder,
    ];
    let loaded = run(&load);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    assert!(
        text(&loaded.stdout).contains("1 records loaded"),
        "{}",
        text(&loaded.stdout)
    );
}

#[test]
fn completions_and_manual_pages_have_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let printed = text(&run(&["completions", shell]).stdout);
        assert!(
            printed.contains("serve") && printed.contains("strip-prefix"),
            "{shell}"
        );
        assert!(
            !printed.contains("worker"),
            "{shell}: what is hidden stays hidden"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let made = run(&["man", "--dir", folder.path().to_str().unwrap()]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let import = std::fs::read_to_string(folder.path().join("tupelo-api-import.1")).unwrap();
    assert!(import.contains("strip\\-prefix"), "{import}");
    assert!(folder.path().join("tupelo.1").is_file());
    assert!(!folder.path().join("tupelo-worker.1").exists());
    for page in std::fs::read_dir(folder.path()).unwrap() {
        let page = page.unwrap().path();
        let text = std::fs::read_to_string(&page).unwrap().replace('\\', "");
        let names = text.split_whitespace().filter(|word| word.ends_with("(1)"));
        for name in names {
            let file = name.replace("(1)", ".1");
            assert!(
                folder.path().join(&file).is_file(),
                "{} names {name}",
                page.display()
            );
        }
    }
}

#[test]
fn check_reports_fields_beyond_a_short_commarea() {
    let app = application(&[
        (
            "copybooks/AREA.cpy",
            "       01  AREA-1.\n           05  A PIC X(6).\n           05  B PIC X(6).\n",
        ),
        (
            "cobol/SHORT.cbl",
            include_str!("../../testdata/programs/first_hour/SHORT.cbl"),
        ),
    ]);
    let folder = app.path().to_str().unwrap();
    let book = app.path().join("copybooks/AREA.cpy");
    let book = book.to_str().unwrap();
    let import = [
        "api",
        "import",
        "short",
        "--program",
        "SHORT",
        "--request",
        book,
        "--app",
        folder,
    ];
    let made = run(&import);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let printed = text(&run(&["check", folder]).stdout);
    let wanted = "SHORT.cbl:7: warning: DFHCOMMAREA has 10 bytes, and the API passes 12: \
                  the program does not see the rest";
    assert!(printed.contains(wanted), "{printed}");
}

#[test]
fn completions_load_without_output_and_offer_the_valid_words() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().to_str().unwrap();
    for (shell, file, arguments, script) in [
        (
            "bash",
            "tupelo",
            vec!["--norc"],
            "source HERE/tupelo; COMP_WORDS=(tupelo lab nag); COMP_CWORD=2; _tupelo tupelo nag lab; echo ${COMPREPLY[@]}",
        ),
        (
            "fish",
            "tupelo.fish",
            vec!["--no-config"],
            "source HERE/tupelo.fish; complete -C 'tupelo lab nag'",
        ),
        // zsh completes only in a terminal.
        (
            "zsh",
            "_tupelo",
            vec!["-f"],
            "fpath=(HERE $fpath); autoload -Uz compinit; compinit -u -D; autoload +X -Uz _tupelo; \
             print $_comps[tupelo]; print ${functions[_tupelo]}",
        ),
    ] {
        let made = run(&["completions", shell]);
        std::fs::write(folder.path().join(file), &made.stdout).unwrap();
        let loaded = std::process::Command::new(shell)
            .args(arguments)
            .args(["-c", &script.replace("HERE", here)])
            .env("HOME", folder.path())
            .output();
        let Ok(loaded) = loaded else {
            skipped::lacking(shell, "it is not installed");
            continue;
        };
        assert_eq!(text(&loaded.stderr), "", "{shell}");
        assert!(
            text(&loaded.stdout).contains("nagle"),
            "{shell}: {}",
            text(&loaded.stdout)
        );
    }
}

#[test]
fn a_new_application_answers_both_operations_and_refuses_with_a_reason() {
    let app = application(&[]);
    let server = WatchedServer::start(app.path(), &[]);
    let gateway = server.address("gateway");
    let ask = |amount: u32| {
        let body = format!("{{\"amount\": {amount}, \"rate\": 4.5, \"months\": 48}}");
        http::send(&gateway, "POST", "/loans", Some(&body))
    };
    let granted = ask(10_000);
    assert_eq!(
        (granted.status, granted.json()["monthlyPayment"].as_f64()),
        (200, Some(228.03))
    );
    // To the cent, whatever the amount, the rate and the time.
    for (loan, payment) in [
        (
            "\"amount\": 631181315.60, \"rate\": 2.174, \"months\": 16",
            40_059_060.21,
        ),
        (
            "\"amount\": 9999999, \"rate\": 0.01, \"months\": 360",
            27_819.58,
        ),
        (
            "\"amount\": 860086450.65, \"rate\": 4.048, \"months\": 360",
            4_130_020.72,
        ),
    ] {
        let answer = http::send(&gateway, "POST", "/loans", Some(&format!("{{{loan}}}")));
        let paid = answer.json()["monthlyPayment"].as_f64();
        assert_eq!(paid, Some(payment), "{loan}");
    }
    let refused = ask(50);
    assert_eq!(refused.status, 422);
    assert!(
        refused.json()["detail"]
            .to_string()
            .contains("smallest loan"),
        "{refused:?}"
    );
    assert_eq!(
        http::send(&gateway, "GET", "/hello/world", None).status,
        200
    );
}

const TABLE: &str = "       01  REQ-AREA.\n           05  REQ-CODE  PIC X(4) OCCURS 3 TIMES.\n";
const TOTAL: &str = "       01  RSP-AREA.\n           05  RSP-TOTAL PIC 9(4).\n";

const NAMED_CHANNEL: &str = include_str!("../../testdata/programs/first_hour/TOTALS.cbl");

#[test]
fn the_line_to_try_fits_and_a_channel_of_another_name_is_reported_before_and_when_it_fails() {
    let folder = application(&[
        ("cobol/TOTALS.cbl", NAMED_CHANNEL),
        ("copybooks/REQ.cpy", TABLE),
        ("copybooks/RSP.cpy", TOTAL),
    ]);
    let app = folder.path().display().to_string();
    let book = |name: &str| format!("{app}/copybooks/{name}.cpy");
    let made = run(&[
        "api",
        "import",
        "totals",
        "--app",
        &app,
        "--program",
        "TOTALS",
        "--transid",
        "TOTL",
        "--channel",
        "--request",
        &format!("IN={}", book("REQ")),
        "--response",
        &format!("OUT={}", book("RSP")),
        "--strip-prefix",
        "REQ,RSP",
    ]);
    let made = text(&made.stdout);
    // Each element of a table that has so many, and both prefixes gone.
    let (_, body) = made.split_once("-d '").expect("a line to try");
    let body = body.split('\'').next().unwrap();
    assert_eq!(body, r#"{"code":["text","text","text"]}"#);
    let check = run(&["check", &app]);
    let printed = text(&check.stdout) + &text(&check.stderr);
    assert!(printed.contains("names the channel MINE"), "{printed}");
    let server = WatchedServer::start(folder.path(), &[]);
    let gateway = server.address("gateway");
    let post = || http::send(&gateway, "POST", "/totals", Some(body));
    let refused = text(&post().body);
    assert!(refused.contains("(channel MINE)"), "{refused}");
    let mended = NAMED_CHANNEL.replace(" CHANNEL('MINE')", "");
    std::fs::write(folder.path().join("cobol/TOTALS.cbl"), mended).unwrap();
    until("the mended program", || post().status == 200);
    assert_eq!(text(&post().body), r#"{"total":3}"#);
}

/// With tabs, as many editors write them.
const TABBED: &str = include_str!("../../testdata/programs/first_hour/TABBED.cbl");

#[test]
fn warnings_of_check_have_their_line_also_in_a_text_with_tabs() {
    let variants = "\t05 RSP-KIND PIC X.\n\t05 RSP-TEXT PIC X(8).\n\t05 RSP-SUM REDEFINES RSP-TEXT.\n\t   10 RSP-NUMBER PIC S9(5) COMP-3.\n\t   10 FILLER PIC X(5).\n";
    let folder = application(&[
        ("cobol/TABBED.cbl", TABBED),
        ("copybooks/TREQ.cpy", "\t05 REQ-CODE PIC X(4).\n"),
        ("copybooks/TRSP.cpy", variants),
        (
            "resources.csd",
            "DEFINE TRANSACTION(TABS) GROUP(G) PROGRAM(NOWHERE)\n",
        ),
    ]);
    let app = folder.path().display().to_string();
    let book = |container: &str, name: &str| format!("{container}={app}/copybooks/{name}.cpy");
    let (request, response) = (book("IN", "TREQ"), book("OUT", "TRSP"));
    let import = |name: &str, program: &str| {
        let made = run(&[
            "api",
            "import",
            name,
            "--app",
            &app,
            "--program",
            program,
            "--transid",
            "TABS",
            "--channel",
            "--request",
            &request,
            "--response",
            &response,
            "--redefines",
            "all",
        ]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        text(&made.stdout)
    };
    let made = import("tabs", "TABBED");
    assert!(made.contains("with PROGRAM(NOWHERE)"), "{made}");
    // The help does not suggest the option that was used.
    assert!(
        made.contains("Left out of the response") && !made.contains("--redefines all"),
        "{made}"
    );
    assert!(!made.contains("cobol/ has no"), "{made}");
    let check = run(&["check", &app]);
    let printed = text(&check.stdout);
    assert!(printed.contains("cobol/TABBED.cbl:12:"), "{printed}");
    assert!(
        printed.contains("TABBED never puts the container OUT"),
        "{printed}"
    );
    assert!(!printed.contains("never gets"), "{printed}");
    assert!(
        printed
            .contains("resources.csd:1: warning: TRANSACTION(TABS): there is no program NOWHERE"),
        "{printed}"
    );
    assert!(import("later", "LATER").contains("cobol/ has no LATER"));
}

#[test]
fn a_store_that_another_server_has_names_that_server_and_a_way_out() {
    let app = money();
    let _server = WatchedServer::start(app.path(), &[]);
    let folder = app.path().to_str().unwrap();
    let refused = run(&["serve", folder, "--listen", "0", "--admin", "0"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(said.contains("serve") && said.contains("--state"), "{said}");
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(top.join("README.md")).unwrap();
    let copybook = top.join("examples/bank/copybooks/LISTREQ.cpy");
    let commands: [&[&str]; 2] = [&["lab"], &["record", "layout", copybook.to_str().unwrap()]];
    for command in commands {
        let printed = text(&run(command).stdout);
        assert!(readme.contains(&printed), "{command:?} prints\n{printed}");
    }
}

pub const PROGRAM: &str = include_str!("../../testdata/programs/first_hour/NAME.cbl");

/// Expressions whose results were A, zero, A, zero and wrong with cobc's IBM dialect.
#[test]
fn amounts_agree_with_the_formula() {
    let formulas = [
        ("WS-TOTAL - WS-COUNT * WS-EACH", "994.00"),
        ("WS-TOTAL * (1 + 0.03 * WS-COUNT)", "1060.00"),
        ("WS-TOTAL / (WS-COUNT * WS-EACH)", "166.66"),
        ("(WS-TOTAL + 1) * (WS-COUNT + 2)", "4004.00"),
        ("WS-TOTAL * (WS-PART + 1)", "1030.00"),
        ("WS-TOTAL * WS-PART / (WS-COUNT + WS-EACH)", "6.00"),
    ];
    let mut program = String::from(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TOTAL  PIC S9(7)V99 COMP-3 VALUE 1000.
       01  WS-COUNT  PIC S9(4) COMP VALUE 2.
       01  WS-EACH   PIC 9(3) VALUE 3.
       01  WS-PART   PIC V9(4) VALUE 0.03.
       01  WS-RESULT PIC S9(7)V99.
       PROCEDURE DIVISION.
",
    );
    for (at, (formula, result)) in formulas.iter().enumerate() {
        program += &format!(
            "           COMPUTE WS-RESULT =\n               {formula}
           IF WS-RESULT NOT = {result}
               EXEC CICS ABEND ABCODE('BAD{at}') END-EXEC
           END-IF\n"
        );
    }
    program += "           IF WS-TOTAL * (1 + WS-COUNT) = 3000
               CONTINUE
           ELSE
               EXEC CICS ABEND ABCODE('BADI') END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.\n";
    let app = application(&[("cobol/HELLO.cbl", &program)]);
    let ran = run(&["run", "HELO", app.path().to_str().unwrap()]);
    assert!(
        ran.status.success(),
        "{}{}",
        text(&ran.stdout),
        text(&ran.stderr)
    );
}
