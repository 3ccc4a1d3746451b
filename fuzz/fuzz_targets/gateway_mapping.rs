//! Any mapping is compiled or refused with its place, never with a panic. The
//! first byte chooses the file of an operation of the bank, and whether the rest
//! is all of it or one expression in it.
#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use gateway::LoadedApi;
use libfuzzer_sys::fuzz_target;

const OPERATION: &str = "src/main/operations/%2Faccounts%2F%7Bnumber%7D/get";
/// Each mapping, and an expression in it.
const FILES: [(&str, &str); 3] = [
    ("request.yaml", "'$pathParameters.number'"),
    (
        "response_200.yaml",
        "'$zosAssetResponse.commarea.\"ACCTINQ-AREA\".\"INQ-BALANCE\"'",
    ),
    (
        "response_mapping.yaml",
        "'$zosAssetResponse.commarea.\"ACCTINQ-AREA\".\"RESULT-CODE\" = 404'",
    ),
];

/// A copy of the bank's API, and the texts of its mappings.
static PROJECT: LazyLock<(PathBuf, [String; 3])> = LazyLock::new(|| {
    let bank = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/bank/apis/accounts"
    );
    let folder = std::env::temp_dir().join(format!("tupelo-fuzz-mapping-{}", std::process::id()));
    copy(Path::new(bank), &folder);
    let texts = FILES.map(|(name, expression)| {
        let text = fs::read_to_string(folder.join(OPERATION).join(name)).expect("the bank's");
        assert!(text.contains(expression), "{name}");
        text
    });
    (folder, texts)
});

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the bank") {
        let entry = entry.expect("an entry").path();
        let target = to.join(entry.file_name().expect("a name"));
        if entry.is_dir() {
            copy(&entry, &target)
        } else {
            fs::write(&target, fs::read(&entry).expect("a file")).expect("a copy")
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let (folder, texts) = &*PROJECT;
    let which = usize::from(choice % 3);
    let (name, expression) = FILES[which];
    let file = folder.join(OPERATION).join(name);
    let quoted = format!("'{}'", text.replace('\'', "''"));
    let changed = match choice / 3 % 2 {
        0 => texts[which].replacen(expression, &quoted, 1),
        _ => text.to_owned(),
    };
    fs::write(&file, changed).expect("the copy is ours");
    if let Err(faults) = LoadedApi::load(folder) {
        assert!(faults.has_errors());
    }
    fs::write(&file, &texts[which]).expect("the copy is ours");
});
