//! Mistakes of a beginner: each is reported once, with the place and the fix.

use crate::first_hour::{PROGRAM, WatchedServer, money};
use crate::http;
use crate::program::{run, text};
use crate::server::application;

#[test]
fn what_a_beginner_gets_wrong_is_reported_once_with_place_and_fix() {
    let using = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. TAXES.\n       DATA DIVISION.\n       LINKAGE SECTION.\n       01  NET-A PIC 9(5)V99.\n       PROCEDURE DIVISION USING NET-A.\n           GOBACK.\n";
    let app = application(&[
        ("cobol/RATES.cbl", &PROGRAM.replace("NAME", "RATES")),
        ("cobol/tax.cbl", using),
        ("cobol/TAX2.cbl", using),
        ("cobol/LONG.cbl", &using.replace("TAXES", "TAXESOFALL")),
        (
            "copybooks/MONEY.cpy",
            "           05  AMOUNT PIC S9(5)V99.\n",
        ),
        ("copy/ELSEWH.cpy", "       01  W-X PIC X.\n"),
        (
            "resources.csd",
            "DEFINE TRANSACTION(TAX1) GROUP(G) PROGRAM(TAXES)\nDEFINE TRANSACTION(GONE) GROUP(G) PROGRAM(GONE)\n",
        ),
    ]);
    let folder = app.path().to_str().unwrap();
    let book = app.path().join("copybooks/MONEY.cpy");
    let made = run(&[
        "api",
        "import",
        "gone",
        "--app",
        folder,
        "--program",
        "GONE",
        "--transid",
        "GONE",
        "--request",
        book.to_str().unwrap(),
    ]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let check_output = text(&run(&["check", folder]).stdout);
    for (once, fix) in [
        ("there is no COPY member MONY", "did you mean MONEY?"),
        ("there is no COPY member ELSEWH", "ELSEWH.cpy is in copy:"),
        ("RIDFDL", "did you mean RIDFLD?"),
        (
            "TRANSACTION(GONE): there is no program GONE; also called by API gone: POST /gone/",
            "ends with .cbl",
        ),
        (
            "PROGRAM-ID TAXES is also that of TAX2.cbl",
            "another PROGRAM-ID",
        ),
        ("PROGRAM-ID TAXESOFALL has 10 characters", "1 to 8"),
        (
            "tax.cbl:6:8: warning: a task gives its first program no parameters: NET-A",
            "CALLs this one",
        ),
    ] {
        let messages = || {
            check_output.lines().filter(|l| {
                l.contains(": error:") || l.contains(": warning:") || l.contains(": note:")
            })
        };
        let those = messages().filter(|line| line.contains(once));
        assert_eq!(those.count(), 1, "{once}: {check_output}");
        assert!(check_output.contains(fix), "{fix}: {check_output}");
    }
    assert!(!check_output.contains("READ needs"), "{check_output}");
    assert!(!check_output.contains("calls GONE, and"), "{check_output}");
}

#[test]
fn two_sources_of_one_name_leave_the_others_served() {
    let text = |says: &str| {
        format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. TWIN.\n       DATA DIVISION.\n       \
             LINKAGE SECTION.\n       01  DFHCOMMAREA.\n           05  SAYS PIC X(6).\n       \
             PROCEDURE DIVISION.\n           MOVE '{says}' TO SAYS\n           EXEC CICS RETURN END-EXEC.\n"
        )
    };
    let app = application(&[
        ("cobol/ONE.cbl", &text("first")),
        ("cobol/TWO.cbl", &text("second")),
        (
            "copybooks/AREA.cpy",
            "       01  AREA-1.\n           05  SAYS PIC X(6).\n",
        ),
    ]);
    let folder = app.path().to_str().unwrap();
    let book = app.path().join("copybooks/AREA.cpy");
    let book = book.to_str().unwrap();
    let made = run(&[
        "api",
        "import",
        "twin",
        "--app",
        folder,
        "--program",
        "TWIN",
        "--request",
        book,
    ]);
    assert!(
        made.status.success(),
        "{}",
        crate::program::text(&made.stderr)
    );
    let server = WatchedServer::start(app.path(), &[]);
    assert!(
        server
            .output()
            .contains("is also that of ONE.cbl; the program of that file runs"),
        "{}",
        server.output()
    );
    let answer = http::send(&server.address("gateway"), "POST", "/twin", Some("{}"));
    assert_eq!(answer.json()["says"], "first");
}

