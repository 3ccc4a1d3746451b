//! Batch programs: the file status of every statement, and the files' contents
//! afterwards.
//!
//! `testdata/batch/` is an application. Each program in its folder `batch` with
//! an `.expected` file is run with every file of `setup.idcams` under its own
//! name and with the DDs of its `.dds` file, where `@` is a folder of its own;
//! the files named after the program are in it. What it is to display is taken
//! from the public manuals, not from a run; `[4]` stands for an exit status.
//!
//! To add a program: write it and its `.expected` file.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::program::{text, tupelo};
use crate::server::Server;

/// Programs that run one after another on the same files.
const SERIES: &[&[&str]] = &[
    &["ABCODE"],
    &["ABENDS", "ABREAD"],
    &["ABOLD"],
    &["CARDS"],
    &["CODEPG"],
    &["DECLAR"],
    &["ESDSTST"],
    &["INTOVAR"],
    &["IXALT", "IXDUPS"],
    &["IXSEQ"],
    &["OPENS"],
    &["RELTEST"],
    &["RPTWR"],
    &["SEQVAR"],
    &["SORTED"],
    &["TWICE"],
];

/// Programs that need a running region.
const WITH_REGION: &[&str] = &["REGJOB"];

#[test]
fn statements_get_the_status_of_the_manual() {
    let (app, _state) = BatchApplication::new();
    let mut wrong = String::new();
    for program in SERIES.iter().copied().flatten() {
        let displayed = app.displayed(program);
        let expected = app.text(&format!("{program}.expected"));
        if displayed != expected {
            let _ = writeln!(wrong, "{program} displays\n{displayed}and not\n{expected}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_job_changes_the_files_of_a_running_region_with_its_locks() {
    let (app, state) = BatchApplication::new();
    app.run("IXSEQ");
    let _server = Server::start_in(app.folder.path(), state);
    for program in WITH_REGION {
        assert_eq!(
            app.displayed(program),
            app.text(&format!("{program}.expected"))
        );
    }
    let error_text = text(&app.run("REGJOB").stderr);
    assert!(error_text.contains("PLAIN holds records"), "{error_text}");
}

#[test]
fn a_step_accepts_only_the_lines_after_sysin() {
    let (app, _state) = BatchApplication::new();
    let job = "//J JOB 1\n//ONE EXEC PGM=CARDS\n//REPORT DD SYSOUT=*\n//SYSIN DD *\nIN THE JOB\n/*\n\
               //TWO EXEC PGM=CARDS\n//REPORT DD DUMMY\n";
    let path = app.folder.path().join("job.jcl");
    fs::write(&path, job).expect("a job");
    let mut command = app.command("--jcl");
    // Standard input of the job is not passed to its steps.
    let typed = fs::File::open(app.folder.path().join("job.jcl")).expect("the job");
    let output = command.arg(path).stdin(typed).output();
    let printed = text(&output.expect("tupelo runs").stdout);
    assert!(printed.starts_with("<IN THE JOB>\n<"), "{printed}");
    assert!(!printed.contains("JOB 1"), "{printed}");
}

#[test]
fn the_code_of_a_program_that_abends_itself_is_reported() {
    let (app, _state) = BatchApplication::new();
    let error_text = text(&app.run("ABCODE").stderr);
    assert!(error_text.contains("with code U0777"), "{error_text}");
    let error_text = text(&app.run("ABOLD").stderr);
    assert!(error_text.contains("with code U1234"), "{error_text}");
}

#[test]
fn a_job_ends_at_a_missing_data_set() {
    let (app, _state) = BatchApplication::new();
    let job = "//J JOB 1\n//ONE EXEC PGM=TWICE\n//SHARED DD DISP=SHR,DSN=SHARED\n\
               //TWO EXEC PGM=TWICE\n//SHARED DD DISP=OLD,DSN=NOT.THERE\n\
               //THREE EXEC PGM=TWICE,COND=EVEN\n";
    let path = app.folder.path().join("job.jcl");
    fs::write(&path, job).expect("a job");
    let output = app
        .command("--jcl")
        .arg(path)
        .output()
        .expect("tupelo runs");
    let (printed, error_text) = (text(&output.stdout), text(&output.stderr));
    assert!(
        error_text.contains("TWO line 5: DD SHARED: there is no data set NOT.THERE"),
        "{error_text}"
    );
    let table: Vec<&str> = printed.lines().rev().take(3).collect();
    assert_eq!(
        table,
        [
            "THREE    TWICE    not run",
            "TWO      TWICE    no data set",
            "ONE      TWICE    0000"
        ]
    );
    assert_eq!(output.status.code(), Some(250));
}

#[test]
fn iefbr14_makes_and_deletes_data_sets() {
    let (app, _state) = BatchApplication::new();
    let job = "//J JOB 1\n//MAKE EXEC PGM=IEFBR14\n//A DD DSN=A.B,DISP=(NEW,CATLG)\n\
               //C DD DSN=C.D,DISP=(NEW,CATLG)\n//GO EXEC PGM=IEFBR14\n\
               //A DD DSN=A.B,DISP=(OLD,DELETE)\n";
    let path = app.folder.path().join("job.jcl");
    fs::write(&path, job).expect("a job");
    let output = app
        .command("--jcl")
        .arg(path)
        .output()
        .expect("tupelo runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let there = |name: &str| app.state.join("datasets").join(name).exists();
    assert_eq!((there("A.B"), there("C.D")), (false, true));
}

#[test]
fn delete_of_another_kind_of_entry_deletes_nothing() {
    let (app, _state) = BatchApplication::new();
    let job = "//J JOB 1\n//S EXEC PGM=IDCAMS\n//SYSIN DD *\n\
               \x20DEFINE CLUSTER (NAME(KD) INDEXED KEYS(4 0) RECORDSIZE(9 9))\n\
               \x20DEFINE AIX (NAME(KDAX) RELATE(KD) KEYS(2 4))\n\
               \x20DEFINE PATH (NAME(KDP) PATHENTRY(KDAX))\n\
               \x20DELETE KDP CLUSTER\n DELETE KDAX PATH\n DELETE KD AIX\n\
               \x20DELETE KDP PATH\n DELETE KDAX AIX\n DELETE KD CL\n/*\n";
    let output = app.job(job);
    let printed = text(&output.stdout) + &text(&output.stderr);
    for expected in [
        "8  KDP is not a cluster, and is kept",
        "8  KDAX is not a path, and is kept",
        "8  KD is not an alternate index, and is kept",
        "0  KDP deleted",
        "0  KDAX deleted",
        "0  KD deleted",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
}

#[test]
fn a_new_data_set_that_exists_ends_the_job() {
    let (app, _state) = BatchApplication::new();
    let job = "//J JOB 1\n//MAKE EXEC PGM=IEFBR14\n//A DD DSN=A.B,DISP=(NEW,CATLG)\n\
               //T DD DSN=&&T,DISP=(NEW,PASS)\n//AGAIN EXEC PGM=IEFBR14\n\
               //T DD DSN=&&T,DISP=(NEW,PASS)\n//A DD DSN=A.B,DISP=(,CATLG,DELETE)\n\
               //LAST EXEC PGM=IEFBR14\n";
    let output = app.job(job);
    assert_eq!(output.status.code(), Some(250));
    let error_text = text(&output.stderr);
    let line = "AGAIN line 7: DD A: DISP=NEW, and the data set A.B exists";
    assert!(error_text.contains(line), "{error_text}");
    let printed = text(&output.stdout);
    assert!(
        printed.contains("AGAIN    IEFBR14  duplicate\nLAST     IEFBR14  not run"),
        "{printed}"
    );
    assert!(app.has("A.B"));
    // A job that is run again first deletes the data set in an earlier step.
    let job = "//J JOB 1\n//FREE EXEC PGM=IEFBR14\n//A DD DSN=A.B,DISP=(MOD,DELETE)\n\
               //MAKE EXEC PGM=IEFBR14\n//A DD DSN=A.B,DISP=(NEW,CATLG)\n\
               //MINE EXEC PGM=IEFBR14\n//A DD DSN=PLAIN,DISP=(NEW,CATLG)\n";
    let output = app.job(job);
    let error_text = text(&output.stderr);
    assert!(
        error_text.contains("MINE line 7: DD A: DISP=NEW, and the data set PLAIN exists"),
        "{error_text}"
    );
}

#[test]
fn disp_keeps_or_deletes_data_sets_after_an_abend_and_with_the_job() {
    let (app, _state) = BatchApplication::new();
    let job = "//J JOB 1\n//ONE EXEC PGM=IEFBR14\n//P DD DSN=PASSED,DISP=(NEW,PASS)\n\
               //K DD DSN=KEPT,DISP=(NEW,PASS)\n//TWO EXEC PGM=ABOLD\n\
               //K DD DSN=KEPT,DISP=(OLD,KEEP)\n//P DD DSN=PASSED,DISP=OLD\n\
               //G DD DSN=GONE,DISP=(NEW,CATLG,DELETE)\n//S DD DSN=STAYS,DISP=(NEW,DELETE,CATLG)\n";
    let output = app.job(job);
    assert_eq!(output.status.code(), Some(250), "{}", text(&output.stderr));
    let there = ["PASSED", "KEPT", "GONE", "STAYS"].map(|name| app.has(name));
    assert_eq!(there, [false, true, false, true]);
}

#[test]
fn repro_unloads_to_a_new_data_set_and_says_what_sysout_is() {
    let (app, _state) = BatchApplication::new();
    app.run("IXSEQ");
    let job = |dd: &str| {
        format!(
            "//J JOB 1\n//UNLOAD EXEC PGM=IDCAMS\n//SYSPRINT DD SYSOUT=*\n//OUT DD {dd}\n\
             //SYSIN DD *\n REPRO INDATASET(PLAIN) OUTFILE(OUT)\n/*\n"
        )
    };
    let output = app.job(&job("DSN=PLAIN.UNLOAD,DISP=(NEW,CATLG)"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let path = app.state.join("datasets/PLAIN.UNLOAD");
    assert!(fs::metadata(path).is_ok_and(|it| it.len() > 0 && it.len() % 20 == 0));
    let output = app.job(&job("SYSOUT=*"));
    let error_text = text(&output.stderr) + &text(&output.stdout);
    assert!(
        error_text.contains("DD OUT is SYSOUT or DUMMY, not a data set"),
        "{error_text}"
    );
}

#[test]
fn every_program_of_the_folder_is_run() {
    let programs = fs::read_dir(data().join("batch")).expect("a folder");
    for program in programs.map(|entry| entry.expect("an entry").path()) {
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        let mut series = SERIES.iter().chain(&[WITH_REGION]);
        let is_run = series.any(|programs| programs.contains(&&*name));
        assert!(is_run, "{name} is in no series");
    }
}

/// The application of the tests in a temporary folder.
struct BatchApplication {
    folder: tempfile::TempDir,
    state: PathBuf,
    files: Vec<String>,
}

impl BatchApplication {
    /// The application with its files defined, and the folder of its state.
    fn new() -> (BatchApplication, tempfile::TempDir) {
        let state = tempfile::tempdir().expect("a folder");
        let folder = tempfile::tempdir().expect("a folder");
        crate::appc::copy(&data(), folder.path());
        let deck = folder.path().join("setup.idcams");
        let args = [deck.as_os_str(), "--app".as_ref(), folder.path().as_ref()];
        let mut command = tupelo();
        command.args(["file", "idcams"]).args(args);
        let output = command.arg("--state").arg(state.path()).output();
        let output = output.expect("tupelo runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let deck = fs::read_to_string(deck).expect("commands");
        let named = deck.lines().filter(|line| line.contains("CLUSTER"));
        let named = named.filter_map(|line| line.split_once("NAME(")?.1.split_once(')'));
        let app = BatchApplication {
            folder,
            state: state.path().to_owned(),
            files: named.map(|(name, _)| name.to_owned()).collect(),
        };
        (app, state)
    }

    /// `tupelo batch` with a program or option, and further arguments.
    fn command(&self, program: &str) -> Command {
        let mut command = tupelo();
        command.arg("batch").arg("--state").arg(&self.state);
        match program {
            "--jcl" => command.arg(self.folder.path()).arg("--jcl"),
            program => command.arg(program).arg(self.folder.path()),
        };
        command
    }

    /// Runs a job.
    fn job(&self, job: &str) -> Output {
        let path = self.folder.path().join("job.jcl");
        fs::write(&path, job).expect("a job");
        let mut command = self.command("--jcl");
        command.arg(path).output().expect("tupelo runs")
    }

    /// Whether a data set outside of the store exists.
    fn has(&self, data_set: &str) -> bool {
        self.state.join("datasets").join(data_set).exists()
    }

    /// A file of the folder of programs.
    fn text(&self, name: &str) -> String {
        let path = self.folder.path().join("batch").join(name);
        fs::read_to_string(path).unwrap_or_default()
    }

    /// Runs a program.
    fn run(&self, program: &str) -> Output {
        let own = self.folder.path().join("work").join(program);
        fs::create_dir_all(&own).expect("a folder");
        for entry in fs::read_dir(data()).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.file_stem().is_some_and(|stem| stem == program) {
                let name = path.extension().expect("a name");
                fs::copy(&path, own.join(name)).expect("a copy");
            }
        }
        let mut command = self.command(program);
        for file in &self.files {
            command.args(["--dd", &format!("{file}={file}")]);
        }
        for dd in self.text(&format!("{program}.dds")).lines() {
            command.args(["--dd", &dd.replace('@', &own.to_string_lossy())]);
        }
        command.output().expect("tupelo runs")
    }

    /// What a program displays, and its exit status if that is not 0.
    fn displayed(&self, program: &str) -> String {
        let output = self.run(program);
        let mut displayed = text(&output.stdout);
        match output.status.code() {
            Some(0) => {}
            code => {
                let _ = writeln!(displayed, "[{}]", code.unwrap_or(-1));
            }
        }
        displayed
    }
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/batch")
}
