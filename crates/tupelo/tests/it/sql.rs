//! EXEC SQL as a user has it: an application folder, `tupelo sql apply` of its
//! tables, and programs that change them together with recoverable queues. The
//! private PostgreSQL is started by the commands themselves.

mod batch_kill;
mod batch_units;
mod check;
mod disk;
mod failures;
mod jobs;
mod links;
mod load;
mod own_server;
mod statements;

use std::path::Path;

use crate::commands::entries_of;
use crate::program::{text, tupelo};
use crate::server::Server;

/// The application, with its tables; `None` where PostgreSQL is missing.
fn shop() -> Option<tempfile::TempDir> {
    if !is_installed() {
        return None;
    }
    let app = application();
    let printed = sql(app.path(), &["apply", "ddl/stock.sql"]);
    assert!(printed.contains("CREATE STOGROUP is left out"), "{printed}");
    assert!(
        printed.ends_with("4 statements done, 1 left out, 0 failed\n"),
        "{printed}"
    );
    Some(app)
}

/// Whether PostgreSQL is there; a test without it is counted as skipped.
pub fn is_installed() -> bool {
    let is_there = database::cluster::is_installed();
    if !is_there {
        skipped::lacking("postgresql", "there is no initdb");
    }
    is_there
}

/// A copy of the application, without tables.
fn application() -> tempfile::TempDir {
    let app = tempfile::tempdir().expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/sql");
    let folders = ["", "cobol", "copybooks", "ddl", "batch"].map(|name| from.join(name));
    for folder in folders {
        let to = app.path().join(folder.strip_prefix(&from).expect("below"));
        std::fs::create_dir_all(&to).expect("a folder");
        for file in entries_of(&folder).iter().filter(|path| path.is_file()) {
            std::fs::copy(file, to.join(file.file_name().unwrap_or_default())).expect("a copy");
        }
    }
    app
}

/// Adds to the settings.
fn add_settings(app: &Path, more: &str) {
    let path = app.join("tupelo.toml");
    let old = std::fs::read_to_string(&path).expect("settings");
    std::fs::write(path, old + more).expect("settings");
}

/// The application as an API of a server of its own, with its tables unless the
/// settings name another SQL server.
pub fn served(settings: &str) -> (tempfile::TempDir, Server) {
    let app = application();
    add_settings(app.path(), settings);
    let state = tempfile::tempdir().expect("a folder");
    if !settings.contains("url") {
        apply_in(app.path(), state.path());
    }
    import(app.path());
    let server = Server::start_in(app.path(), state);
    (app, server)
}

/// A state folder with the tables.
fn served_state(app: &Path) -> tempfile::TempDir {
    let state = tempfile::tempdir().expect("a folder");
    apply_in(app, state.path());
    state
}

/// Makes the API of STOCK.
fn import(app: &Path) {
    let imported = tupelo()
        .args([
            "api",
            "import",
            "stock",
            "--program",
            "STOCK",
            "--transid",
            "STCK",
        ])
        .args([
            "--request",
            "copybooks/STOCKCA.cpy",
            "--strip-prefix",
            "CA",
            "--app",
            ".",
        ])
        .current_dir(app)
        .output()
        .expect("tupelo runs");
    assert!(imported.status.success(), "{}", text(&imported.stderr));
}

/// Gives STOCK further steps: branches of its EVALUATE, data, and paragraphs.
fn add_steps(app: &Path, branches: &str, data: &str, paragraphs: &str) {
    let path = app.join("cobol/STOCK.cbl");
    let program = std::fs::read_to_string(&path).expect("the program");
    let program = program
        .replace(
            "               WHEN 'W'\n",
            &format!("{branches}               WHEN 'W'\n"),
        )
        .replace(
            "       LINKAGE SECTION.\n",
            &format!("{data}       LINKAGE SECTION.\n"),
        );
    std::fs::write(path, program + paragraphs).expect("the program");
}

