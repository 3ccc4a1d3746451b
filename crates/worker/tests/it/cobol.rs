//! COBOL under test: translated, compiled, and run by the probe in a process
//! of its own.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use translator::{CopyLibrary, ReferenceFormat, translate};

/// Programs, files and tasks of one test.
pub struct CobolHarness {
    folder: tempfile::TempDir,
    programs: Vec<Value>,
    files: Vec<Value>,
    records: Value,
    tasks: Vec<Value>,
    transforms: Vec<Value>,
    fc_qr_only: bool,
    sql: Value,
}

/// The results of the probe.
pub struct ProbeResult {
    pub ends: Vec<Value>,
    pub output: Output,
    pub displayed: Vec<String>,
}

impl CobolHarness {
    pub fn new() -> Self {
        CobolHarness {
            folder: tempfile::tempdir().unwrap(),
            programs: Vec::new(),
            files: Vec::new(),
            records: json!({}),
            tasks: Vec::new(),
            transforms: Vec::new(),
            fc_qr_only: false,
            sql: Value::Null,
        }
    }

    /// A program with items in WORKING-STORAGE and a PROCEDURE DIVISION.
    /// Lines of `linkage` come after DFHEIBLK; without DFHCOMMAREA in them one
    /// of 100 bytes is added.
    pub fn program(self, name: &str, storage: &str, linkage: &str, procedure: &str) -> Self {
        let source = cics_source(name, storage, linkage, procedure);
        self.compile(name, &translated(name, &source), true)
    }

    /// A program from a file, with COPY members of its folder.
    pub fn source(self, name: &str, path: &std::path::Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let library = CopyLibrary::open(&[path.parent().unwrap()]);
        let translation = translate(path, &bytes, ReferenceFormat::Auto, &library);
        assert!(
            !translation.has_errors(),
            "{name}\n{:#?}",
            translation.diagnostics
        );
        self.compile(name, &translation.text, true)
    }

    /// A COBOL subprogram without EXEC CICS, compiled unchanged.
    pub fn plain(self, name: &str, source: &str) -> Self {
        self.compile(name, source.as_bytes(), false)
    }

    fn compile(mut self, name: &str, source: &[u8], translated: bool) -> Self {
        let path = self.folder.path().join(format!("{name}.i"));
        std::fs::write(&path, source).unwrap();
        let module = self.folder.path().join(format!("{name}.so"));
        let output = Command::new("cobc")
            .args(translator::flags())
            .args(translator::checked::arguments(self.folder.path()).unwrap())
            .current_dir(self.folder.path())
            .args(["-debug", "-o"])
            .arg(&module)
            .arg(&path)
            .output()
            .expect("GnuCOBOL is installed");
        let errors = String::from_utf8_lossy(&output.stderr);
        let shown = String::from_utf8_lossy(source);
        assert!(output.status.success(), "{name}: {errors}\n{shown}");
        self.programs.push(json!({
            "name": name, "module": module, "enabled": true,
            "threadsafe": translated, "translated": translated,
        }));
        self
    }

    /// Changes a field of the program that was added last.
    pub fn with(mut self, field: &str, value: Value) -> Self {
        self.programs.last_mut().unwrap()[field] = value;
        self
    }

    /// A program of another region.
    pub fn elsewhere(mut self, name: &str) -> Self {
        self.programs.push(json!({"name": name, "enabled": true}));
        self
    }

    /// A file with a key of four bytes at the start of each record.
    pub fn file(mut self, name: &str, record_bytes: u32, variable: bool, records: &[&str]) -> Self {
        self.files.push(json!({
            "name": name, "key_offset": 0, "key_bytes": 4, "record_bytes": record_bytes,
            "variable": variable, "recoverable": true, "enabled": true, "read": true,
            "update": true, "add": true, "delete": true, "browse": true,
        }));
        self.records[name] = json!(records);
        self
    }

    pub fn file_with(mut self, field: &str, value: Value) -> Self {
        self.files.last_mut().unwrap()[field] = value;
        self
    }

    pub fn fc_qr_only(mut self) -> Self {
        self.fc_qr_only = true;
        self
    }

    /// Where and how EXEC SQL is served.
    pub fn sql(mut self, sql: Value) -> Self {
        self.sql = sql;
        self
    }

    pub fn task(mut self, task: Value) -> Self {
        self.tasks.push(task);
        self
    }

    /// A binding that TRANSFORM converts by.
    pub fn transform(mut self, name: &str, binding: &str) -> Self {
        self.transforms
            .push(json!({"name": name, "binding": binding}));
        self
    }

    /// A task of this program with this COMMAREA.
    pub fn run(self, program: &str, commarea: &str) -> Self {
        self.task(json!({"program": program, "commarea": commarea}))
    }

    /// The worker's configuration.
    pub fn config(&self) -> Value {
        json!({
            "applid": "TESTAPPL", "sysid": "TST1", "fc_qr_only": self.fc_qr_only,
            "programs": self.programs, "files": self.files,
            "transactions": [{"name": "TEST", "twa_bytes": 16}],
            "transforms": self.transforms,
        })
    }

    /// Runs the tasks and returns what the probe printed.
    pub fn play(self) -> ProbeResult {
        let scenario = json!({
            "config": self.config(),
            "records": self.records,
            "sql": self.sql,
            "tasks": self.tasks,
        });
        let file = self.folder.path().join("harness.json");
        std::fs::write(&file, scenario.to_string()).unwrap();
        let output = Command::new(PathBuf::from(env!("CARGO_BIN_EXE_tupelo-worker")))
            .arg("probe")
            .arg(&file)
            .env("TZ", "UTC")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (ends, displayed): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|l| l.starts_with("{\"abend\""));
        ProbeResult {
            ends: ends
                .iter()
                .map(|l| serde_json::from_str(l).unwrap())
                .collect(),
            displayed: displayed.into_iter().map(str::to_owned).collect(),
            output,
        }
    }
}

impl ProbeResult {
    /// The COMMAREA of a task that ended well.
    pub fn commarea(&self, task: usize) -> String {
        let end = self.end(task);
        assert!(end["abend"].is_null(), "{end}");
        end["commarea"].as_str().unwrap().to_owned()
    }

    pub fn end(&self, task: usize) -> &Value {
        let errors = String::from_utf8_lossy(&self.output.stderr);
        self.ends
            .get(task)
            .unwrap_or_else(|| panic!("{:?} {errors}", self.output))
    }

    /// Abend code of a task.
    pub fn abend(&self, task: usize) -> &str {
        self.end(task)["abend"]["code"].as_str().unwrap_or("")
    }
}

/// A program as people write it, in free format.
fn cics_source(name: &str, storage: &str, linkage: &str, procedure: &str) -> String {
    let commarea = if linkage.contains("DFHCOMMAREA") {
        ""
    } else {
        "01 DFHCOMMAREA PIC X(100)."
    };
    format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\nDATA DIVISION.\n\
         WORKING-STORAGE SECTION.\n{storage}\nLINKAGE SECTION.\n{linkage}\n{commarea}\n\
         PROCEDURE DIVISION.\nDFHMAIN.\n{procedure}"
    )
}

/// The program with its commands as calls.
fn translated(name: &str, source: &str) -> Vec<u8> {
    let path = PathBuf::from(format!("{name}.cbl"));
    let translation = translate(
        &path,
        source.as_bytes(),
        ReferenceFormat::Free,
        &CopyLibrary::default(),
    );
    assert!(
        !translation.has_errors(),
        "{source}\n{:?}",
        translation.diagnostics
    );
    translation.text
}
