//! IBM's sample application genapp, set up as at an existing site: its own
//! definitions, its own job that defines and loads the files, its own programs.
//!
//! Its code is not part of this project: the test runs where the variable
//! `GENAPP` names the folder `base` of a copy of it
//! (<https://github.com/cicsdev/cics-genapp>), and is over at once elsewhere.
//! `testdata/genapp/GENADRV.cbl` links to every program that needs neither SQL nor maps; its
//! expected output was derived from the texts of these programs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::commands::{commarea_lines, entries_of};
use crate::program::{text, tupelo};

#[test]
fn programs_without_sql_and_maps_run_over_files_that_their_job_loads() {
    let Some(genapp) = std::env::var_os("GENAPP").map(PathBuf::from) else {
        skipped::lacking("GENAPP", "the variable names no copy of genapp");
        return;
    };
    let app = application(&genapp);
    let printed = load(&genapp, app.path(), &[]);
    assert!(printed.contains("KSDSCUST: 10 records loaded"), "{printed}");
    assert!(printed.contains("KSDSPOLY: 10 records loaded"), "{printed}");
    let expected = fs::read_to_string(data().join("genapp/GENADRV.expected"));
    assert_eq!(
        commarea_lines(app.path(), "GDRV"),
        expected.expect("an expectation")
    );
}

/// Its programs without maps, those with SQL among them, over the files that its job
/// loads. Tables are not made yet.
pub fn with_sql(genapp: &Path) -> tempfile::TempDir {
    let app = application(genapp);
    add_programs(genapp, app.path(), |content| {
        content.contains("EXEC SQL") && !content.contains("SEND MAP")
    });
    add(
        app.path(),
        "tupelo.toml",
        "\n[sql]\nqualifier = \"GENASA1\"\n",
    );
    add(
        app.path(),
        "resources.csd",
        "\nDEFINE TRANSACTION(GSQL) GROUP(TESTS) PROGRAM(LGICDB01)\n",
    );
    load(genapp, app.path(), &[]);
    app
}

/// All of it, terminals and tables included, as its own jobs set it up. Its files and
/// tables are kept in `state`.
pub fn whole(genapp: &Path, state: &Path) -> tempfile::TempDir {
    let app = application(genapp);
    add_programs(genapp, app.path(), |content| {
        content.contains("EXEC SQL") || content.contains("SEND MAP")
    });
    fs::create_dir_all(app.path().join("bms")).expect("a folder");
    let maps = genapp.join("src/ssmap.bms");
    fs::copy(maps, app.path().join("bms/ssmap.bms")).expect("a copy");
    let more = "\n[sql]\nqualifier = \"GENASA1\"\n\n[terminal]\nlisten = \"127.0.0.1:0\"\n";
    add(app.path(), "tupelo.toml", more);
    let state = ["--state", &state.display().to_string()].map(str::to_owned);
    load(genapp, app.path(), &state);
    create_tables(genapp, app.path(), &state);
    app
}

/// Has the site's job make the tables and their rows.
pub fn create_tables(genapp: &Path, app: &Path, state: &[String]) {
    let output = tupelo()
        .args(["batch", "--jcl"])
        .arg(genapp.join("cntl/db2cre.jcl"))
        .arg(app)
        .args(state)
        .args(["--set", "<DB2DBID>=GENASA1", "--set", "<SQLID>=GENA"])
        .args(["--set", "<DB2RUN>=DSN", "--set", "<DB2SSID>=DB2A"])
        .args(["--set", "<DB2PLAN>=DSNTIA12", "--set", "<DB2HLQ>=DSN"])
        .output()
        .expect("tupelo runs");
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{printed}{}", text(&output.stderr));
}

/// Copies further programs, chosen by their text in upper case, and their members.
fn add_programs(genapp: &Path, app: &Path, is_wanted: impl Fn(&str) -> bool) {
    for path in entries_of(&genapp.join("src")) {
        let bytes = fs::read(&path).expect("a text");
        let is_program = path.extension().is_some_and(|e| e == "cbl");
        let is_member = path.extension().is_some_and(|e| e == "cpy");
        if (is_program || is_member) && is_wanted(&text(&bytes).to_uppercase()) {
            let folder = if is_program { "cobol" } else { "copybooks" };
            let name = path.file_name().unwrap_or_default();
            fs::copy(&path, app.join(folder).join(name)).expect("a copy");
        }
    }
}

/// Adds to a text of the application.
fn add(app: &Path, file: &str, more: &str) {
    let path = app.join(file);
    let old = fs::read_to_string(&path).expect("a text");
    fs::write(path, old + more).expect("a text");
}

/// Has the site's job define and load the files; what it printed.
fn load(genapp: &Path, app: &Path, state: &[String]) -> String {
    let customers = genapp.join("data/ksdscust.txt");
    let policies = genapp.join("data/ksdspoly.txt");
    let output = tupelo()
        .args(["batch", "--jcl"])
        .arg(genapp.join("cntl/adef121.jcl"))
        .arg(app)
        .args(state)
        .args(["--set", "<USRHLQ>=USER", "--format", "lines"])
        .args(["--dd", &format!("<KSDSCUS>={}", customers.display())])
        .args(["--dd", &format!("<KSDSPOL>={}", policies.display())])
        .output()
        .expect("tupelo runs");
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{printed}{}", text(&output.stderr));
    printed
}

/// Its programs without SQL and maps, its copybooks and definitions, and the
/// program that links to them.
fn application(genapp: &Path) -> tempfile::TempDir {
    let app = tempfile::tempdir().expect("a folder");
    let in_app = |name: &str| app.path().join(name);
    fs::create_dir_all(in_app("cobol")).expect("a folder");
    fs::create_dir_all(in_app("copybooks")).expect("a folder");
    for path in entries_of(&genapp.join("src")) {
        let bytes = fs::read(&path).expect("a text");
        let content = text(&bytes).to_uppercase();
        let is_out = content.contains("EXEC SQL") || content.contains("SEND MAP");
        let folder = match path.extension().and_then(|e| e.to_str()) {
            Some("cbl") if !is_out => "cobol",
            Some("cpy") => "copybooks",
            _ => continue,
        };
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, in_app(folder).join(name)).expect("a copy");
    }
    for path in entries_of(&data().join("commands/copybooks")) {
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, in_app("copybooks").join(name)).expect("a copy");
    }
    let driver = data().join("genapp/GENADRV.cbl");
    fs::copy(driver, in_app("cobol/GENADRV.cbl")).expect("a copy");
    let settings = data().join("genapp/tupelo.toml");
    fs::copy(settings, in_app("tupelo.toml")).expect("a copy");
    let job = fs::read_to_string(genapp.join("cntl/cdef121.jcl")).expect("a job");
    let lines = job.lines().skip_while(|line| !line.starts_with("//SYSIN"));
    let own: Vec<&str> = lines.skip(1).take_while(|l| !l.starts_with("/*")).collect();
    let more = fs::read_to_string(data().join("genapp/more.csd")).expect("definitions");
    let all = own.join("\n").replace("<USRHLQ>", "USER");
    let all = all.replace("<DB2SSID>", "DB2A") + "\n" + &more;
    fs::write(in_app("resources.csd"), all).expect("definitions");
    app
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}
