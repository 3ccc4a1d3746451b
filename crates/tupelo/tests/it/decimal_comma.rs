//! Programs with DECIMAL-POINT IS COMMA: their APIs have the numbers that
//! GnuCOBOL's own pictures have.

use crate::http::HttpAnswer;
use crate::program::{run, text};
use crate::server::{Server, application};

const AREA: &str = "       01  PRICE-AREA.
           05  AMOUNT    PIC S9(7)V99.
           05  SHOWN     PIC Z.ZZZ.ZZ9,99-.
           05  PLAIN     PIC 9(4),99.
           05  GIVEN     PIC ZZZ.ZZ9,99.
           05  TAKEN     PIC S9(7)V99 COMP-3.
           05  AS-TEXT   PIC X(13).
";

const PROGRAM: &str = include_str!("../../testdata/programs/decimal_comma/PRICE.cbl");

fn prices() -> tempfile::TempDir {
    let app = application(&[("copybooks/PRICE.cpy", AREA), ("cobol/PRICE.cbl", PROGRAM)]);
    let made = import(&app, &[]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    app
}

fn import(app: &tempfile::TempDir, more: &[&str]) -> std::process::Output {
    let folder = app.path().to_str().unwrap();
    let copybook = app.path().join("copybooks/PRICE.cpy");
    let mut args = vec!["api", "import", "price", "--app", folder];
    let given = [
        "--program",
        "PRICE",
        "--request",
        copybook.to_str().unwrap(),
    ];
    if more.contains(&"--update") {
        args.extend(more)
    } else {
        args.extend(given.iter().chain(more))
    }
    run(&args)
}

#[test]
fn numbers_with_a_decimal_comma_are_those_that_the_program_shows_and_takes() {
    let app = prices();
    let checked = run(&["check", app.path().to_str().unwrap()]);
    assert!(checked.status.success(), "{}", text(&checked.stdout));
    let server = Server::start(app.path());
    for (amount, given, shown, plain, taken) in [
        (
            "1234567.89",
            "999.999,99",
            "1.234.567,89",
            "4567,89",
            "1000000.24",
        ),
        ("-0.05", "0,5", "        0,05-", "0000,05", "0.75"),
        ("12.5", "1234,05", "       12,50", "0012,50", "1234.30"),
        ("12.5", "1234.05", "       12,50", "0012,50", "1234.30"),
    ] {
        let answer = ask(&server, amount, given);
        assert_eq!(answer.status, 200, "{}", text(&answer.body));
        let all = text(&answer.body);
        let wanted = format!(
            "{{\"shown\":\"{shown}\",\"plain\":\"{plain}\",\"taken\":{taken},\"as_text\":\"{shown}\"}}"
        );
        assert_eq!(all, wanted);
    }
    for given in ["1,234", "1.234", "1,5,0", "1.0,5", "-1", "x"] {
        let answer = ask(&server, "1", given);
        assert_eq!(answer.status, 400, "{given}: {}", text(&answer.body));
    }
}

fn ask(server: &Server, amount: &str, given: &str) -> HttpAnswer {
    let body = format!(r#"{{"amount":{amount},"given":"{given}"}}"#);
    server.send("POST", "/price", Some(&body))
}

#[test]
fn a_decimal_comma_that_goes_away_is_a_drift() {
    let app = prices();
    let folder = app.path().to_str().unwrap();
    let source = app.path().join("cobol/PRICE.cbl");
    let without = PROGRAM.replace("           DECIMAL-POINT IS COMMA.\n", "");
    std::fs::write(&source, without.replace("0,25", "0.25")).unwrap();
    let simple = "       01  PRICE-AREA.\n           05  AMOUNT PIC S9(7)V99.\n           05  SHOWN  PIC 9(4),99.\n";
    std::fs::write(app.path().join("copybooks/PRICE.cpy"), simple).unwrap();
    let made = import(&app, &["--force", "--decimal-comma"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let checked = text(&run(&["check", folder]).stdout);
    assert!(
        checked.contains("SHOWN (PIC 9(4),99) has another decimal point"),
        "{checked}"
    );
    let updated = import(&app, &["--update"]);
    assert!(updated.status.success(), "{}", text(&updated.stderr));
    let checked = text(&run(&["check", folder]).stdout);
    assert!(!checked.contains("another decimal point"), "{checked}");
}

#[test]
fn a_files_copybook_has_the_decimal_point_of_the_programs_that_copy_it() {
    let app = application(&[
        (
            "copybooks/PRICE.cpy",
            "       01  P.\n           05  K PIC X(2).\n           05  V PIC 9(3),99.\n",
        ),
        ("cobol/PRICE.cbl", PROGRAM),
        (
            "resources.csd",
            "DEFINE FILE(PRICES) GROUP(P) KEYLENGTH(2) RECORDSIZE(8)\n",
        ),
        (
            "tupelo.toml",
            "[files.PRICES]\ncopybook = \"copybooks/PRICE.cpy\"\n",
        ),
        ("data.json", "{\"K\":\"AB\",\"V\":12.34}\n"),
    ]);
    let folder = app.path().to_str().unwrap();
    let data = app.path().join("data.json");
    let loaded = run(&[
        "file",
        "load",
        "PRICES",
        data.to_str().unwrap(),
        "--app",
        folder,
    ]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    let dumped = run(&[
        "file", "dump", "PRICES", "--app", folder, "--format", "fixed",
    ]);
    assert_eq!(text(&dumped.stdout), "AB012,34", "{}", text(&dumped.stderr));
}
