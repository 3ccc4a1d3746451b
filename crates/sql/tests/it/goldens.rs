//! Each statement of `testdata/rewrite.txt` in PostgreSQL's SQL, as it is in
//! `testdata/rewrite.golden`. `UPDATE_GOLDENS=1` writes the file again.

use std::fmt::Write;
use std::path::Path;

use sql::field::{CobolType, SignPlace};
use sql::{HostType, HostVariables, NoHostVariables, RewriteOptions, Statement, Table, rewrite};

/// The tables that the statements use.
pub const TABLES: &[&str] = &[
    "DECLARE GENASA1.CUSTOMER TABLE (CUSTOMERNUMBER INTEGER NOT NULL, FIRSTNAME CHAR(10), \
     LASTNAME CHAR(20), DATEOFBIRTH DATE, HOUSENAME CHAR(20), POSTCODE CHAR(8), NOTE VARCHAR(20))",
    "DECLARE ACCOUNT TABLE (ID CHAR(4) NOT NULL, BALANCE DECIMAL(12,2) NOT NULL, RATE DECIMAL(5,3), \
     OPENED DATE, CHANGED TIMESTAMP, CLOCK TIME, SMALL SMALLINT, N INTEGER, BIG BIGINT, \
     TYPE CHAR(2), VALUE INTEGER, BITS CHAR(4) FOR BIT DATA, F DOUBLE, TXT VARCHAR(30))",
];

pub fn tables() -> Vec<Table> {
    let read = |t: &&str| Statement::parse(t).unwrap().table.unwrap();
    TABLES.iter().map(read).collect()
}

/// Host variables are known by their first letter.
pub fn host(name: &str) -> CobolType {
    match name.chars().next() {
        Some('N') => CobolType::Integer {
            bytes: 4,
            digits: 9,
            scale: 0,
            signed: true,
            big_endian: true,
        },
        Some('S') => CobolType::Integer {
            bytes: 2,
            digits: 4,
            scale: 0,
            signed: true,
            big_endian: true,
        },
        Some('P') => CobolType::Packed {
            digits: 9,
            scale: 3,
            signed: true,
        },
        Some('Q') => CobolType::Packed {
            digits: 7,
            scale: 0,
            signed: true,
        },
        Some('U') => CobolType::Zoned {
            digits: 8,
            scale: 0,
            sign: SignPlace::Unsigned,
        },
        Some('V') => CobolType::Varchar {
            most: 40,
            big_endian: true,
        },
        _ => CobolType::Char(10),
    }
}

/// One statement as the file has it.
pub fn rewritten(text: &str) -> String {
    let options = RewriteOptions::default();
    let parsed = if let Some(dynamic) = text.strip_prefix("DYNAMIC ") {
        Statement::parse_dynamic(dynamic)
    } else {
        Statement::parse(text)
    };
    let mut statement = match parsed {
        Ok(statement) => statement,
        Err(p) => return problem(&p),
    };
    let hosts: Vec<HostType> = statement
        .inputs
        .iter()
        .map(|i| HostType {
            cobol: host(&i.name),
            nullable: i.indicator.is_some(),
        })
        .collect();
    statement.number_inputs(&[]);
    if statement.body.is_empty() {
        return format!("{:?}", statement.kind);
    }
    let known: &dyn HostVariables = if text.starts_with("DYNAMIC ") {
        &NoHostVariables
    } else {
        &hosts
    };
    match rewrite(&statement, &tables(), known, &options) {
        Err(problems) => problems.iter().map(problem).collect::<Vec<_>>().join("\n"),
        Ok(out) => {
            let mut text = out.sql;
            if !out.parameters.is_empty() {
                let _ = write!(text, "\n    parameters {:?}", out.parameters);
            }
            for warning in &out.warnings {
                let _ = write!(text, "\n    warning: {}", problem(warning));
            }
            text
        }
    }
}

fn problem(p: &sql::StatementProblem) -> String {
    let help = p
        .help
        .as_ref()
        .map(|h| format!(" ({h})"))
        .unwrap_or_default();
    format!("{}: {} {}{help}", p.at, p.sqlcode, p.message)
}

pub fn cases() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/rewrite.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let is_case = |l: &&str| !l.trim().is_empty() && !l.starts_with('#');
    text.lines().filter(is_case).map(str::to_owned).collect()
}

#[test]
fn each_statement_is_rewritten_as_its_golden_says() {
    let mut out = String::new();
    for case in cases() {
        let _ = writeln!(out, "{case}\n  = {}\n", rewritten(&case));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/rewrite.golden");
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::write(&path, &out).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        golden == out,
        "run with UPDATE_GOLDENS=1 and look at the difference"
    );
}
