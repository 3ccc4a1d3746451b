//! What an engine costs, as one line of JSON: for `cargo xtask bench script`.
//!
//! `engine ROUNDS`: nanoseconds of each kind of access to a record, by the
//! copybook object and by hand; of an empty request; of loading.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use script::{
    AbendInfo, Engine, Facts, Fault, Host, Input, Level, Library, Limits, Output, Records, Request,
    Sources,
};

/// A host that nobody asks.
struct Nobody;

impl Host for Nobody {
    fn facts(&self) -> Facts {
        Facts::default()
    }
    fn link(&mut self, _: &str, _: Input<'_>) -> Result<Output, Fault> {
        Ok(Output::default())
    }
    fn call(&mut self, _: link::Op, _: [u64; 8], _: Vec<u8>) -> Result<link::Answer, Fault> {
        Ok(link::Answer::default())
    }
    fn file(&self, _: &str) -> Option<usize> {
        None
    }
    fn spawn(&mut self, _: u32, _: Option<&str>, _: &str, _: Input<'_>) -> Result<(), Fault> {
        Ok(())
    }
    fn wait(&mut self, _: Option<Instant>) -> Option<(u32, Result<Output, Fault>)> {
        None
    }
    fn finish(self: Box<Self>, _: Option<&AbendInfo>, _: u64) -> Result<(), AbendInfo> {
        Ok(())
    }
    fn log(&self, _: Level, _: &str) {}
}

fn main() {
    let rounds: u32 = std::env::args()
        .nth(1)
        .map_or(20_000, |n| n.parse().expect("a number"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = Arc::new(Sources::read(&folder.join("examples")).expect("the scripts are there"));
    let library = Library::new(vec![folder.join("testdata")], copybook::CodePage::ascii());
    let records = Records::new(Arc::new(library));
    let limits = Limits {
        runaway_ms: 0,
        ..Limits::default()
    };
    let mut told: BTreeMap<String, f64> = BTreeMap::new();
    let began = Instant::now();
    let mut engine = Engine::load(&sources, "rounds.js", limits, records).expect("it loads");
    told.insert("load_us".into(), began.elapsed().as_nanos() as f64 / 1e3);
    told.insert("image_kib".into(), engine.image_bytes() as f64 / 1024.0);
    let mut serve = |query: String| {
        let request = Request {
            method: "GET".into(),
            query,
            ..Request::default()
        };
        let purged = Arc::new(AtomicBool::new(false));
        let began = Instant::now();
        let answer = engine.serve(&request, Box::new(Nobody), purged).0;
        answer.unwrap_or_else(|f| panic!("{}", f.abend.message));
        began.elapsed().as_nanos() as f64
    };
    let empty = "kind=none&rounds=0".to_owned();
    for _ in 0..200 {
        serve(empty.clone());
    }
    let many = 2_000;
    let sum: f64 = (0..many).map(|_| serve(empty.clone())).sum();
    told.insert("request_us".into(), sum / f64::from(many) / 1e3);
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
            told.insert(format!("{kind}:{who}"), best[2] / f64::from(rounds));
        }
    }
    println!("{}", serde_json::to_string(&told).expect("numbers"));
}
