//! The cost of an engine, as one line of JSON: for `cargo xtask bench script`.
//!
//! `engine link [N]`: a request with one LINK, again and again, on N engines in
//! turn, for a profiler.
//! `engine ROUNDS`: nanoseconds of each kind of access to a record, by the
//! copybook object and by hand; of an empty request; of loading.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use script::{
    AbendInfo, CopybookLibrary, EngineRecords, Fault, HostEvent, Limits, LogLevel, ModuleSources,
    ProgramInput, ProgramOutput, Request, ScriptEngine, ScriptHost, TaskAttributes,
};

/// A host whose methods are never called.
struct UnusedHost;

impl ScriptHost for UnusedHost {
    fn facts(&self) -> TaskAttributes {
        TaskAttributes::default()
    }
    fn link(&mut self, _: &str, input: ProgramInput<'_>) -> Result<ProgramOutput, Fault> {
        let ProgramInput::Channel(given) = input else {
            return Ok(ProgramOutput::default());
        };
        let mut channel = given.clone();
        for container in &mut channel.containers {
            container.name = "RESPONSE-DATA".parse().unwrap_or_default();
            container.bytes = vec![b'x'; 1000];
        }
        Ok(ProgramOutput {
            commarea: Vec::new(),
            channel: Some(channel),
        })
    }
    fn may_go_over(&self, _: &str, _: ProgramInput<'_>) -> Result<(), Fault> {
        Ok(())
    }
    fn call(
        &mut self,
        _: link::CallOperation,
        _: [u64; 8],
        _: Vec<u8>,
    ) -> Result<link::CallAnswer, Fault> {
        Ok(link::CallAnswer::default())
    }
    fn file(&self, _: &str) -> Option<usize> {
        None
    }
    fn spawn(
        &mut self,
        _: u32,
        _: Option<&str>,
        _: &str,
        _: ProgramInput<'_>,
    ) -> Result<(), Fault> {
        Ok(())
    }
    fn fetch(&mut self, _: u32, _: fetch::Request) -> Result<(), String> {
        Ok(())
    }
    fn wait(&mut self, _: Option<Instant>) -> Option<(u32, HostEvent)> {
        None
    }
    fn send(&mut self, _: script::ScriptAnswer) -> bool {
        true
    }
    fn finish(
        self: Box<Self>,
        _: Result<&mut script::ScriptAnswer, &AbendInfo>,
        _: u64,
    ) -> Result<(), AbendInfo> {
        Ok(())
    }
    fn log(&self, _: LogLevel, _: &str, _: Option<&str>) {}
}

/// Microseconds of a request with one LINK that the host answers at once.
/// Each of so many engines has its turn.
fn link(sources: &Arc<ModuleSources>, folder: &Path, requests: u32, engines: usize) -> f64 {
    let load = |_| {
        let library =
            CopybookLibrary::new(vec![folder.join("testdata")], copybook::CodePage::ascii());
        let records = EngineRecords::new(Arc::new(library));
        ScriptEngine::load(sources, "one.js", Limits::default(), records).expect("it loads")
    };
    let mut engines: Vec<ScriptEngine> = (0..engines).map(load).collect();
    let headers = [
        "host",
        "user-agent",
        "content-type",
        "content-length",
        "accept",
    ];
    let headers = headers.map(|name| (name.to_owned(), "application/json".to_owned()));
    let mut serve = || {
        let request = Request {
            method: "PUT".into(),
            path: "/script/1000".into(),
            variables: vec![("size".into(), "1000".into())],
            headers: headers.to_vec(),
            body: br#"{"request":"as many characters as the path says"}"#.to_vec(),
            ..Request::default()
        };
        let answer = engines[0]
            .serve(request, Box::new(UnusedHost), Arc::default())
            .0;
        assert_eq!(answer.map(|a| a.body.len()), Ok(1017));
        engines.rotate_left(1);
    };
    (0..requests / 10).for_each(|_| serve());
    let began = Instant::now();
    (0..requests).for_each(|_| serve());
    began.elapsed().as_nanos() as f64 / 1e3 / f64::from(requests)
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    if std::env::args().nth(1).as_deref() == Some("link") {
        // For a profiler.
        let sources = ModuleSources::read(&folder.join("examples")).expect("the scripts are there");
        let engines = std::env::args().nth(2);
        let engines = engines.map_or(1, |n| n.parse().expect("a number"));
        println!("{}", link(&Arc::new(sources), folder, 20_000, engines));
        return;
    }
    let rounds: u32 = std::env::args()
        .nth(1)
        .map_or(20_000, |n| n.parse().expect("a number"));
    let sources =
        Arc::new(ModuleSources::read(&folder.join("examples")).expect("the scripts are there"));
    let library = CopybookLibrary::new(vec![folder.join("testdata")], copybook::CodePage::ascii());
    let records = EngineRecords::new(Arc::new(library));
    let limits = Limits {
        runaway_ms: 0,
        ..Limits::default()
    };
    let mut reported: BTreeMap<String, f64> = BTreeMap::new();
    let began = Instant::now();
    let mut engine = ScriptEngine::load(&sources, "rounds.js", limits, records).expect("it loads");
    reported.insert("load_us".into(), began.elapsed().as_nanos() as f64 / 1e3);
    let mut serve = |query: String| {
        let request = Request {
            method: "GET".into(),
            query,
            ..Request::default()
        };
        let purged = Arc::new(AtomicBool::new(false));
        let began = Instant::now();
        let answer = engine.serve(request, Box::new(UnusedHost), purged).0;
        answer.unwrap_or_else(|f| panic!("{}", f.abend.message));
        began.elapsed().as_nanos() as f64
    };
    let empty = "kind=none&rounds=0".to_owned();
    for _ in 0..200 {
        serve(empty.clone());
    }
    let many = 2_000;
    let sum: f64 = (0..many).map(|_| serve(empty.clone())).sum();
    reported.insert("request_us".into(), sum / f64::from(many) / 1e3);
    reported.insert("link_us".into(), link(&sources, folder, 2_000, 1));
    let kinds = [
        "read-number",
        "read-text",
        "read-packed",
        "write-number",
        "write-text",
        "to-json",
    ];
    for kind in kinds {
        for who in ["ours", "hand"] {
            let rounds = if kind == "to-json" {
                rounds / 20
            } else {
                rounds
            }
            .max(1);
            let query = format!("kind={kind}&who={who}&rounds={rounds}");
            serve(query.clone());
            let mut best: Vec<f64> = (0..5).map(|_| serve(query.clone())).collect();
            best.sort_by(f64::total_cmp);
            reported.insert(format!("{kind}:{who}"), best[2] / f64::from(rounds));
        }
    }
    let (image, written) = engine.image_bytes();
    reported.insert("image_kib".into(), image as f64 / 1024.0);
    reported.insert("written_kib".into(), written as f64 / 1024.0);
    println!("{}", serde_json::to_string(&reported).expect("numbers"));
}
