//! Runs the conformance suite of the language, test262, on our engines: for
//! `cargo xtask test262`.
//!
//! `conform SUITE FOLDER…`: one line of JSON for each test that does not pass,
//! or is left out, and a last one with counts by folder.
//!
//! Reference: test262, INTERPRETING.md.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use script::{
    ConformanceTest, CopybookLibrary, EngineRecords, Limits, ModuleSources, ScriptEngine,
    TestResult,
};
use serde_json::json;

/// Features that scripts do not have, and why.
const ABSENT: &[(&str, &str)] = &[
    ("SharedArrayBuffer", "no shared memory"),
    ("Atomics", "no shared memory"),
    ("Atomics.waitAsync", "no shared memory"),
    ("Atomics.pause", "no shared memory"),
    ("cross-realm", "one realm"),
    ("ShadowRealm", "one realm"),
    ("IsHTMLDDA", "for browsers"),
    ("host-gc-required", "memory ends with the request"),
    ("CanBlockIsFalse", "no agents"),
    ("CanBlockIsTrue", "no agents"),
    ("Temporal", "not in the engine"),
    ("decorators", "not in the engine"),
    ("tail-call-optimization", "not in the engine"),
    ("import-defer", "not in the engine"),
    ("source-phase-imports", "not in the engine"),
    ("source-phase-imports-module-source", "not in the engine"),
    ("await-dictionary", "not in the engine"),
    ("immutable-arraybuffer", "not in the engine"),
    ("json-modules", "modules are JavaScript"),
    ("import-text", "modules are JavaScript"),
    ("import-bytes", "modules are JavaScript"),
];
/// The host that tests expect.
const HOST: &str = "
globalThis.__said = '';
globalThis.print = (text) => { globalThis.__said += `${text}\\n`; };
globalThis.$262 = {
  global: globalThis,
  gc() {},
  detachArrayBuffer(buffer) { buffer.transfer(); },
  evalScript(text) { return (0, eval)(text); },
};
";

struct Suite {
    root: PathBuf,
    harness: BTreeMap<String, String>,
    engine: ScriptEngine,
}

/// The metadata of a test.
#[derive(Default)]
struct Meta {
    flags: Vec<String>,
    includes: Vec<String>,
    features: Vec<String>,
    /// Name of the error that it expects.
    negative: Option<String>,
}

fn engine(sources: ModuleSources) -> ScriptEngine {
    let limits = Limits {
        runaway_ms: 10_000,
        ..Limits::default()
    };
    let library = CopybookLibrary::new(Vec::new(), copybook::CodePage::ascii());
    let records = EngineRecords::new(Arc::new(library));
    ScriptEngine::load(&Arc::new(sources), "<host>", limits, records).expect("the host is loaded")
}

fn host() -> (String, String) {
    ("<host>".to_owned(), "export default () => {}".to_owned())
}

impl Meta {
    fn of(text: &str) -> Meta {
        let mut meta = Meta::default();
        let front = text
            .split_once("/*---")
            .and_then(|(_, t)| t.split_once("---*/"));
        let Some((front, _)) = front else {
            return meta;
        };
        let mut within = String::new();
        // Some tests end their lines with CR alone.
        for line in front.split(['\n', '\r']).filter(|l| !l.is_empty()) {
            let item = line.trim();
            if !line.starts_with([' ', '\t', '-']) {
                within = item.split(':').next().unwrap_or_default().to_owned();
            }
            let list = match item.split_once('[') {
                Some((_, list)) => list.trim_end_matches(']').split(',').collect(),
                None => item.strip_prefix("- ").into_iter().collect::<Vec<_>>(),
            };
            let list = list
                .into_iter()
                .map(|i| i.trim().to_owned())
                .filter(|i| !i.is_empty());
            match within.as_str() {
                "flags" => meta.flags.extend(list),
                "includes" => meta.includes.extend(list),
                "features" => meta.features.extend(list),
                "negative" => {
                    if let Some((_, name)) = item.split_once("type:") {
                        meta.negative = Some(name.trim().to_owned());
                    }
                }
                _ => {}
            }
        }
        meta
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|f| f == flag)
    }
}