#[test]
fn a_copy_that_is_missing_below_a_copybook_is_reported_once_by_check_and_serve() {
    let app = application(&[
        (
            "copybooks/RATE.cpy",
            "           05  RATE PIC 9V99.\n           COPY INNER.\n",
        ),
        ("copybooks/INNER.cpy", "           05  CODE1 PIC X.\n"),
        (
            "cobol/RATES.cbl",
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. RATES.\n       DATA DIVISION.\n       LINKAGE SECTION.\n       01  DFHCOMMAREA.\n           COPY RATE.\n       PROCEDURE DIVISION.\n           GOBACK.\n",
        ),
    ]);
    let folder = app.path().to_str().unwrap();
    let book = app.path().join("copybooks/RATE.cpy");
    let made = run(&[
        "api",
        "import",
        "rates",
        "--app",
        folder,
        "--program",
        "RATES",
        "--transid",
        "RATE",
        "--request",
        book.to_str().unwrap(),
    ]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    std::fs::remove_file(app.path().join("copybooks/INNER.cpy")).unwrap();
    let message = "copybooks/RATE.cpy:2:12: error: there is no COPY member INNER";
    let check = text(&run(&["check", folder]).stdout);
    assert_eq!(check.matches("no COPY member INNER").count(), 1, "{check}");
    assert!(check.contains(message), "{check}");
    let server = WatchedServer::start(app.path(), &[]);
    let said = server.output();
    assert_eq!(said.matches("no COPY member INNER").count(), 1, "{said}");
    assert!(said.contains(message), "{said}");
}

#[test]
fn a_folder_without_an_application_is_no_application_without_faults() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let refused = |what: &str| {
        let checked = run(&["check", what]);
        assert_eq!(checked.status.code(), Some(2));
        text(&checked.stderr)
            .split_whitespace()
            .filter(|word| *word != "│")
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert!(refused(path).contains("there is nothing to serve in"));
    std::fs::create_dir(folder.path().join("src")).unwrap();
    let program = folder.path().join("src/P.CBL");
    std::fs::write(&program, PROGRAM).unwrap();
    let said = refused(path);
    assert!(said.contains("COBOL programs in src"), "{said}");
    assert!(said.contains("programs = [\"src\"]"), "{said}");
    assert!(refused(program.to_str().unwrap()).contains("is a file"));
}

#[test]
fn records_of_a_mainframe_have_its_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("R.cpy");
    std::fs::write(
        &book,
        "       01  R.\n           05  N PIC S9(4) COMP-5.\n           05  D COMP-2.\n           05  P PIC S9(3)V99 COMP-3.\n",
    )
    .unwrap();
    let data = folder.path().join("r.bin");
    let bytes = [
        &[1, 2][..],
        // One, in hexadecimal floating point.
        &[0x41, 0x10, 0, 0, 0, 0, 0, 0],
        &[0x01, 0x25, 0x0D],
    ];
    std::fs::write(&data, bytes.concat()).unwrap();
    let (book, data) = (book.to_str().unwrap(), data.to_str().unwrap());
    let decode = |page: &str| {
        let args = ["record", "decode", book, data, "--code-page", page];
        text(&run(&args).stdout)
    };
    assert_eq!(decode("cp1047").trim(), "{\"N\":258,\"D\":1,\"P\":-12.50}");
    assert!(decode("ascii").contains("\"N\":513"));
}

#[test]
fn a_misspelt_member_of_a_request_is_refused_and_its_field_is_not_zero() {
    let app = money();
    let server = WatchedServer::start(app.path(), &[]);
    let gateway = server.address("gateway");
    let answer = http::send(&gateway, "POST", "/money", Some("{\"amonut\": 12.5}"));
    assert_eq!(answer.status, 400, "{answer:?}");
    let fault = &answer.json()["errors"][0];
    assert_eq!(fault["pointer"], "/amonut");
    let message = fault["message"].as_str().unwrap();
    assert!(message.contains("did you mean amount?"), "{message}");
}