/// Applies statements of Db2 in a state folder, whose server may run.
fn apply_text(app: &Path, state: &Path, name: &str, statements: &str) {
    std::fs::write(app.join(name), statements).expect("a file");
    apply_file(app, state, name);
}

/// Applies a file of the application in a state folder.
fn apply_file(app: &Path, state: &Path, name: &str) {
    let applied = tupelo()
        .args(["sql", "apply", name, "--app", ".", "--state"])
        .arg(state)
        .current_dir(app)
        .output()
        .expect("tupelo runs");
    assert!(
        applied.status.success(),
        "{}{}",
        text(&applied.stdout),
        text(&applied.stderr)
    );
}

/// Makes the tables in a state folder.
fn apply_in(app: &Path, state: &Path) {
    apply_file(app, state, "ddl/stock.sql");
}

/// Has STOCK do steps over the API: the status, and what each step gave.
fn steps(server: &Server, steps: &str, item: &str) -> (u16, Vec<String>) {
    let body = format!("{{\"steps\":\"{steps}\",\"item\":\"{item}\"}}");
    let answer = server.send("POST", "/stock", Some(&body));
    let reply: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let results = reply["result"].as_array().cloned().unwrap_or_default();
    let texts = results
        .iter()
        .map(|one| one.as_str().unwrap_or_default().trim().to_owned());
    (answer.status, texts.take(steps.len()).collect())
}

/// `tupelo sql`, which must succeed.
fn sql(app: &Path, args: &[&str]) -> String {
    let output = tupelo()
        .arg("sql")
        .args(args)
        .args(["--app", "."])
        .current_dir(app)
        .output();
    let output = output.expect("tupelo runs");
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// Runs a task of steps; what each gave, or the abend.
fn task(app: &Path, steps: &str, item: &str) -> Vec<String> {
    let commarea = format!("{steps:<12}{item:<8}");
    let output = tupelo()
        .args(["run", "STCK"])
        .arg(app)
        .args(["--json", "--length", "128", "--commarea", &commarea])
        .output()
        .expect("tupelo runs");
    let reply: serde_json::Value = serde_json::from_str(&text(&output.stdout))
        .unwrap_or_else(|_| panic!("{}{}", text(&output.stdout), text(&output.stderr)));
    if let Some(code) = reply["abend"]["code"].as_str() {
        return vec![code.to_owned()];
    }
    let results = reply["commarea"]
        .as_str()
        .expect("text")
        .get(20..)
        .expect("results");
    let results: Vec<char> = results.chars().collect();
    let each = results.chunks(9).take(steps.len());
    each.map(|result| result.iter().collect::<String>().trim().to_owned())
        .collect()
}

#[test]
fn a_unit_over_sql_and_a_queue_is_committed_or_backed_out_as_a_whole() {
    let Some(app) = shop() else {
        return;
    };
    let app = app.path();
    // The row and the queue's item are committed together, then both rolled back.
    assert_eq!(task(app, "UWSURQ", "BOLT"), ["0", "", "", "0", "", "41"]);
    assert_eq!(task(app, "QL", "BOLT"), ["41", "BOLT"]);
    // An abend backs both out.
    assert_eq!(task(app, "UWA", "BOLT"), ["SHOP"]);
    assert_eq!(task(app, "QLL", "BOLT"), ["41", "BOLT", ""]);
    // A statement that fails leaves the unit as it was; the task's end commits.
    assert_eq!(task(app, "IEIUQ", "SCREW"), ["0", "-204", "-803", "0", "2"]);
    assert_eq!(task(app, "UQ", "WASHER"), ["100", "100"]);
    let printed = sql(app, &["SELECT ITEM, COUNTED FROM STOCK ORDER BY COUNTED"]);
    let expected = "ITEM   COUNTED\nSCREW        2\nNUT          7\nBOLT        41\n3 rows\n";
    assert_eq!(printed, expected);
    // No number of a unit is kept once the unit is applied, or is asked for.
    let units = sql(app, &["\\SELECT count(*) FROM db2.unit WHERE refused"]);
    assert!(units.contains("\n    0\n"), "{units}");
}

#[test]
fn constants_of_applied_statements_are_read_by_the_types_of_their_columns() {
    if !is_installed() {
        return;
    }
    let app = application();
    let statements = "  CREATE TABLE SHOP.TYPED (ID INTEGER NOT NULL, D DATE, T TIME,
    TS TIMESTAMP, N DECIMAL(5,2));
  INSERT INTO SHOP.TYPED VALUES
    (1, '01.02.2026', '13.45.59', '2026-02-28-13.45.59.123456', 1.999);
  INSERT INTO SHOP.TYPED (ID, D, T) VALUES (2, '02/01/2026', '01:45 PM');
  UPDATE SHOP.TYPED SET N = N + 0.009 WHERE D = '01.02.2026';
  ALTER TABLE SHOP.TYPED ADD COLUMN M DECIMAL(5,1);
  UPDATE SHOP.TYPED SET M = 2.89 WHERE ID = 2;
";
    let state = app.path().join(".tupelo");
    apply_text(app.path(), &state, "ddl/typed.sql", statements);
    let printed = sql(app.path(), &["SELECT * FROM TYPED ORDER BY ID"]);
    let rows: Vec<Vec<&str>> = printed
        .lines()
        .skip(1)
        .map(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|c| !c.is_empty())
                .collect()
        })
        .collect();
    let first = [
        "1",
        "2026-02-01",
        "13:45:59",
        "2026-02-28 13:45:59.123456",
        "1.99",
        "-",
    ];
    assert_eq!(rows[0], first, "{printed}");
    assert_eq!(
        rows[1],
        ["2", "2026-02-01", "13:45:00", "-", "-", "2.8"],
        "{printed}"
    );
    let printed = sql(
        app.path(),
        &["SELECT DIGITS(N), N / 3 FROM TYPED WHERE ID = 1"],
    );
    assert!(
        printed.contains("00199") && printed.contains("0.663333333333\n"),
        "{printed}"
    );
}