impl Suite {
    /// Why a test does not pass; `None` when it does.
    fn judge(&mut self, path: &Path, text: &str, meta: &Meta) -> Option<String> {
        let modes: &[(bool, bool)] = match () {
            () if meta.has("module") => &[(true, false)],
            () if meta.has("raw") || meta.has("noStrict") => &[(false, false)],
            () if meta.has("onlyStrict") => &[(false, true)],
            () => &[(false, false), (false, true)],
        };
        let mut before = vec![("<host>", HOST)];
        if !meta.has("raw") {
            let own = ["assert.js", "sta.js"];
            let more = meta.has("async").then_some("doneprintHandle.js");
            let includes = meta.includes.iter().map(String::as_str);
            for name in own.into_iter().chain(more).chain(includes) {
                match self.harness.get(name) {
                    Some(text) => before.push((name, text)),
                    None => return Some(format!("there is no harness {name}")),
                }
            }
        }
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        let imports = meta.has("module") || meta.features.iter().any(|f| f == "dynamic-import");
        let mut own = imports.then(|| engine(folder_modules(path)));
        for (module, strict) in modes {
            let strict = if *strict { "\"use strict\";\n" } else { "" };
            let text = format!("{strict}{text}");
            let trial = ConformanceTest {
                name,
                before: &before,
                text: &text,
                module: *module,
            };
            let verdict = own.as_mut().unwrap_or(&mut self.engine).try_text(trial);
            let wrong = match (&verdict, &meta.negative) {
                (TestResult::Threw(name, _), Some(wanted)) if name == wanted => None,
                (TestResult::Ended(said), None) if meta.has("async") => {
                    if said.contains("Test262:AsyncTestComplete") {
                        None
                    } else {
                        Some(format!("it never completed: {}", said.trim()))
                    }
                }
                (TestResult::Ended(_), None) => None,
                (TestResult::Ended(_), Some(wanted)) => Some(format!("no {wanted}")),
                (TestResult::Threw(name, message), _) => Some(format!("{name}: {message}")),
                (TestResult::Stopped(code), _) => Some(format!("abend {code}")),
            };
            if wrong.is_some() {
                return wrong;
            }
        }
        None
    }
}

/// The modules of a test's folder.
fn folder_modules(path: &Path) -> ModuleSources {
    let folder = path.parent().unwrap_or(Path::new("."));
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let texts = files.filter_map(|file| {
        let name = file.file_name().into_string().ok()?;
        let text = name
            .ends_with(".js")
            .then(|| std::fs::read_to_string(file.path()).ok())?;
        Some((name, text?))
    });
    ModuleSources::of(texts.chain([host()]))
}

fn tests(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.to_string_lossy();
        if path.is_dir() {
            tests(&path, found);
        } else if name.ends_with(".js") && !name.contains("_FIXTURE") {
            found.push(path);
        }
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let root = PathBuf::from(args.next().expect("the suite's folder"));
    let folders: Vec<String> = args.collect();
    let harness = std::fs::read_dir(root.join("harness")).expect("it has a harness");
    let harness = harness.flatten().filter_map(|file| {
        let name = file.file_name().into_string().ok()?;
        Some((name, std::fs::read_to_string(file.path()).ok()?))
    });
    let mut suite = Suite {
        harness: harness.collect(),
        engine: engine(ModuleSources::of([host()])),
        root,
    };
    let mut counts: BTreeMap<String, [u32; 3]> = BTreeMap::new();
    for folder in folders {
        let mut found = Vec::new();
        tests(&suite.root.join("test").join(&folder), &mut found);
        for path in found {
            let name = path.strip_prefix(suite.root.join("test")).unwrap_or(&path);
            let name = name.to_string_lossy().into_owned();
            let group: Vec<&str> = name.split('/').take(2).collect();
            let count = counts.entry(group.join("/")).or_default();
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            let meta = Meta::of(&text);
            let absent = |f: &String| ABSENT.iter().find(|(name, _)| name == f);
            let left_out = meta.features.iter().chain(&meta.flags).find_map(absent);
            if let Some((_, why)) = left_out {
                count[2] += 1;
                println!("{}", json!({ "test": name, "left_out": why }));
                continue;
            }
            match suite.judge(&path, &text, &meta) {
                None => count[0] += 1,
                Some(why) => {
                    count[1] += 1;
                    println!(
                        "{}",
                        json!({ "test": name, "features": meta.features, "failed": why })
                    );
                }
            }
        }
    }
    println!("{}", json!({ "counts": counts }));
}
