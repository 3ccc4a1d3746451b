//! The other subcommands.

use crate::program::{run as tupelo, text};
use crate::server::{application, example};

#[test]
fn wrong_usage_exits_64_and_help_exits_0() {
    assert_eq!(
        tupelo(&["serve", "--no-such-option"]).status.code(),
        Some(64)
    );
    let help = tupelo(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(text(&help.stdout).contains("serve"));
}

#[test]
fn arguments_that_do_not_go_together_are_wrong_usage() {
    let app = application(&[]);
    let folder = app.path().to_str().unwrap();
    for arguments in [
        &["batch"][..],
        &["task", "purge", "10000000"],
        &["task", "list", "--admin", "localhost"],
        &["user", "add", "a b", "--app", folder],
        &["api", "structures"],
        &["run", "HELO", folder, "--container", "NAME"],
        &[
            "web",
            "service",
            "wsdl",
            "--program",
            "LONGERTHAN8",
            "--request",
            "x.cpy",
        ],
    ] {
        let ended = tupelo(arguments);
        let why = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(64), "{arguments:?}: {why}");
    }
    // A name of a machine is an address: nothing answers at that port.
    let nothing = tupelo(&["task", "list", "--admin", "localhost:9"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(text(&nothing.stderr).contains("no region answers"));
}

#[test]
fn no_kind_of_mistake_hides_another_from_check() {
    let app = application(&[]);
    let change = |file: &str, from: &str, to: &str| {
        let path = app.path().join(file);
        let old = std::fs::read_to_string(&path).unwrap();
        assert!(old.contains(from), "{file} has no {from}");
        std::fs::write(&path, old.replace(from, to)).unwrap();
    };
    change("tupelo.toml", "[region]", "[region]\nmax_taks = 4");
    change(
        "resources.csd",
        "PROGRAM(LOAN)\n",
        "PROGRAM(LOANISTOOLONG)\n",
    );
    change("cobol/HELLO.cbl", "TO HELLO-TASK", "TO HELLO-TSAK");
    change("cobol/HELLO.cbl", "EXEC CICS RETURN", "EXEC CICS RETRUN");
    let check = tupelo(&["check", app.path().to_str().unwrap()]);
    let all = text(&check.stdout);
    assert_eq!(check.status.code(), Some(1), "{all}{}", text(&check.stderr));
    for finding in [
        "max_taks",
        "LOANISTOOLONG",
        "'HELLO-TSAK' is not defined",
        "no command RETRUN",
    ] {
        assert!(all.contains(finding), "{finding}\n{all}");
    }
    assert!(all.contains(": 4 errors, 0 warnings"), "{all}");
}

#[test]
fn check_without_a_compiler_names_its_package_and_the_other_mistakes() {
    let app = application(&[]);
    let path = app.path().join("tupelo.toml");
    let old = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, old + "\n[compile]\ncobc = \"/no/cobc\"\n[gatway]\n").unwrap();
    let check = tupelo(&["check", app.path().to_str().unwrap()]);
    let all = text(&check.stdout);
    assert_eq!(check.status.code(), Some(1), "{all}");
    for finding in ["gatway", "gnucobol3"] {
        assert!(all.contains(finding), "{finding}\n{all}");
    }
}

#[test]
fn a_new_application_checks_clean() {
    let app = application(&[]);
    let check = tupelo(&["check", app.path().to_str().unwrap()]);
    assert_eq!(
        check.status.code(),
        Some(0),
        "{}{}",
        text(&check.stdout),
        text(&check.stderr)
    );
}

#[test]
fn check_names_the_line_of_a_cobol_mistake() {
    let app = application(&[]);
    let path = app.path().join("cobol/HELLO.cbl");
    let good = std::fs::read_to_string(&path).unwrap();
    std::fs::write(
        &path,
        good.replace("MOVE EIBTASKN TO HELLO-TASK", "MOVE EIBTASKN TO HELLO-TSAK"),
    )
    .unwrap();
    let line = good.lines().position(|l| l.contains("EIBTASKN")).unwrap() + 1;
    let check = tupelo(&["check", app.path().to_str().unwrap()]);
    assert_eq!(check.status.code(), Some(1));
    let all = text(&check.stdout) + &text(&check.stderr);
    assert!(all.contains(&format!("HELLO.cbl:{line}")), "{all}");
    assert!(all.contains("HELLO-TSAK"), "{all}");
}

#[test]
fn record_layout_prints_what_other_tools_can_check() {
    let copybook = example("bank/copybooks/ACCOUNT.cpy");
    let layout = tupelo(&["record", "layout", copybook.to_str().unwrap(), "--json"]);
    assert!(layout.status.success(), "{}", text(&layout.stderr));
    let json: serde_json::Value = serde_json::from_slice(&layout.stdout).unwrap();
    let record = if json.is_array() { &json[0] } else { &json };
    assert_eq!(record["record"], "ACCOUNT-RECORD");
    assert_eq!(record["length"], 80);
    let balance = record["fields"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["path"].as_str().unwrap().ends_with("ACCOUNT-BALANCE"))
        .unwrap();
    assert_eq!(
        (balance["offset"].as_u64(), balance["length"].as_u64()),
        (Some(46), Some(7))
    );
}

#[test]
fn record_layout_shows_where_a_sign_is() {
    let folder = tempfile::tempdir().unwrap();
    let copybook = folder.path().join("SIGNS.cpy");
    let fields = "       01  R.
           05  A                PIC S9(3) SIGN LEADING SEPARATE.
           05  B                PIC S9(3) TRAILING SEPARATE CHARACTER.
           05  C                PIC S9(3) SIGN LEADING.
           05  D                PIC S9(3).
";
    std::fs::write(&copybook, fields).unwrap();
    let layout = tupelo(&["record", "layout", copybook.to_str().unwrap()]);
    let out = text(&layout.stdout);
    let ends: Vec<&str> = out.lines().skip(3).map(|l| l.trim_end()).collect();
    for (line, end) in ends.iter().zip([
        "sign leading separate",
        "sign trailing separate",
        "sign leading",
        "S9(3)",
    ]) {
        assert!(line.ends_with(end), "{out}");
    }
}

#[test]
fn run_prints_what_a_transaction_gives_back() {
    let app = application(&[]);
    let folder = app.path().to_str().unwrap();
    let ran = tupelo(&[
        "run",
        "HELO",
        folder,
        "--commarea",
        "Ada",
        "--length",
        "67",
        "--json",
    ]);
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert!(
        json["commarea"].as_str().unwrap().contains("Hello, Ada!"),
        "{json}"
    );
    let unknown = tupelo(&["run", "NONE", folder]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("NONE"));
}

#[test]
fn an_imported_api_is_served() {
    let app = application(&[]);
    let folder = app.path().to_str().unwrap();
    let copybook = app.path().join("copybooks/HELLO.cpy");
    let imported = tupelo(&[
        "api",
        "import",
        "greet",
        "--program",
        "HELLO",
        "--transid",
        "HELO",
        "--app",
        folder,
        "--request",
        copybook.to_str().unwrap(),
    ]);
    assert_eq!(
        imported.status.code(),
        Some(0),
        "{}",
        text(&imported.stderr)
    );
    let server = crate::server::Server::start(app.path());
    let document =
        std::fs::read_to_string(app.path().join("apis/greet/src/main/api/openapi.yaml")).unwrap();
    assert!(document.contains("post:"), "{document}");
    let answer = server.send("POST", "/greet", Some(r#"{"hello_name": "Ada"}"#));
    let body = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(
        body.contains("Hello, Ada!"),
        "{} {body}\n{document}",
        answer.status
    );
}

#[test]
fn records_go_to_json_and_come_back() {
    let copybook = example("bank/copybooks/ACCOUNT.cpy");
    let data = example("bank/data/accounts.jsonl");
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("accounts.bin");
    let encoded = tupelo(&[
        "record",
        "encode",
        copybook.to_str().unwrap(),
        data.to_str().unwrap(),
        "--code-page",
        "cp037",
        "-o",
        records.to_str().unwrap(),
    ]);
    assert!(encoded.status.success(), "{}", text(&encoded.stderr));
    assert_eq!(std::fs::metadata(&records).unwrap().len(), 20 * 80);
    let decoded = tupelo(&[
        "record",
        "decode",
        copybook.to_str().unwrap(),
        records.to_str().unwrap(),
        "--code-page",
        "cp037",
    ]);
    let lines = |text: &str| -> Vec<serde_json::Value> {
        text.lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect()
    };
    assert_eq!(
        lines(&text(&decoded.stdout)),
        lines(&std::fs::read_to_string(&data).unwrap())
    );
}

#[test]
fn files_are_defined_loaded_dumped_and_measured() {
    let bank = example("bank");
    let state = tempfile::tempdir().unwrap();
    let common = [
        "--app",
        bank.to_str().unwrap(),
        "--state",
        state.path().to_str().unwrap(),
    ];
    let file = |args: &[&str]| tupelo(&[&["file"], args, &common[..]].concat());
    let defined = file(&[
        "define",
        "ACCTFILE",
        "--key",
        "0:8",
        "--record",
        "80",
        "--recoverable",
    ]);
    assert!(defined.status.success(), "{}", text(&defined.stderr));
    assert_eq!(
        file(&["define", "ACCTFILE", "--key", "0:8", "--record", "80"])
            .status
            .code(),
        Some(2)
    );
    let data = bank.join("data/accounts.jsonl");
    let loaded = file(&["load", "ACCTFILE", data.to_str().unwrap()]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    let again = file(&[
        "load",
        "ACCTFILE",
        data.to_str().unwrap(),
        "--add",
        "--max-rejects",
        "50",
    ]);
    assert_eq!(again.status.code(), Some(1), "{}", text(&again.stderr));
    let stat = file(&["stat", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&stat.stdout).unwrap();
    assert_eq!(json["files"][0]["records"], 20);
    let dumped = file(&["dump", "ACCTFILE"]);
    assert_eq!(text(&dumped.stdout).lines().count(), 20);
    assert_eq!(file(&["dump", "NOFILE"]).status.code(), Some(2));
}

#[test]
fn records_of_varying_length_come_back_by_their_own_counters() {
    let copybook = example("bank/copybooks/LISTRPL.cpy");
    let folder = tempfile::tempdir().unwrap();
    let (lines, records) = (folder.path().join("l.jsonl"), folder.path().join("l.bin"));
    let entry = r#"{"ENTRY-NUMBER":1,"ENTRY-HOLDER":"a","ENTRY-KIND":"b","ENTRY-BALANCE":1.25}"#;
    let line = |count: usize| {
        let entries = vec![entry; count].join(",");
        format!(
            r#"{{"RESULT-CODE":0,"RESULT-TEXT":"x","LIST-NEXT":0,"LIST-COUNT":{count},"LIST-ENTRY":[{entries}]}}"#
        ) + "\n"
    };
    let json = line(2) + &line(0) + &line(1);
    std::fs::write(&lines, &json).unwrap();
    let convert = |what: &str, from: &std::path::Path, more: &[&str]| {
        let common = [
            "record",
            what,
            copybook.to_str().unwrap(),
            from.to_str().unwrap(),
        ];
        tupelo(&[&common[..], more].concat())
    };
    let encoded = convert("encode", &lines, &["-o", records.to_str().unwrap()]);
    assert!(encoded.status.success(), "{}", text(&encoded.stderr));
    assert_eq!(text(&convert("decode", &records, &[]).stdout), json);
}

#[test]
fn advise_reports_findings_by_its_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("bad"), "TCPCONFIG DELAYACKS\nPORT 3010 TCP CICSA\n").unwrap();
    std::fs::write(path("good"), "TCPCONFIG NODELAYACKS\n").unwrap();
    std::fs::write(path("strange"), "hello\n").unwrap();

    let bad = tupelo(&["advise", &path("bad")]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(text(&bad.stdout).contains("PORT 3010 TCP CICSA NODELAYACKS"));
    assert!(
        !text(&bad.stdout).contains('\x1b'),
        "colour is for terminals"
    );
    assert_eq!(tupelo(&["advise", &path("good")]).status.code(), Some(0));
    assert_eq!(tupelo(&["advise", &path("strange")]).status.code(), Some(2));
    assert_eq!(tupelo(&["advise", &path("missing")]).status.code(), Some(2));
    for usage in [
        &["advise"][..],
        &["advise", "--kind", "x", "y"],
        &["advise", "--rule", "x", "y"],
    ] {
        assert_eq!(tupelo(usage).status.code(), Some(64), "{usage:?}");
    }
    let json = tupelo(&[
        "advise",
        "--json",
        "--rule",
        "tcpip.delayed-ack",
        &path("bad"),
    ]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["findings"].as_array().unwrap().len(), 2);
    assert_eq!(json["effective"][0]["acknowledgement"], "delayed");
    let rules = tupelo(&["advise", "--rules"]);
    assert_eq!(rules.status.code(), Some(0));
    assert!(text(&rules.stdout).contains("tcpip.mtu.route"));
}