#[test]
fn a_batch_program_commits_and_rolls_back_its_units_itself() {
    let Some(app) = shop() else {
        return;
    };
    let output = tupelo()
        .args(["batch", "RECOUNT"])
        .arg(app.path())
        .output()
        .expect("tupelo runs");
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{printed}{}", text(&output.stderr));
    assert!(printed.contains("CHANGED 0002"), "{printed}");
    let printed = sql(app.path(), &["SELECT COUNTED FROM STOCK ORDER BY COUNTED"]);
    assert_eq!(printed, "COUNTED\n     17\n     50\n2 rows\n");
}

#[test]
fn the_schema_can_be_printed_and_a_wrong_password_is_never_shown() {
    let app = tempfile::tempdir().expect("a folder");
    let printed = sql(app.path(), &["setup", "--print"]);
    assert!(printed.contains("CREATE SCHEMA IF NOT EXISTS db2"));
    std::fs::write(app.path().join("pw"), "hunter2").expect("a file");
    let settings = "[sql]\nurl = \"postgresql://127.0.0.1:1/bank\"\nowner_password_file = \"pw\"\n";
    std::fs::write(app.path().join("tupelo.toml"), settings).expect("a file");
    let output = tupelo()
        .args(["sql", "SELECT 1 FROM T"])
        .current_dir(app.path())
        .output()
        .expect("tupelo runs");
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(
        printed.contains("127.0.0.1:1") && !printed.contains("hunter2"),
        "{printed}"
    );
    let settings = "[sql]\nurl = \"postgresql://me:hunter2@db/bank\"\n";
    std::fs::write(app.path().join("tupelo.toml"), settings).expect("a file");
    let output = tupelo()
        .args(["sql", "SELECT 1"])
        .current_dir(app.path())
        .output();
    let printed = text(&output.expect("tupelo runs").stderr);
    assert!(
        printed.contains("password_file") && !printed.contains("hunter2"),
        "{printed}"
    );
}
