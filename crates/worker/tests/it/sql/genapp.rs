//! IBM's sample application genapp: its programs on Db2, over tables that its own
//! job makes.
//!
//! Its code is not part of this project: the test runs where the variable `GENAPP`
//! names the folder `base` of a copy of it
//! (<https://github.com/cicsdev/cics-genapp>), and is over at once elsewhere.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::place_with;
use crate::cluster::TestCluster;
use crate::cobol::CobolHarness;

/// A program that does nothing, in the place of those on files and queues.
const NOTHING: &str = "IDENTIFICATION DIVISION.\nPROGRAM-ID. NAME.\nPROCEDURE DIVISION.\nGOBACK.\n";

#[test]
fn its_programs_inquire_add_update_and_delete() {
    let Some(genapp) = std::env::var_os("GENAPP").map(PathBuf::from) else {
        skipped::lacking("GENAPP", "the variable names no copy of genapp");
        return;
    };
    let Some(cluster) = TestCluster::start() else {
        return;
    };
    make_tables(&cluster, &genapp);
    let mut harness = CobolHarness::new().sql(place_with(&cluster, "qualifier", json!("GENASA1")));
    for name in [
        "LGICDB01", "LGUCDB01", "LGIPDB01", "LGAPDB01", "LGUPDB01", "LGDPDB01",
    ] {
        let file = format!("src/{}.cbl", name.to_lowercase());
        harness = harness.source(name, &genapp.join(file));
    }
    for name in ["LGUCVS01", "LGAPVS01", "LGUPVS01", "LGDPVS01", "LGSTSQ"] {
        harness = harness.plain(name, &NOTHING.replace("NAME", name));
    }
    let customer = format!(
        "{:10}{:20}{:10}{:20}{:4}{:8}{:3}{:20}{:20}{:100}",
        "Andrew", "Pandy", "1950-07-11", "New House", "7", "PI101OO", "000", "1", "2", "a@b.c"
    );
    let policy = format!(
        "{:10}{:10}{:26}{:010}{:10}{:06}{:15}{:03}{:08}{:20}{:4}{:8}",
        "2021-01-01", "2031-01-01", "", 7, "REF", 100, "Castle", 9, 250_000, "Keep", "1", "PO1CD"
    );
    let tasks = [
        ("LGICDB01", "01ICUS", 1, String::new()),
        ("LGICDB01", "01ICUS", 999_999, String::new()),
        ("LGUCDB01", "01UCUS", 1, customer),
        ("LGICDB01", "01ICUS", 1, String::new()),
        ("LGAPDB01", "01AHOU", 1, format!("{:010}{policy}", 0)),
    ];
    for (program, request, customer, rest) in &tasks {
        harness = harness.run(program, &commarea(request, *customer, rest));
    }
    let played = harness.play();
    let given = |task: usize| played.commarea(task);
    assert_eq!(&given(0)[6..8], "00", "{:?}", played.displayed);
    assert!(
        given(0)[18..].starts_with("Andrew    Pandy"),
        "{}",
        &given(0)[18..60]
    );
    assert_eq!(&given(1)[6..8], "01");
    assert_eq!(&given(2)[6..8], "00");
    assert!(given(3)[18..].starts_with("Andrew    Pandy"));
    assert!(
        given(3)[48..].starts_with("1950-07-11New House"),
        "{}",
        &given(3)[18..100]
    );
    assert_eq!(&given(4)[6..8], "00", "{}", &given(4)[..120]);
    let number: u32 = given(4)[18..28].parse().unwrap();
    let changed = given(4)[48..74].to_owned();
    policies(&cluster, &genapp, number, &changed, &policy);
}

/// Inquires, changes and deletes the policy that was added.
fn policies(cluster: &TestCluster, genapp: &Path, number: u32, changed: &str, policy: &str) {
    let mut harness = CobolHarness::new().sql(place_with(cluster, "qualifier", json!("GENASA1")));
    for name in ["LGIPDB01", "LGUPDB01", "LGDPDB01"] {
        let file = format!("src/{}.cbl", name.to_lowercase());
        harness = harness.source(name, &genapp.join(file));
    }
    for name in ["LGUPVS01", "LGDPVS01", "LGSTSQ"] {
        harness = harness.plain(name, &NOTHING.replace("NAME", name));
    }
    let of = |stamp: &str, house: &str| {
        let policy = policy.replace("Castle", house);
        format!("{number:010}{}{stamp:26}{}", &policy[..20], &policy[46..])
    };
    let tasks = [
        ("LGIPDB01", "01IHOU", of("", "Castle")),
        (
            "LGUPDB01",
            "01UHOU",
            of("1999-01-01-00.00.00.000000", "Palace"),
        ),
        ("LGIPDB01", "01IHOU", of("", "Castle")),
        ("LGUPDB01", "01UHOU", of(changed, "Palace")),
        ("LGIPDB01", "01IHOU", of("", "Castle")),
        ("LGDPDB01", "01DHOU", of("", "Castle")),
        ("LGIPDB01", "01IHOU", of("", "Castle")),
    ];
    for (program, request, rest) in &tasks {
        harness = harness.run(program, &commarea(request, 1, rest));
    }
    let played = harness.play();
    let codes: Vec<String> = (0..tasks.len())
        .map(|task| played.commarea(task)[6..8].to_owned())
        .collect();
    // With another time stamp nothing is changed; the program's CLOSE of the cursor
    // then hides its return code 02.
    assert_eq!(codes, ["00", "00", "00", "00", "00", "00", "01"]);
    let houses = [0, 2, 4].map(|task| played.commarea(task)[100..106].to_owned());
    assert_eq!(houses, ["Castle", "Castle", "Palace"]);
}

fn commarea(request: &str, customer: u32, rest: &str) -> String {
    format!("{request}00{customer:010}{rest:32482}")
}

/// Executes the statements of the job's DSNTIAD steps.
fn make_tables(cluster: &TestCluster, genapp: &Path) {
    cluster.psql(sql::SETUP_SQL).unwrap();
    let job = std::fs::read_to_string(genapp.join("cntl/db2cre.jcl")).unwrap();
    let mut text = String::new();
    let mut inside = false;
    for line in job.lines() {
        inside = (inside || line.starts_with("//SYSIN ")) && !line.starts_with("/*");
        if inside && !line.starts_with("//") {
            text.push_str(&line.replace("<DB2DBID>", "GENASA1"));
            text.push('\n');
        }
    }
    let mut script = String::from("CREATE SCHEMA \"GENASA1\";\n");
    for applied in sql::ddl::apply(&text, &sql::RewriteOptions::default()) {
        assert_eq!(applied.problem, None, "line {}", applied.line);
        for statement in applied.sql.iter().filter(|s| *s != "COMMIT") {
            script.push_str(&format!("{statement};\n"));
        }
    }
    cluster.psql(&script).unwrap();
}
