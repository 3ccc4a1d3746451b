//! COBOL under test: EXEC CICS spelled out as the calls that a translated
//! program makes, compiled, and run by the probe in a process of its own.
//!
//! The expansion here is the plain form of the one that the translator does:
//! one command a line, no nesting, no checks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cics::abi::{BlockRepr, FLAG_LABELS, FLAG_NOHANDLE, FLAG_RESP};
use cics::command::{self, Selection};
use cics::resp::Condition;
use serde_json::{Value, json};

/// Programs, files and tasks of one test.
pub struct Scene {
    folder: tempfile::TempDir,
    programs: Vec<Value>,
    files: Vec<Value>,
    records: Value,
    tasks: Vec<Value>,
    fc_qr_only: bool,
}

/// What the probe did.
pub struct Played {
    pub ends: Vec<Value>,
    pub output: Output,
    pub displayed: Vec<String>,
}

impl Scene {
    pub fn new() -> Self {
        Scene {
            folder: tempfile::tempdir().unwrap(),
            programs: Vec::new(),
            files: Vec::new(),
            records: json!({}),
            tasks: Vec::new(),
            fc_qr_only: false,
        }
    }

    /// A program with items in WORKING-STORAGE and a PROCEDURE DIVISION.
    /// Lines of `linkage` come after DFHEIBLK; without DFHCOMMAREA in them one
    /// of 100 bytes is added.
    pub fn program(self, name: &str, storage: &str, linkage: &str, procedure: &str) -> Self {
        let source = cics_source(name, storage, linkage, procedure);
        self.compile(name, &source, true)
    }

    /// A COBOL subprogram without EXEC CICS, as it stands.
    pub fn plain(self, name: &str, source: &str) -> Self {
        self.compile(name, source, false)
    }

    fn compile(mut self, name: &str, source: &str, translated: bool) -> Self {
        let path = self.folder.path().join(format!("{name}.i"));
        std::fs::write(&path, source).unwrap();
        let module = self.folder.path().join(format!("{name}.so"));
        let output = Command::new("cobc")
            .args(["-m", "-std=ibm", "-debug", "-fstack-check", "-o"])
            .arg(&module)
            .arg(&path)
            .output()
            .expect("GnuCOBOL is installed");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}\n{source}");
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

    /// A program that lives elsewhere.
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

    pub fn task(mut self, task: Value) -> Self {
        self.tasks.push(task);
        self
    }

    /// A task of this program with this COMMAREA.
    pub fn run(self, program: &str, commarea: &str) -> Self {
        self.task(json!({"program": program, "commarea": commarea}))
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs the tasks and gives what the probe printed.
    pub fn play(self) -> Played {
        let scenario = json!({
            "config": {
                "applid": "TESTAPPL", "sysid": "TST1", "fc_qr_only": self.fc_qr_only,
                "programs": self.programs, "files": self.files,
                "transactions": [{"name": "TEST", "twa_bytes": 16}],
            },
            "records": self.records,
            "tasks": self.tasks,
        });
        let file = self.folder.path().join("scene.json");
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
        Played {
            ends: ends.iter().map(|l| serde_json::from_str(l).unwrap()).collect(),
            displayed: displayed.into_iter().map(str::to_owned).collect(),
            output,
        }
    }
}

impl Played {
    /// The COMMAREA of a task that ended well.
    pub fn commarea(&self, task: usize) -> String {
        let end = self.end(task);
        assert!(end["abend"].is_null(), "{end}");
        end["commarea"].as_str().unwrap().to_owned()
    }

    pub fn end(&self, task: usize) -> &Value {
        let errors = String::from_utf8_lossy(&self.output.stderr);
        self.ends.get(task).unwrap_or_else(|| panic!("{:?} {errors}", self.output))
    }

