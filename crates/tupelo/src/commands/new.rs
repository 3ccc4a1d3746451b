//! `tupelo new`: a small application that can be served at once.

use std::fs;
use std::path::{Path, PathBuf};

use miette::{Context, IntoDiagnostic, Result, bail};

use crate::Outcome;

/// Make a new application folder: two COBOL programs with a REST API, one that greets and
/// one that may reject a request.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo new hello\n  tupelo serve hello\n  curl http://127.0.0.1:8080/hello/world")]
pub struct Args {
    /// The folder to make; an existing folder must be empty.
    folder: PathBuf,
}

/// Writes the template's files.
pub fn run(args: Args) -> Result<Outcome> {
    let folder = &args.folder;
    if let Ok(mut entries) = fs::read_dir(folder)
        && entries.next().is_some()
    {
        bail!("{} exists and is not empty", folder.display());
    }
    for (path, text) in TEMPLATE {
        let path = folder.join(path);
        let parent = path.parent().expect("a template path has a folder");
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", path.display()))?;
    }
    let name = shell_word(folder);
    let name = &name;
    println!(
        "Made {name}. Next:\n  tupelo serve {name}\n  curl http://127.0.0.1:8080/hello/world\n  \
         curl http://127.0.0.1:8080/loans -H 'content-type: application/json' -d '{{\"amount\": 10000, \"rate\": 4.5, \"months\": 48}}'"
    );
    Ok(Outcome::Clean)
}

/// A folder as one word of a shell command.
fn shell_word(folder: &Path) -> String {
    let text = folder.display().to_string();
    // A word that begins with a hyphen would be an option.
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    match shlex::try_quote(&text) {
        Ok(word) => word.into_owned(),
        Err(_) => text,
    }
}

macro_rules! template {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../../template/", $path)))),+]
    };
}

/// Every file of the template, by its path in the new folder.
const TEMPLATE: &[(&str, &str)] = template![
    "tupelo.toml",
    "resources.csd",
    "cobol/HELLO.cbl",
    "cobol/LOAN.cbl",
    "copybooks/HELLO.cpy",
    "copybooks/LOAN.cpy",
    "apis/hello/src/main/api/openapi.yaml",
    "apis/hello/src/main/operations/%2Fhello%2F%7Bname%7D/get/operation.yaml",
    "apis/hello/src/main/operations/%2Fhello%2F%7Bname%7D/get/request.yaml",
    "apis/hello/src/main/operations/%2Fhello%2F%7Bname%7D/get/response_200.yaml",
    "apis/hello/src/main/operations/%2Fhello%2F%7Bname%7D/get/response_mapping.yaml",
    "apis/hello/src/main/operations/%2Floans/post/operation.yaml",
    "apis/hello/src/main/operations/%2Floans/post/request.yaml",
    "apis/hello/src/main/operations/%2Floans/post/response_200.yaml",
    "apis/hello/src/main/operations/%2Floans/post/response_422.yaml",
    "apis/hello/src/main/operations/%2Floans/post/response_mapping.yaml",
    "apis/hello/src/main/zosAssets/HELLO/sources.yaml",
    "apis/hello/src/main/zosAssets/HELLO/zosAsset.yaml",
    "apis/hello/src/main/zosAssets/LOAN/providerFiles/gen/LOAN-AREA_request_0.cpy",
    "apis/hello/src/main/zosAssets/LOAN/providerFiles/gen/LOAN-AREA_response_0.cpy",
    "apis/hello/src/main/zosAssets/LOAN/sources.yaml",
    "apis/hello/src/main/zosAssets/LOAN/zosAsset.yaml",
    "apis/hello/src/main/zosAssets/HELLO/providerFiles/gen/HELLO-AREA_request_0.cpy",
    "apis/hello/src/main/zosAssets/HELLO/providerFiles/gen/HELLO-AREA_response_0.cpy",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_commands_are_valid_in_a_shell() {
        for (folder, word) in [("hello", "hello"), ("bad name!", "'bad name!'"), ("-x", "./-x")] {
            assert_eq!(shell_word(Path::new(folder)), word);
        }
    }
}
