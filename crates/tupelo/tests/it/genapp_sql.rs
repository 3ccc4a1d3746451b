//! IBM's sample application genapp with its tables: its own job of Db2 definitions
//! and data, and every LG*DB01 program through its COMMAREA.
//!
//! Its code is not part of this project: the test runs where the variable `GENAPP`
//! names the folder `base` of a copy of it, and is over at once elsewhere. Each call
//! is a region of its own, so the private PostgreSQL is stopped and recovered
//! between them.

use std::path::{Path, PathBuf};

use crate::genapp::with_sql;
use crate::program::{text, tupelo};

/// Fields of a customer, from CA-FIRST-NAME on.
const CUSTOMER: usize = 18;
/// The number of a policy.
const POLICY: std::ops::Range<usize> = 18..28;
/// CA-LASTCHANGED.
const CHANGED: std::ops::Range<usize> = 48..74;

struct GenappServer(tempfile::TempDir);

impl GenappServer {
    /// Runs a program; its COMMAREA, which has the return code in its characters 7
    /// and 8.
    fn call(&self, program: &str, request: &str, customer: u32, rest: &str) -> String {
        let commarea = format!("{request}00{customer:010}{rest}");
        // An endowment's padding is the rest of the COMMAREA. The program's field
        // for it has 3,900 bytes, and a client that reads it needs room for all of them.
        let length = if program == "LGAPDB01" {
            "1800"
        } else {
            "3000"
        };
        let output = tupelo()
            .args([
                "run",
                "GSQL",
                "--program",
                program,
                "--json",
                "--length",
                length,
            ])
            .args(["--commarea", &commarea])
            .arg(self.0.path())
            .output()
            .expect("tupelo runs");
        let reply: serde_json::Value = serde_json::from_str(&text(&output.stdout))
            .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        let code = reply["abend"]["code"].as_str();
        assert!(code.is_none_or(|code| code.starts_with("LGV")), "{reply}");
        text_of(reply["commarea"].as_str().expect("a COMMAREA"))
    }
}

/// A COMMAREA that is not text is in hexadecimal.
fn text_of(commarea: &str) -> String {
    let Some(digits) = commarea.strip_prefix("0x") else {
        return commarea.to_owned();
    };
    let pairs = digits.as_bytes().chunks(2);
    let bytes = pairs.map(|pair| {
        let pair = std::str::from_utf8(pair).expect("digits");
        u8::from_str_radix(pair, 16).expect("digits")
    });
    bytes.map(char::from).collect()
}

fn code(commarea: &str) -> &str {
    &commarea[6..8]
}

/// A customer, as CA-CUSTOMER-REQUEST has it.
fn customer(first: &str, last: &str) -> String {
    format!(
        "{first:<10}{last:<20}1970-01-02{:<20}{:<4}{:<8}000{:<20}{:<20}{:<100}",
        "House", "12", "AB1 2CD", "07000", "01000", "a@b.example"
    )
}

/// The common part of a policy.
fn common(number: &str, changed: &str, payment: u32) -> String {
    format!(
        "{number:0>10}2026-01-012027-01-01{changed:<26}{:010}{:<10}{payment:06}",
        123, "BROKERREF"
    )
}

