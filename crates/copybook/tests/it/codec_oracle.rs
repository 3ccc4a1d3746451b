//! GnuCOBOL as the oracle: encoding writes the bytes that MOVE leaves in a field,
//! and decoding returns the value.
//!
//! One generated program a test moves every value to its own field and shows the
//! bytes.

use std::fmt::Write;
use std::process::Command;

use copybook::codec::EditedForm;
use copybook::number::{Decimal, RoundingMode};
use copybook::{CodecOptions, ParseOptions, RecordCodec};

/// One field and what is moved to it.
struct FieldCase {
    /// Clauses after the name.
    clauses: String,
    /// A numeric literal.
    value: String,
}

/// The bytes of each case's field after the MOVE, by GnuCOBOL.
fn moved(cases: &[FieldCase]) -> Vec<Vec<u8>> {
    let mut program = String::from(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. ORACLE.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n",
    );
    program += &copybook(cases);
    program += "       PROCEDURE DIVISION.\n";
    for (n, case) in cases.iter().enumerate() {
        // Sixty columns hold the longest literal on its own line.
        let _ = write!(
            program,
            "           MOVE\n           {}\n             TO F{n}\n           CALL \"show\" USING F{n}\n             BY VALUE LENGTH OF F{n}\n",
            case.value
        );
    }
    program += "           STOP RUN.\n";
    let bytes = shown(&program);
    assert_eq!(bytes.len(), cases.len());
    bytes
}

/// Runs a program; the bytes of every item it shows.
fn shown(program: &str) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let show = "#include <stdio.h>\nint show(unsigned char *p, int n) {\n  while (n-- > 0) printf(\"%02x\", *p++);\n  printf(\"\\n\");\n  return 0;\n}\n";
    std::fs::write(folder.path().join("oracle.cob"), program).expect("written");
    std::fs::write(folder.path().join("show.c"), show).expect("written");
    let built = Command::new("cobc")
        .args([
            "-x",
            "-std=ibm",
            "-fodoslide",
            "-w",
            "oracle.cob",
            "show.c",
            "-o",
            "oracle",
        ])
        .current_dir(folder.path())
        .output()
        .expect("GnuCOBOL is installed");
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let run = Command::new(folder.path().join("oracle"))
        .output()
        .expect("it runs");
    let text = String::from_utf8(run.stdout).expect("hexadecimal digits");
    text.lines()
        .map(|line| base::hex::bytes(line).expect("hexadecimal digits"))
        .collect()
}

fn copybook(cases: &[FieldCase]) -> String {
    cases
        .iter()
        .enumerate()
        .map(|(n, case)| format!("       01 F{n}\n           {}.\n", case.clauses))
        .collect()
}

/// Compares both directions for every case.
fn compare(cases: &[FieldCase]) {
    let oracle = moved(cases);
    let layouts = copybook::parse(&copybook(cases), &ParseOptions::default()).expect("it parses");
    let options = CodecOptions {
        edited: EditedForm::Number,
        ..CodecOptions::default()
    };
    for ((case, layout), expected) in cases.iter().zip(&layouts).zip(&oracle) {
        let FieldCase { clauses, value } = case;
        let codec =
            RecordCodec::build(layout, &options).unwrap_or_else(|e| panic!("{clauses}: {e}"));
        let mut area = vec![0; codec.max_len()];
        codec
            .encode(json_of(value).as_bytes(), &mut area)
            .unwrap_or_else(|e| panic!("{clauses}: {value}: {e}"));
        assert_eq!(
            area.escape_ascii().to_string(),
            expected.escape_ascii().to_string(),
            "MOVE {value} TO {clauses}"
        );
        let mut text = Vec::new();
        codec
            .decode(expected, &mut text)
            .unwrap_or_else(|e| panic!("{clauses}: {value}: {e}"));
        let back = Decimal::parse(&text).expect("a number");
        let given = Decimal::parse(value.as_bytes()).expect("a number");
        assert_eq!(
            (back.negative, back.rescale(30, RoundingMode::Refuse)),
            (given.negative, given.rescale(30, RoundingMode::Refuse)),
            "{clauses}: {}",
            String::from_utf8_lossy(&text)
        );
    }
}

/// The literal as JSON has it.
fn json_of(value: &str) -> String {
    let (sign, digits) = match value.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", value),
    };
    let digits = match digits.trim_start_matches('0') {
        "" => "0".to_string(),
        rest if rest.starts_with('.') => format!("0{rest}"),
        rest => rest.to_string(),
    };
    format!("{sign}{digits}")
}