    /// Abend code of a task.
    pub fn abend(&self, task: usize) -> &str {
        self.end(task)["abend"]["code"].as_str().unwrap_or("")
    }
}

fn cics_source(name: &str, storage: &str, linkage: &str, procedure: &str) -> String {
    let mut labels = Labels::default();
    let body: Vec<String> = procedure.lines().map(|l| expand(l, &mut labels)).collect();
    let commarea =
        if linkage.contains("DFHCOMMAREA") { "" } else { "01 DFHCOMMAREA PIC X(100)." };
    let go = match labels.abend.is_empty() {
        true => String::new(),
        false => format!("GO TO {} DEPENDING ON DFHEIRES.", labels.abend.join(" ")),
    };
    // Commands learn the number of condition labels only at the end.
    let got = match labels.condition.is_empty() {
        true => String::new(),
        false => format!("GO TO {} DEPENDING ON DFHEIGOT", labels.condition.join(" ")),
    };
    let body = body.join("\n").replace("%GOT%", &got);
    let start = hex(&BlockRepr::default());
    let eib = cics::eib::COPYBOOK;
    format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\nDATA DIVISION.\n\
         WORKING-STORAGE SECTION.\n01 DFHEIRES PIC S9(9) COMP-5.\n\
         01 DFHEIGOT PIC S9(9) COMP-5.\n01 DFHEIPTR POINTER.\n{storage}\n\
         LINKAGE SECTION.\n{eib}\n{linkage}\n{commarea}\n\
         PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA.\n\
         CALL \"DFHEI0\" USING BY CONTENT {start}\n BY REFERENCE DFHEIPTR DFHEIRES DFHEIGOT\n\
         SET ADDRESS OF DFHEIBLK TO DFHEIPTR.\n{go}\nDFHMAIN.\n{body}\n"
    )
}

#[derive(Default)]
struct Labels {
    abend: Vec<String>,
    condition: Vec<String>,
}

fn hex(block: &BlockRepr) -> String {
    let digits: String = block.emit().iter().map(|b| format!("{b:02X}")).collect();
    format!("X\"{digits}\"")
}

/// A line with `EXEC CICS … END-EXEC` in it as the call it becomes.
fn expand(line: &str, labels: &mut Labels) -> String {
    let Some((before, rest)) = line.split_once("EXEC CICS ") else {
        return line.to_owned();
    };
    let (text, after) = rest.split_once(" END-EXEC").expect("the command ends on its line");
    let words = words(text);
    let names: Vec<&str> = words[1..].iter().map(|(n, _)| n.as_str()).collect();
    let Selection::Found(row) = command::select(&words[0].0, &names) else {
        panic!("no command: {text}");
    };
    let mut block = BlockRepr { command: row.number, line: 7, ..BlockRepr::default() };
    block.flags = FLAG_LABELS;
    let mut operands: Vec<(u8, String)> = Vec::new();
    for (name, argument) in &words[1..] {
        if let Some(condition) = Condition::from_name(name).filter(|_| row.index_of(name).is_none())
        {
            let label = argument.as_ref().map_or(0, |l| place(&mut labels.condition, l));
            block.pairs.push((condition.number(), label));
            continue;
        }
        let index = row.index_of(name).unwrap_or_else(|| panic!("{name} in {text}"));
        block.options |= 1 << index;
        match (name.as_str(), argument) {
            ("RESP", _) => block.flags |= FLAG_RESP,
            ("NOHANDLE", _) => block.flags |= FLAG_NOHANDLE,
            ("LABEL", Some(label)) => {
                block.pairs.push((0, place(&mut labels.abend, label)));
                continue;
            }
            _ => {}
        }
        let argument = match (name.as_str(), argument) {
            ("DATESEP", None) => Some("\"/\"".to_owned()),
            ("TIMESEP", None) => Some("\":\"".to_owned()),
            (_, argument) => argument.clone(),
        };
        if let Some(argument) = argument {
            operands.push((index, argument));
        }
    }
    operands.sort();
    block.operand_count = operands.len() as u8;
    let mut call = format!("{before}CALL \"DFHEI1\" USING BY CONTENT {}\n", hex(&block));
    for (_, operand) in &operands {
        let literal = operand.starts_with(['"', '\'']) || operand.parse::<i64>().is_ok();
        let how = if literal { "CONTENT" } else { "REFERENCE" };
        writeln!(call, " BY {how} {operand}").unwrap();
    }
    call + " END-CALL\n %GOT%" + after
}

fn place(list: &mut Vec<String>, label: &str) -> u16 {
    let at = list.iter().position(|l| l == label).unwrap_or_else(|| {
        list.push(label.to_owned());
        list.len() - 1
    });
    at as u16 + 1
}

/// `NAME` and `NAME(argument)`, parentheses within arguments included.
fn words(text: &str) -> Vec<(String, Option<String>)> {
    let mut list = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find([' ', '(']).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        let mut argument = None;
        if rest.starts_with('(') {
            let mut depth = 0;
            let close = rest
                .find(|c| {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    depth == 0
                })
                .expect("parentheses close");
            argument = Some(rest[1..close].to_owned());
            rest = &rest[close + 1..];
        }
        rest = rest.trim_start();
        list.push((name, argument));
    }
    list
}
