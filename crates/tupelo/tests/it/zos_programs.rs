//! Programs of z/OS that GnuCOBOL alone would run otherwise: GO TO out of
//! performed paragraphs, ENTRY names, addresses as numbers, services of Language
//! Environment, intrinsic functions.
//!
//! `testdata/zos/` is an application. Each program with an `.expected` file is run
//! by the transaction that has it; programs of `both/` are run as batch programs
//! too. `testdata/functions/table.tsv` has one row for each call of a function.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{run, text, tupelo};
use crate::server::application;

fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata")
        .join(folder)
}

/// The application in a folder of its own.
fn zos() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    crate::appc::copy(&data("zos"), folder.path());
    folder
}

/// The output of a transaction, without times and names.
fn displayed(transaction: &str, folder: &Path) -> Vec<String> {
    let output = tupelo().args(["run", transaction]).arg(folder).output();
    let output = output.expect("tupelo runs");
    let all = text(&output.stdout) + &text(&output.stderr);
    let lines = all.lines().filter(|line| line.contains(" display task "));
    let own = lines.filter_map(|line| line.split_once(&format!(" {transaction} ")));
    let shown: Vec<String> = own
        .map(|(_, rest)| rest.get(10..).unwrap_or_default().trim_end().to_owned())
        .collect();
    assert!(output.status.success(), "{transaction}: {all}");
    shown
}

fn expected(folder: &str, program: &str) -> Vec<String> {
    let path = data(folder).join(format!("{program}.expected"));
    let text = fs::read_to_string(path).expect("what is expected");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_label_after_stray_periods_is_reached_as_often_as_it_is_raised() {
    let folder = zos();
    assert_eq!(
        displayed("STRA", folder.path()),
        expected("zos/cobol", "STRAYP")
    );
}

#[test]
fn go_to_leaves_performed_paragraphs_as_often_as_it_likes() {
    let folder = zos();
    assert_eq!(
        displayed("GOTO", folder.path()),
        expected("zos/cobol", "GOTOUT")
    );
}

#[test]
fn a_number_in_the_place_of_a_pointer_moves_its_address() {
    let folder = zos();
    assert_eq!(
        displayed("PTRN", folder.path()),
        expected("zos/cobol", "PTRNUM")
    );
    let check = run(&["check", folder.path().to_str().expect("a path")]);
    let said = text(&check.stdout);
    for line in [9, 13, 15] {
        assert!(
            said.contains(&format!("PTRNUM.cbl:{line}:")),
            "{line}: {said}"
        );
    }
}

#[test]
fn entry_names_are_called_from_other_sources_and_share_their_programs_storage() {
    let folder = zos();
    assert_eq!(
        displayed("ENTR", folder.path()),
        expected("zos/cobol", "ENTRYM")
    );
}

#[test]
fn commands_fill_areas_of_varying_length_as_far_as_their_length_says() {
    let folder = zos();
    assert_eq!(
        displayed("VARI", folder.path()),
        expected("zos/cobol", "VARINTO")
    );
}

/// The programs of `both/` with their transactions: services of Language
/// Environment; functions of the day and the moment; JSON and XML GENERATE; XML
/// PARSE; edited items and currency texts; tables of varying length and
/// conditions; tables, searches and strings; floating-point numbers; what a CALL passes;
/// groups that receive their greatest length; signed numbers as characters.
const IN_BOTH: &[(&str, &str)] = &[
    ("LESE", "LESERV"),
    ("TODA", "TODAY"),
    ("GEND", "GENDOC"),
    ("XMLE", "XMLEVT"),
    ("NUME", "NUMEDT"),
    ("VARR", "VARREC"),
    ("TABR", "TABREF"),
    ("FLOA", "FLOATS"),
    ("CALD", "CALLED"),
    ("VARG", "VARGRP"),
    ("ASCH", "ASCHAR"),
];

#[test]
fn programs_display_the_same_in_a_region_and_in_batch() {
    let folder = zos();
    for kind in ["cobol", "batch"] {
        crate::appc::copy(&data("zos/both"), &folder.path().join(kind));
    }
    let path = folder.path().to_str().expect("a path");
    for (transaction, program) in IN_BOTH {
        let wanted = expected("zos/both", program);
        assert_eq!(displayed(transaction, folder.path()), wanted, "{program}");
        let batch = run(&["batch", program, path]);
        let shown = text(&batch.stdout);
        let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
        assert_eq!(lines, wanted, "{program}: {}", text(&batch.stderr));
    }
}

#[test]
fn numbers_that_are_only_read_keep_their_bytes_with_either_kind_of_signs() {
    let folder = zos();
    crate::appc::copy(&data("zos/both"), &folder.path().join("batch"));
    let path = folder.path().to_str().expect("a path");
    for signs in ["ascii", "ebcdic"] {
        let batch = run(&["batch", "ASCHAR", path, "--zoned-sign", signs]);
        let shown = text(&batch.stdout);
        let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
        let wanted = expected("zos/both", "ASCHAR");
        assert_eq!(lines, wanted, "{signs}: {}", text(&batch.stderr));
    }
}

/// Where the results of the table of functions are from.
const ORIGINS: [&str; 4] = ["manual", "rule", "here", "undefined"];

/// A row of the table of functions.
struct FunctionRow {
    is_number: bool,
    call: String,
    result: String,
}

fn rows() -> Vec<FunctionRow> {
    let table = fs::read_to_string(data("functions/table.tsv")).expect("the table");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [kind, call, result, origin] = cells.as_slice() else {
            panic!("four cells: {line}");
        };
        assert!(ORIGINS.contains(origin), "{line}");
        FunctionRow {
            is_number: *kind == "number",
            call: (*call).to_owned(),
            result: (*result).to_owned(),
        }
    };
    rows.map(row).collect()
}