/// The kinds of policies, and the fields of each.
fn kinds() -> [(&'static str, String); 4] {
    let endowment = format!("YNY{:<10}20100000{:<31}", "FUND", "A PERSON");
    let house = format!(
        "{:<15}00400250000{:<20}{:<4}{:<8}",
        "DETACHED", "House", "12", "AB1 2CD"
    );
    let motor = format!(
        "{:<15}{:<15}006000{:<7}{:<8}13002001-02-03000300000001",
        "FORD", "KA", "A567WWW", "RED"
    );
    let perils = "000100000002".repeat(4);
    let commercial = format!(
        "{:<255}{:<8}{:<11}{:<11}{:<255}{:<255}{perils}0003{:<255}",
        "1 Street", "AB1 2CD", "51.0", "1.0", "Customer", "Factory", "none"
    );
    [
        ("END", endowment),
        ("HOU", house),
        ("MOT", motor),
        ("COM", commercial),
    ]
}

fn genapp() -> Option<GenappServer> {
    let Some(base) = std::env::var_os("GENAPP").map(PathBuf::from) else {
        skipped::lacking("GENAPP", "the variable names no copy of genapp");
        return None;
    };
    if !database::cluster::is_installed() {
        skipped::lacking("postgresql", "there is no initdb");
        return None;
    }
    let app = with_sql(&base);
    apply(&base, app.path());
    Some(GenappServer(app))
}

/// Makes the tables as the site's job does.
fn apply(base: &Path, app: &Path) {
    let output = tupelo()
        .args(["sql", "apply"])
        .arg(base.join("cntl/db2cre.jcl"))
        .arg("--app")
        .arg(app)
        .args([
            "--set",
            "<DB2DBID>=GENASA1",
            "--set",
            "<SQLID>=GENA",
            "--set",
            "<DB2RUN>=DSN",
        ])
        .output()
        .expect("tupelo runs");
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{printed}{}", text(&output.stderr));
    assert!(
        printed.ends_with("64 statements done, 27 left out, 0 failed\n"),
        "{printed}"
    );
}

#[test]
fn customers_are_added_asked_for_and_changed() {
    let Some(genapp) = genapp() else {
        return;
    };
    let asked = genapp.call("LGICDB01", "01ICUS", 1, "");
    assert_eq!(code(&asked), "00");
    assert!(
        asked[CUSTOMER..].starts_with("Andrew    Pandy               1950-07-11"),
        "{asked}"
    );
    assert_eq!(code(&genapp.call("LGICDB01", "01ICUS", 9_999, "")), "01");
    let added = genapp.call("LGACDB01", "01ACUS", 0, &customer("Ann", "Other"));
    assert_eq!(code(&added), "00");
    let number: u32 = added[8..18].parse().expect("a number");
    assert!(number >= 1_000_001, "{number} is not the identity column's");
    let changed = genapp.call("LGUCDB01", "01UCUS", number, &customer("Anna", "Another"));
    assert_eq!(code(&changed), "00");
    let asked = genapp.call("LGICDB01", "01ICUS", number, "");
    assert!(
        asked[CUSTOMER..].starts_with("Anna      Another"),
        "{asked}"
    );
    // LGUCVS01 finds no record and abends: the whole unit is backed out.
    let none = genapp.call("LGUCDB01", "01UCUS", 999_999, &customer("Anna", "Another"));
    assert_eq!(code(&none), "81");
    // Through the programs that check requests.
    for (program, request) in [("LGICUS01", "01ICUS"), ("LGUCUS01", "01UCUS")] {
        let answer = genapp.call(program, request, number, &customer("Via", "Front"));
        assert_eq!(code(&answer), "00", "{program}");
    }
}

#[test]
fn policies_of_every_kind_are_added_asked_for_changed_and_deleted() {
    let Some(genapp) = genapp() else {
        return;
    };
    for (kind, fields) in kinds() {
        let call = |verb: &str, program: &str, rest: &str| {
            genapp.call(program, &format!("01{verb}{kind}"), 2, rest)
        };
        let added = call("A", "LGAPDB01", &(common("", "", 500) + &fields));
        assert_eq!(code(&added), "00", "{kind}");
        let number = added[POLICY].to_owned();
        let asked = call("I", "LGIPDB01", &number);
        assert_eq!(
            (code(&asked), &asked[28..48]),
            ("00", "2026-01-012027-01-01"),
            "{kind}"
        );
        assert_eq!(asked[CHANGED], added[CHANGED], "{kind}");
        if kind != "COM" {
            let change = |changed: &str, payment| common(&number, changed, payment) + &fields;
            let changed = call("U", "LGUPDB01", &change(&asked[CHANGED], 501));
            assert_eq!(code(&changed), "00", "{kind}");
            let again = call("I", "LGIPDB01", &number);
            assert_ne!(again[CHANGED], asked[CHANGED], "{kind}");
            // A program that read the row before the change cannot change it.
            call("U", "LGUPDB01", &change(&asked[CHANGED], 502));
            let last = call("I", "LGIPDB01", &number);
            assert_eq!(last[CHANGED], again[CHANGED], "{kind}");
        }
        assert_eq!(code(&call("D", "LGDPDB01", &number)), "00", "{kind}");
        assert_eq!(code(&call("I", "LGIPDB01", &number)), "01", "{kind}");
    }
    let (_, motor) = &kinds()[2];
    let fields = common("", "", 500) + motor;
    // An unknown customer violates the foreign key; an unknown request fails before SQL.
    assert_eq!(
        code(&genapp.call("LGAPDB01", "01AMOT", 999_999, &fields)),
        "70"
    );
    assert_eq!(code(&genapp.call("LGAPDB01", "01AXXX", 2, &fields)), "99");
    // The policies that came with the tables, by a cursor.
    let commercial = genapp.call("LGIPDB01", "03ICOM", 1, "");
    assert_eq!(code(&commercial), "00");
    assert!(commercial.contains("HURSLEY PARK"), "{commercial}");
}
