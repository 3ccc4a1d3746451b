//! Batch programs with units of work over a file and a table, killed while they work.
//!
//! The program adds units without end, each a record and a row with the unit's number. At its
//! start it shows what is in the file and in the table, after the units that earlier runs left
//! in doubt were ended. Both must have the same units, and none fewer than at the start before.
//! In the second half of the kills a region has the file; some kills hit the region instead.
//! It ends the unit of a killed job, which the next job awaits, since it reads before it writes.

use std::io::{BufRead, BufReader, Lines};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use base::SeededRandom;

use super::Args;
use super::served::{ServedApplication, until_none};

/// The program, its definitions and settings.
const FILES: [(&str, &str); 4] = [
    (
        "batch/UNITS.cbl",
        include_str!("../../../crates/tupelo/testdata/sql_units/UNITS.cbl"),
    ),
    ("tupelo.toml", "[sql]\nqualifier = \"SHOP\"\n"),
    (
        "tables.sql",
        "CREATE TABLE SHOP.UNITS (N INTEGER NOT NULL PRIMARY KEY);\n\
         CREATE TABLE SHOP.STOCK (ITEM CHAR(8) NOT NULL PRIMARY KEY);\n\
         INSERT INTO SHOP.STOCK VALUES ('BOLT');\nINSERT INTO SHOP.STOCK VALUES ('NUT');\n",
    ),
    (
        "define.idcams",
        "  DEFINE CLUSTER (NAME(SHOP.OUT) LOG(UNDO) -\n    INDEXED KEYS(8 0) RECORDSIZE(20 20))\n",
    ),
];

/// Kills, and looks at what each kill has left; false when something is wrong.
pub fn run(args: &Args) -> Result<bool> {
    let mut shop = open(args)?;
    let began = Instant::now();
    let until = args.seconds.map(|s| began + Duration::from_secs(s));
    let mut random = SeededRandom::new(args.seed);
    let (mut jobs, mut regions, mut units) = (0, 0, 0);
    let mut wrong = Vec::new();
    let mut has_region = false;
    for kill in 0..args.kills {
        if until.is_some_and(|until| Instant::now() >= until) || !wrong.is_empty() {
            break;
        }
        if kill == args.kills / 2 {
            shop.start()?;
            has_region = true;
        }
        if has_region && !units_end(&shop)? {
            wrong.push(format!("a unit of work has not ended in {ENDING_LIMIT:?}"));
            break;
        }
        let mut job = RunningJob::start(&shop)?;
        wrong.extend(compare(&job.found, &mut units));
        std::thread::sleep(Duration::from_millis(random.below(args.pause.max(1))));
        if has_region && (kill + 1) % args.region_every.max(1) == 0 {
            shop.kill_region()?;
            job.wait()?;
            shop.start()?;
            regions += 1;
        } else {
            job.kill()?;
            jobs += 1;
        }
        if (kill + 1) % 50 == 0 {
            eprintln!("{} kills, {units} units", kill + 1);
        }
    }
    if wrong.is_empty() && has_region && !units_end(&shop)? {
        wrong.push("units of work are in doubt".to_owned());
    }
    let mut last = RunningJob::start(&shop)?;
    wrong.extend(compare(&last.found, &mut units));
    last.kill()?;
    wrong.iter().for_each(|line| println!("{line}"));
    println!(
        "{jobs} batch programs and {regions} regions killed in {:.0} s; {units} units, {} rules broken",
        began.elapsed().as_secs_f64(),
        wrong.len()
    );
    Ok(wrong.is_empty())
}

/// Longest wait for the region to end the unit of a killed job.
const ENDING_LIMIT: Duration = Duration::from_secs(30);

/// Waits until the region has no task and no unit in doubt; false if it still has one.
fn units_end(shop: &ServedApplication) -> Result<bool> {
    let left = || Ok(shop.tasks()? + shop.units_in_doubt()?);
    Ok(until_none(ENDING_LIMIT, left)? == 0)
}

/// Makes the application with its file and its tables.
fn open(args: &Args) -> Result<ServedApplication> {
    let shop = ServedApplication::new(args.tupelo.as_deref(), "jobs")?;
    for (name, text) in FILES {
        let path = shop.folder().join(name);
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        std::fs::write(path, text)?;
    }
    let state = shop.state().display().to_string();
    let of_state = ["--app", ".", "--state", &state];
    shop.run(&[&["sql", "apply", "tables.sql", "--stop"], &of_state[..]].concat())?;
    shop.run(&[&["file", "idcams", "define.idcams"], &of_state[..]].concat())?;
    Ok(shop)
}

/// Compares what a job has found: rows, the last of them, records, the last of them.
fn compare(found: &[u32], units: &mut u32) -> Option<String> {
    let [rows, last, records, last_record] = found else {
        return Some(format!("the job shows {found:?}"));
    };
    let is_right = rows == records && last == last_record && rows == last && rows >= units;
    let before = std::mem::replace(units, *rows);
    (!is_right).then(|| {
        format!(
            "after {before} units the table has {rows}, the last {last}, and the file {records}, \
             the last {last_record}"
        )
    })
}

/// A batch program that adds units.
struct RunningJob {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
    found: Vec<u32>,
}

impl RunningJob {
    fn start(shop: &ServedApplication) -> Result<RunningJob> {
        let mut process = Command::new(shop.program())
            .args(["batch", "UNITS", ".", "--dd", "OUTDD=SHOP.OUT", "--state"])
            .arg(shop.state())
            .current_dir(shop.folder())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let printed = process.stdout.take().context("a pipe")?;
        let mut lines = BufReader::new(printed).lines();
        let start = lines.next().transpose()?.unwrap_or_default();
        let Some(found) = start.strip_prefix("START ") else {
            process.wait()?;
            bail!("the job did not begin: {start:?}");
        };
        let found = found.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        Ok(RunningJob {
            process,
            lines,
            found,
        })
    }

    /// Kills it with all its processes.
    fn kill(&mut self) -> Result<()> {
        let group = i32::try_from(self.process.id())?;
        // SAFETY: kill(2) takes any group; it is the job's own.
        unsafe { libc::kill(-group, libc::SIGKILL) };
        self.wait()
    }

    /// Waits for its end, which a region that was killed brings too.
    fn wait(&mut self) -> Result<()> {
        for line in self.lines.by_ref() {
            let _ = line?;
        }
        self.process.wait()?;
        Ok(())
    }
}