/// A program that displays the result of each call in a line.
fn calling(rows: &[FunctionRow]) -> String {
    let mut program = fs::read_to_string(data("functions/head.cbl")).expect("its head");
    for row in rows {
        // A line has 72 columns.
        let call = row.call.replacen('(', "(\n           ", 1);
        let _ = if row.is_number {
            writeln!(
                program,
                "           COMPUTE R = FUNCTION\n           {call}\n           MOVE R TO E\n           \
                 DISPLAY FUNCTION TRIM(E)"
            )
        } else {
            writeln!(
                program,
                "           DISPLAY '|' FUNCTION\n           {call}\n           '|'"
            )
        };
    }
    program + "           GOBACK.\n"
}

/// A number without zeros at the end of its fraction.
fn plain(number: &str) -> &str {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
}

#[test]
fn intrinsic_functions_have_the_results_of_the_manual() {
    let rows = rows();
    let app = application(&[("batch/FUNCS.cbl", &calling(&rows))]);
    let folder = app.path().to_str().expect("a path");
    let batch = run(&["batch", "FUNCS", folder]);
    let (shown, said) = (text(&batch.stdout), text(&batch.stderr));
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), rows.len(), "{said}");
    let mut wrong = String::new();
    for (row, line) in rows.iter().zip(lines) {
        let is_right = if row.is_number {
            plain(line) == row.result
        } else {
            line == row.result
        };
        if !is_right {
            let _ = writeln!(wrong, "{} is {line}, not {}", row.call, row.result);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn functions_that_nothing_serves_are_errors_with_their_line() {
    let program = fs::read_to_string(data("functions/absent.cbl")).expect("a program");
    let app = application(&[("batch/ABSENT.cbl", &program)]);
    let folder = app.path().to_str().expect("a path");
    let check = run(&["batch", "ABSENT", folder, "--check"]);
    let said = text(&check.stderr) + &text(&check.stdout);
    for (line, function) in [(9, "ULENGTH"), (10, "NATIONAL-OF"), (11, "UUID4")] {
        let message = format!("FUNCTION {function} is not supported");
        let place = format!("ABSENT.cbl:{line}:");
        let found = said
            .lines()
            .any(|l| l.contains(&place) && l.contains(&message));
        assert!(found, "{place} {message}: {said}");
    }
    assert_eq!(check.status.code(), Some(1));
}

#[test]
fn a_report_in_a_region_is_an_error_with_its_line() {
    let program = fs::read_to_string(data("batch/batch/RPTWR.cbl")).expect("a program");
    let app = application(&[("cobol/RPTWR.cbl", &program)]);
    let check = run(&["check", app.path().to_str().expect("a path")]);
    let said = text(&check.stdout);
    let lines = program.lines().position(|l| l.contains("REPORT SECTION"));
    let place = format!("RPTWR.cbl:{}:", lines.expect("its section") + 1);
    let found = said
        .lines()
        .any(|l| l.contains(&place) && l.contains("writes no reports"));
    assert!(found, "{place}: {said}");
    assert_eq!(check.status.code(), Some(1));
}

/// The application of zoned signs in a folder of its own.
fn signs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    crate::appc::copy(&data("signs"), folder.path());
    folder
}

#[test]
fn signs_of_zoned_numbers_are_read_in_both_forms_and_written_in_the_one_asked_for() {
    let folder = signs();
    let at = |name: &str| folder.path().join(name).display().to_string();
    for (convention, written) in [
        (
            "ascii",
            "one  100000p\ntwo  100999y\nthree1004955\nfour 100495u\n",
        ),
        (
            "ebcdic",
            "one  100000}\ntwo  100999R\nthree100495E\nfour 100495N\n",
        ),
    ] {
        let (input, output) = (at("payments.txt"), at("written"));
        let batch = run(&[
            "batch",
            "SIGNS",
            &at(""),
            "--dd",
            &format!("PAYIN={input},lines"),
            "--dd",
            &format!("PAYOUT={output},lines"),
            "--zoned-sign",
            convention,
        ]);
        let shown = text(&batch.stdout);
        let amounts = "one    100.0000\ntwo    100.9999\nthree -100.4955\nfour   100.4955\n";
        assert_eq!(shown, amounts, "{convention}: {}", text(&batch.stderr));
        assert_eq!(
            fs::read_to_string(&output).expect("records"),
            written,
            "{convention}"
        );
        // Each convention reads the signs that the other wrote.
        let again = run(&[
            "batch",
            "SIGNS",
            &at(""),
            "--dd",
            &format!("PAYIN={output},lines"),
            "--dd",
            "PAYOUT=DUMMY",
            "--zoned-sign",
            if convention == "ascii" {
                "ebcdic"
            } else {
                "ascii"
            },
        ]);
        let shown = text(&again.stdout);
        assert!(
            shown.contains("one   -100.0000\ntwo   -100.9999\nthree  100.4955\n"),
            "{shown}"
        );
    }
}

#[test]
fn file_load_writes_signs_of_the_region_and_check_warns_of_others() {
    let folder = signs();
    let path = folder.path().to_str().expect("a path");
    let input = folder.path().join("payments.txt").display().to_string();
    let load = |more: &[&str]| {
        let args = [
            "file", "load", "PAYFILE", &input, "--app", path, "--format", "lines",
        ];
        let loaded = run(&[&args[..], more].concat());
        assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    };
    let dumped = || {
        let dump = run(&[
            "file", "dump", "PAYFILE", "--app", path, "--format", "lines",
        ]);
        text(&dump.stdout)
    };
    load(&[]);
    let own = "four 1004955\none  1000000\nthree100495u\ntwo  1009999\n";
    assert_eq!(dumped(), own);
    let checked = || text(&run(&["check", path]).stdout);
    assert!(!checked().contains("zoned_sign"), "{}", checked());
    load(&["--unchecked"]);
    let said = checked();
    let warning = "[files.PAYFILE]: 3 of 4 records have signs as zoned_sign = \"ebcdic\" has them, first PAY-AMOUNT of record 2";
    assert!(said.contains(warning), "{said}");
}
