//! API projects on disk.
//!
//! ```text
//! <project>/src/main/api/openapi.yaml
//!                    config/options.yaml
//!                    operations/<path, percent-encoded>/<method>/operation.yaml …
//!                    zosAssets/<asset>/zosAsset.yaml, providerFiles/…, sources.yaml (ours)
//! ```
//!
//! Reference: the z/OS Connect documentation, "API project structure", and
//! public sample projects.

pub(crate) mod asset;
mod dai;
pub(crate) mod import;
pub(crate) mod keys;
mod liberty;
mod load;
pub(crate) mod media;
pub(crate) mod operation;
pub(crate) mod origin;
pub(crate) mod page;
pub(crate) mod record;
mod served;
pub(crate) mod structure;

use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::yaml::{self, Node};
use std::path::Path;

/// Reads a YAML file; faults are reported and give `None`.
pub(crate) fn read_yaml(file: &Path, out: &mut ProjectDiagnostics) -> Option<Node> {
    let text = match sources::read_to_string(file) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            out.error(file, FilePosition::default(), "the file is missing");
            return None;
        }
        Err(e) => {
            out.error(
                file,
                FilePosition::default(),
                format!("cannot be read: {e}"),
            );
            return None;
        }
    };
    match yaml::parse(&text) {
        Ok(node) => Some(node),
        Err(e) => {
            e.report(file, out);
            None
        }
    }
}

/// The name of an operation's folder: the path with everything but letters,
/// digits, `-`, `_`, `.` and `~` percent-encoded.
pub(crate) fn folder_name(path: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~');
    utf8_percent_encode(path, ENCODED).to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn folders_are_named_as_the_tooling_names_them() {
        assert_eq!(
            super::folder_name("/redbook/{title}"),
            "%2Fredbook%2F%7Btitle%7D"
        );
    }
}