/// A literal of `digits` digits, `scale` of them after the point.
fn literal(digits: &str, scale: usize, negative: bool) -> String {
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if negative { "-" } else { "" };
    match (whole, fraction) {
        (whole, "") => format!("{sign}{whole}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    }
}

fn storage_cases(usages: &[(&str, bool)], widths: &[usize]) -> Vec<FieldCase> {
    let mut cases = Vec::new();
    for &(usage, signed) in usages {
        for &width in widths {
            for scale in [0, 2, width] {
                if scale > width {
                    continue;
                }
                let picture = match (width - scale, scale) {
                    (whole, 0) => format!("9({whole})"),
                    (0, fraction) => format!("V9({fraction})"),
                    (whole, fraction) => format!("9({whole})V9({fraction})"),
                };
                let sign = if signed { "S" } else { "" };
                let clauses = format!("PIC {sign}{picture} {usage}");
                let nines = "9".repeat(width);
                let mixed: String = "1203405607".chars().cycle().take(width).collect();
                let one = format!("{}1", "0".repeat(width - 1));
                for digits in [&"0".repeat(width), &one, &mixed, &nines] {
                    for negative in [false, true] {
                        if negative && (!signed || digits.bytes().all(|b| b == b'0')) {
                            continue;
                        }
                        cases.push(FieldCase {
                            clauses: clauses.clone(),
                            value: literal(digits, scale, negative),
                        });
                    }
                }
            }
        }
    }
    cases
}

#[test]
fn zoned_numbers_are_stored_as_cobol_stores_them() {
    let usages = [
        ("", false),
        ("", true),
        ("SIGN LEADING", true),
        ("SIGN LEADING SEPARATE", true),
        ("SIGN TRAILING SEPARATE", true),
    ];
    compare(&storage_cases(
        &usages,
        &[1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 18, 31, 38],
    ));
}

#[test]
fn packed_numbers_are_stored_as_cobol_stores_them() {
    let usages = [("COMP-3", false), ("COMP-3", true), ("COMP-6", false)];
    compare(&storage_cases(
        &usages,
        &[1, 2, 3, 4, 7, 8, 14, 15, 16, 17, 18, 31, 38],
    ));
}

#[test]
fn binary_numbers_are_stored_as_cobol_stores_them() {
    let usages = [
        ("COMP", false),
        ("COMP", true),
        ("BINARY", true),
        ("COMP-5", false),
        ("COMP-5", true),
    ];
    compare(&storage_cases(&usages, &[1, 2, 4, 5, 9, 10, 17, 18]));
}

/// Packed numbers with P are left out: GnuCOBOL drops some of their digits.
#[test]
fn floats_and_scaled_numbers_are_stored_as_cobol_stores_them() {
    let mut cases = Vec::new();
    for (clauses, values) in [
        ("COMP-1", &["0", "1", "-1.5", "0.1", "123456.7"][..]),
        // GnuCOBOL's own conversion is one bit off for some other values.
        (
            "COMP-2",
            &["0", "1", "-1.5", "0.5", "123456789.125", "-0.0625"],
        ),
        ("PIC 9(3)P(2)", &["0", "100", "99900", "12300"]),
        ("PIC VP(3)9(2)", &["0", "0.00012", "0.00099"]),
        ("PIC S9(2)P COMP", &["-120", "990"]),
    ] {
        for value in values {
            cases.push(FieldCase {
                clauses: clauses.to_string(),
                value: value.to_string(),
            });
        }
    }
    compare(&cases);
}

/// Pictures with both a sign and a currency sign in front are left out:
/// GnuCOBOL shows some of them with the wrong sign.
#[test]
fn edited_numbers_look_as_cobol_shows_them() {
    let pictures = [
        "ZZ9",
        "ZZZ",
        "Z(6)9",
        "ZZ,ZZ9",
        "ZZ,ZZZ.99",
        "ZZ,ZZZ.ZZ",
        "Z,ZZZ,ZZ9.99",
        "999,999.99",
        "99/99/9999",
        "Z9/99",
        "9B9B9",
        "90909",
        "ZZBZZ9",
        "Z0Z09",
        "***",
        "***,**9.99",
        "**,***.**",
        "*(6).99-",
        "$ZZ9",
        "$Z,ZZ9.99",
        "$$$9",
        "$$,$$9.99",
        "$$$,$$$.99",
        "$$,$$$.$$",
        "$9(5)",
        "$**,**9.99",
        "+++9",
        "---9",
        "+(5)9.99",
        "-(5)9.99",
        "--,--9.99",
        "++,+++.++",
        "--,---.--",
        "+999",
        "-999",
        "999+",
        "999-",
        "+ZZ9",
        "-ZZ9.9",
        "ZZ9+",
        "ZZ9-",
        "Z,ZZ9-",
        "999CR",
        "999DB",
        "ZZ,ZZ9.99CR",
        "ZZ,ZZ9.99DB",
        "$ZZ,ZZ9.99CR",
        "$$,$$9.99DB",
        "$$,$$9.99-",
        "9(3)V99-",
        "ZZ9V99",
        "+9(5).9(2)",
        "-99,999",
        "$99,999.99CR",
        "9.99",
        "ZZZ,999",
        "Z99B99",
        "99B99CR",
        "9,9,9",
        "-9(4)",
        "Z(3)V9-",
    ];
    let values = [
        "0", "1", "-1", "5", "12", "-12", "100", "123", "-123", "1234", "0.05", "-0.05", "0.5",
        "12.34", "-12.34", "1234.56", "-1234.56", "31122024", "99999", "1005",
    ];
    let mut cases = Vec::new();
    for picture in pictures {
        for blank in ["", " BLANK WHEN ZERO"] {
            if !blank.is_empty() && picture.contains('*') {
                continue;
            }
            let compiled = copybook::number::EditedPicture::compile(picture, !blank.is_empty())
                .unwrap_or_else(|e| panic!("{e}"));
            for value in values.iter().filter(|v| blank.is_empty() || **v == "0") {
                let number = Decimal::parse(value.as_bytes()).expect("a number");
                if compiled
                    .edit(number, RoundingMode::Refuse, &mut Vec::new())
                    .is_ok()
                {
                    let clauses = format!("PIC {picture}{blank}");
                    cases.push(FieldCase {
                        clauses,
                        value: value.to_string(),
                    });
                }
            }
        }
    }
    assert!(cases.len() > 400, "{} cases", cases.len());
    compare(&cases);
}

#[test]
fn what_follows_a_short_table_stands_where_cobol_has_it() {
    let book = "       01 REC.
           05 N PIC 9.
           05 ROWS OCCURS 0 TO 4 DEPENDING ON N.
              10 A PIC X(3).
              10 B PIC S9(3) COMP-3 OCCURS 2.
           05 M PIC 9.
           05 C PIC 9(2) OCCURS 1 TO 3 DEPENDING ON M.
           05 TAIL PIC X(4).
";
    let mut program = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. ORACLE.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n".to_string();
    program += book;
    program += "       PROCEDURE DIVISION.\n";
    let shapes = [(0, 1), (1, 1), (2, 3), (4, 2), (4, 3)];
    let mut texts = Vec::new();
    for (n, m) in shapes {
        program += &format!("           MOVE {n} TO N MOVE {m} TO M\n");
        for k in 1..=n {
            program += &format!("           MOVE \"R{k}\" TO A({k}) MOVE {k} TO B({k} 1)\n");
            program += &format!("           MOVE -{k} TO B({k} 2)\n");
        }
        for k in 1..=m {
            program += &format!("           MOVE {k} TO C({k})\n");
        }
        program += "           MOVE \"TAIL\" TO TAIL\n";
        program += "           CALL \"show\" USING REC BY VALUE LENGTH OF REC\n";
        let rows: Vec<String> = (1..=n)
            .map(|k| format!("{{\"A\":\"R{k}\",\"B\":[{k},-{k}]}}"))
            .collect();
        let cells: Vec<String> = (1..=m).map(|k| k.to_string()).collect();
        texts.push(format!(
            "{{\"N\":{n},\"ROWS\":[{}],\"M\":{m},\"C\":[{}],\"TAIL\":\"TAIL\"}}",
            rows.join(","),
            cells.join(",")
        ));
    }
    program += "           STOP RUN.\n";
    let layouts = copybook::parse(book, &ParseOptions::default()).expect("it parses");
    let codec = RecordCodec::build(&layouts[0], &CodecOptions::default()).expect("it compiles");
    for (expected, json) in shown(&program).iter().zip(&texts) {
        let mut area = vec![0; codec.max_len()];
        let len = codec.encode(json.as_bytes(), &mut area).expect("it fits");
        assert_eq!(
            area[..len].escape_ascii().to_string(),
            expected.escape_ascii().to_string()
        );
        let mut text = Vec::new();
        codec.decode(expected, &mut text).expect("valid");
        assert_eq!(String::from_utf8_lossy(&text), *json);
    }
}
