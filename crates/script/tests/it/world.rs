//! A script, a host that answers by rules, and the outcome of a request.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use cics::resp::Condition;
use link::{CallAnswer, CallOperation};
use script::{
    AbendInfo, CopybookLibrary, EngineRecords, Fault, HostEvent, Limits, LogLevel, ModuleSources,
    ProgramInput, ProgramOutput, Request, ScriptEngine, ScriptFailure, ScriptHost, TaskAttributes,
};

/// The requests that the host received, as text.
pub type Journal = Rc<RefCell<Vec<String>>>;

/// A host: LINK upper-cases its input, `ABEND` abends, `NONE` is not there.
pub struct TestHost {
    pub journal: Journal,
    children: Vec<(u32, HostEvent)>,
}

impl ScriptHost for TestHost {
    fn facts(&self) -> TaskAttributes {
        TaskAttributes {
            task: 42,
            transid: "CJSR".into(),
            userid: "CICSUSER".into(),
            applid: "TUPELO".into(),
            sysid: "TUPE".into(),
        }
    }

    fn link(&mut self, program: &str, input: ProgramInput<'_>) -> Result<ProgramOutput, Fault> {
        self.journal.borrow_mut().push(format!("LINK {program}"));
        match program {
            "ABEND" => Err(Fault::Abend(AbendInfo {
                code: "BKCA".into(),
                program: "ABEND".into(),
                line: 17,
                message: "the program abended".into(),
            })),
            "NONE" => Err(Fault::Condition(Condition::PgmIdErr, 1)),
            _ => Ok(echo(input)),
        }
    }

    fn may_go_over(&self, program: &str, _: ProgramInput<'_>) -> Result<(), Fault> {
        match program {
            "NONE" => Err(Fault::Condition(Condition::PgmIdErr, 1)),
            _ => Ok(()),
        }
    }

    fn call(&mut self, op: CallOperation, _: [u64; 8], _: Vec<u8>) -> Result<CallAnswer, Fault> {
        self.journal.borrow_mut().push(format!("{op:?}"));
        Ok(CallAnswer::default())
    }

    fn file(&self, name: &str) -> Option<usize> {
        (name == "ACCTFILE").then_some(0)
    }

    fn spawn(
        &mut self,
        number: u32,
        _: Option<&str>,
        program: &str,
        input: ProgramInput<'_>,
    ) -> Result<(), Fault> {
        let result = self.link(program, input);
        self.children.insert(0, (number, HostEvent::Ended(result)));
        Ok(())
    }

    fn fetch(&mut self, number: u32, request: fetch::Request) -> Result<(), String> {
        self.journal
            .borrow_mut()
            .push(format!("{} {}", request.method, request.url));
        let headers: String = request
            .headers
            .iter()
            .map(|(n, v)| format!("{n}: {v}; "))
            .collect();
        let body = String::from_utf8_lossy(&request.body);
        let answer = match request.url.as_str() {
            "http://forbidden/" => return Err("not allowed".into()),
            "http://broken/" => Err("cannot connect".into()),
            _ => Ok(fetch::FetchedResponse {
                status: 203,
                headers: vec![("x-kind".into(), "echo".into())],
                body: format!("{} {headers}{body}", request.method).into_bytes(),
            }),
        };
        self.children
            .insert(0, (number, HostEvent::Fetched(answer)));
        Ok(())
    }

    fn wait(&mut self, until: Option<Instant>) -> Option<(u32, HostEvent)> {
        if self.children.is_empty()
            && let Some(at) = until
        {
            std::thread::sleep(at.saturating_duration_since(Instant::now()));
        }
        self.children.pop()
    }

    fn send(&mut self, part: script::ScriptAnswer) -> bool {
        let text = String::from_utf8_lossy(&part.body).into_owned();
        self.journal
            .borrow_mut()
            .push(format!("SEND {} {text}", part.status));
        true
    }
    fn finish(
        self: Box<Self>,
        _: Result<&mut script::ScriptAnswer, &AbendInfo>,
        _: u64,
    ) -> Result<(), AbendInfo> {
        Ok(())
    }

    fn log(&self, level: LogLevel, text: &str, data: Option<&str>) {
        let line = [Some(text), data].into_iter().flatten();
        let line = line.collect::<Vec<_>>().join(" with ");
        self.journal.borrow_mut().push(format!("{level:?} {line}"));
    }
}

fn echo(input: ProgramInput<'_>) -> ProgramOutput {
    match input {
        ProgramInput::None => ProgramOutput::default(),
        ProgramInput::Commarea(bytes) => ProgramOutput {
            commarea: bytes.to_ascii_uppercase(),
            channel: None,
        },
        ProgramInput::Channel(channel) => {
            let mut channel = channel.clone();
            for container in &mut channel.containers {
                container.bytes.make_ascii_uppercase();
            }
            ProgramOutput {
                commarea: Vec::new(),
                channel: Some(channel),
            }
        }
    }
}

/// A script that is loaded, with its journal.
pub struct Script {
    engine: ScriptEngine,
    pub journal: Journal,
}

/// Loads modules; the first is the script.
pub fn load_all(texts: &[(&str, &str)], limits: Limits) -> Result<Script, base::Diagnostic> {
    let sources = texts
        .iter()
        .map(|(n, t)| ((*n).to_owned(), (*t).to_owned()));
    let sources = Arc::new(ModuleSources::of(sources));
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = vec![
        folder.join("testdata"),
        folder.join("../../examples/bank/copybooks"),
    ];
    let library = CopybookLibrary::new(folders, copybook::CodePage::ascii());
    let engine = ScriptEngine::load(
        &sources,
        texts[0].0,
        limits,
        EngineRecords::new(Arc::new(library)),
    )?;
    Ok(Script {
        engine,
        journal: Journal::default(),
    })
}

/// Loads one script.
pub fn load(text: &str) -> Script {
    load_all(&[("main.js", text)], Limits::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// A script whose GET is this body, loaded and asked once.
pub fn get(body: &str) -> Result<String, ScriptFailure> {
    load(&format!(
        "export async function GET(request, response) {{ {body} }}"
    ))
    .get("/")
}

/// The answer's body as text, or `ABCODE: message`.
pub fn reported(result: Result<String, ScriptFailure>) -> String {
    result.unwrap_or_else(|f| format!("{}: {}", f.abend.code, f.abend.message))
}

impl Script {
    /// Serves a request.
    pub fn serve(&mut self, request: &Request) -> Result<script::ScriptAnswer, ScriptFailure> {
        let host = Box::new(TestHost {
            journal: self.journal.clone(),
            children: Vec::new(),
        });
        let purged = Arc::new(AtomicBool::new(false));
        self.engine.serve(request.clone(), host, purged).0
    }

    /// GET of a path, and the body of its answer.
    pub fn get(&mut self, path: &str) -> Result<String, ScriptFailure> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let answer = self.serve(&Request {
            method: "GET".into(),
            path: path.into(),
            query: query.into(),
            ..Request::default()
        })?;
        Ok(String::from_utf8(answer.body).expect("text"))
    }
}
