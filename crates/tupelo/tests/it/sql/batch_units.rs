//! Units of work of batch programs over a file and a table: COMMIT and ROLLBACK end both, and
//! after a kill at any instant both have the same units.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use base::SeededRandom;

use super::{apply_text, import, served_state, shop};
use crate::http;
use crate::program::{text, tupelo, until};
use crate::server::Server;

/// The application with the programs; its state has the file and the table.
fn unit_shop() -> Option<tempfile::TempDir> {
    let app = shop()?;
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/sql_units");
    for name in ["UNITS.cbl", "ACTIONS.cbl"] {
        std::fs::copy(from.join(name), app.path().join("batch").join(name)).expect("a copy");
    }
    define(app.path(), &app.path().join(".tupelo"));
    Some(app)
}

/// Makes the files and the table in a state folder.
fn define(app: &Path, state: &Path) {
    let table = "CREATE TABLE SHOP.UNITS (N INTEGER NOT NULL PRIMARY KEY);\n";
    apply_text(app, state, "ddl/units.sql", table);
    let file = "-\n    INDEXED KEYS(8 0) RECORDSIZE(20 20))\n";
    let deck = format!(
        "  DEFINE CLUSTER (NAME(SHOP.OUT) LOG(UNDO) {file}  DEFINE CLUSTER (NAME(SHOP.LOG) {file}"
    );
    std::fs::write(app.join("define.idcams"), deck).expect("a file");
    let output = tupelo()
        .args(["file", "idcams", "define.idcams", "--app", ".", "--state"])
        .arg(state)
        .current_dir(app)
        .output()
        .expect("tupelo runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn job(program: &str, app: &Path, state: &Path, file: &str) -> Command {
    let mut job = tupelo();
    job.args(["batch", program]).arg(app).arg("--state");
    job.arg(state).arg("--dd").arg(format!("OUTDD={file}"));
    job.stdin(Stdio::piped()).stdout(Stdio::piped());
    job.process_group(0);
    job
}

/// Runs ACTIONS: what it shows, and its exit status.
fn act(app: &Path, state: &Path, actions: &str) -> (Vec<String>, Option<i32>) {
    act_on(app, state, "SHOP.OUT", actions)
}

fn act_on(app: &Path, state: &Path, file: &str, actions: &str) -> (Vec<String>, Option<i32>) {
    let mut job = job("ACTIONS", app, state, file);
    let mut job = job.stderr(Stdio::piped()).spawn().expect("tupelo runs");
    let lines = actions.split(' ').map(|action| format!("{action}\n"));
    let mut stdin = job.stdin.take().expect("a pipe");
    stdin
        .write_all(lines.collect::<String>().as_bytes())
        .expect("it reads");
    drop(stdin);
    let output = job.wait_with_output().expect("its end");
    let shown = text(&output.stdout);
    eprint!("{}", text(&output.stderr));
    (
        shown.lines().map(str::to_owned).collect(),
        output.status.code(),
    )
}

/// The numbers of the file and those of the table.
fn numbers(app: &Path, state: &Path) -> [Vec<u32>; 2] {
    numbers_of(app, state, "SHOP.OUT")
}

fn numbers_of(app: &Path, state: &Path, file: &str) -> [Vec<u32>; 2] {
    let printed = |args: &[&str]| {
        let mut command = tupelo();
        command.args(args).args(["--app"]).arg(app);
        let output = command.arg("--state").arg(state).output();
        text(&output.expect("tupelo runs").stdout)
    };
    let records = printed(&["file", "dump", file, "--format", "lines"]);
    let records = records
        .lines()
        .filter_map(|line| line.get(..8)?.parse().ok());
    let rows = printed(&["sql", "SELECT N FROM UNITS ORDER BY N"]);
    let rows = rows
        .lines()
        .skip(1)
        .filter(|line| !line.ends_with("rows") && !line.ends_with("row"));
    [
        records.collect(),
        rows.filter_map(|line| line.trim().parse().ok()).collect(),
    ]
}

/// The same in both.
fn both(numbers: &[u32]) -> [Vec<u32>; 2] {
    [numbers.to_vec(), numbers.to_vec()]
}

fn units_end_as_one(app: &Path, state: &Path) {
    let shown = act(
        app,
        state,
        "W0001 I0001 C0000 W0002 I0002 R0000 W0003 I0003 X0000 E",
    );
    let expected = [
        "W0001 00",
        "I0001 +0000",
        "C0000 +0000",
        "W0002 00",
        "I0002 +0000",
        "R0000 +0000",
        "W0003 00",
        "I0003 +0000",
        "X0000 +0000",
    ];
    assert_eq!(shown.0, expected);
    assert_eq!(numbers(app, state), both(&[1, 3]));
    // The end of the program commits; CLOSE alone does not.
    assert_eq!(act(app, state, "W0004 L0000 I0004 E").1, Some(0));
    assert_eq!(act(app, state, "W0005 L0000 I0005 A0000").1, Some(250));
    assert_eq!(numbers(app, state), both(&[1, 3, 4]));
    // A duplicate key in SQL leaves the unit to the program.
    let shown = act(app, state, "W0006 I0004 C0000 W0007 R0000 I0007 C0000 E").0;
    assert_eq!(shown[1..3], ["I0004 -0803", "C0000 +0000"]);
    assert_eq!(numbers(app, state), [vec![1, 3, 4, 6], vec![1, 3, 4, 7]]);
    // ROLLBACK and an abnormal end leave changes to a file that is not recoverable.
    let log = "SHOP.LOG";
    let shown = act_on(
        app,
        state,
        log,
        "W0001 I0008 R0000 W0002 I0008 C0000 W0003 I0009 A0000",
    )
    .0;
    assert_eq!(shown[..3], ["W0001 00", "I0008 +0000", "R0000 +0000"]);
    assert_eq!(
        numbers_of(app, state, log),
        [vec![1, 2, 3], vec![1, 3, 4, 7, 8]]
    );
}

#[test]
fn commit_and_rollback_of_a_batch_program_end_its_files_and_its_sql() {
    let Some(app) = unit_shop() else {
        return;
    };
    let app = app.path();
    units_end_as_one(app, &app.join(".tupelo"));
    let state = served_state(app);
    define(app, state.path());
    import(app);
    let server = Server::start_in(app, state);
    units_end_as_one(app, server.state.path());
}

/// What UNITS shows at its start: rows, the last of them, records, the last of them.
fn run_and_kill(app: &Path, state: &Path, after: Duration) -> Vec<u32> {
    let mut job = job("UNITS", app, state, "SHOP.OUT")
        .spawn()
        .expect("tupelo runs");
    let printed = BufReader::new(job.stdout.take().expect("a pipe"));
    let mut lines = printed.lines().map_while(Result::ok);
    let start = lines.find(|line| line.starts_with("START"));
    std::thread::sleep(after);
    // SAFETY: kill(2) takes any group; it is the job's own.
    unsafe { libc::kill(-job.id().cast_signed(), libc::SIGKILL) };
    job.wait().expect("its end");
    let faults: Vec<String> = lines.collect();
    assert_eq!(faults, [""; 0]);
    let start = start.expect("the job begins");
    start
        .split(' ')
        .skip(1)
        .map(|n| n.parse().expect("a number"))
        .collect()
}

/// Most kills until a job has committed a unit.
const MOST_KILLS: u32 = 40;

/// Waits until the region has ended what killed jobs have left.
fn no_job_is_left(server: &Server) {
    until("the task of the killed job to end", || {
        let metrics = text(&http::send(&server.admin, "GET", "/metrics", None).body);
        metrics.contains("tupelo_region_tasks_active 0\n")
    });
}

/// Kills jobs, and compares what each has left. Returns the units in the end.
fn kill_jobs(
    app: &Path,
    state: &Path,
    kills: u32,
    random: &mut SeededRandom,
    server: Option<&Server>,
) -> u32 {
    let mut units = 0;
    // On a machine that does other work jobs need longer for their first unit.
    for kill in 0..MOST_KILLS {
        if kill >= kills && units > 0 {
            break;
        }
        server.into_iter().for_each(no_job_is_left);
        let longest = 120 * u64::from(1 + kill / kills);
        let after = Duration::from_millis(random.below(longest));
        let found = run_and_kill(app, state, after);
        assert_eq!(found[..2], found[2..], "after {kill} kills");
        assert!(
            found[0] == found[1] && found[0] >= units,
            "{found:?} after {units}"
        );
        units = found[0];
    }
    units
}

#[test]
fn a_batch_program_that_is_killed_leaves_the_same_units_in_its_file_and_its_table() {
    let Some(app) = unit_shop() else {
        return;
    };
    let app = app.path();
    let mut random = SeededRandom::new(38);
    assert!(kill_jobs(app, &app.join(".tupelo"), 6, &mut random, None) > 0);
    // A region has the file; it is killed, too.
    let state = served_state(app);
    define(app, state.path());
    import(app);
    let server = Server::start_in(app, state);
    assert!(kill_jobs(app, server.state.path(), 3, &mut random, Some(&server)) > 0);
    let mut job = job("UNITS", app, server.state.path(), "SHOP.OUT");
    let mut job = job.spawn().expect("tupelo runs");
    let printed = BufReader::new(job.stdout.take().expect("a pipe"));
    let mut lines = printed.lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("START")));
    std::thread::sleep(Duration::from_millis(random.below(120)));
    let state = server.kill();
    assert!(lines.any(|line| line.starts_with("FAULT")));
    job.wait().expect("its end");
    let server = Server::start_in(app, state);
    kill_jobs(app, server.state.path(), 2, &mut random, Some(&server));
}
