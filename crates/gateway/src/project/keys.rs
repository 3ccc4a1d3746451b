//! Every key of a project's own files, and its support by the gateway.
//!
//! Like the keywords of an OpenAPI document ([`crate::openapi::keywords`]): the
//! table is the only list, the walk over a file and the reference page come
//! from it, and a key that is in no row is a warning.
//!
//! Reference: the z/OS Connect documentation, "API project structure"; public
//! sample projects.

use crate::diagnostics::ProjectDiagnostics;
use crate::yaml::Node;
use base::suggestion;
use std::fmt::Write;
use std::path::Path;

/// The support for a key.
#[derive(Debug, Clone, Copy)]
enum KeyTreatment {
    Served,
    /// For other tools; with its effect here.
    Shown(&'static str),
}

/// The kinds of maps in a project's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectFile {
    Options,
    Operation,
    Mapping,
    Response,
    Asset,
    Provider,
    Requester,
}

use KeyTreatment::{Served, Shown};

const SHOWN: KeyTreatment = Shown("");
/// The assets say it themselves.
const BY_ASSET: KeyTreatment = Shown("the assets say it themselves");

/// A kind of map, its title, and its keys.
type Section = (
    ProjectFile,
    &'static str,
    &'static [(&'static str, KeyTreatment)],
);

const TABLE: &[Section] = &[
    (
        ProjectFile::Options,
        "config/options.yaml",
        &[
            ("provider", Served),
            ("programInterface", BY_ASSET),
            ("language", BY_ASSET),
            ("connectionRef", BY_ASSET),
            ("program", BY_ASSET),
            ("transid", BY_ASSET),
            ("transidUsage", BY_ASSET),
            ("ccsid", BY_ASSET),
            ("providerPrefix", Served),
            ("providerExtension", SHOWN),
            ("defaultCharacterMaxLength", Served),
            ("defaultFractionDigits", Served),
        ],
    ),
    (
        ProjectFile::Operation,
        "operations/…/operation.yaml",
        &[("version", SHOWN), ("zasset", Served)],
    ),
    (
        ProjectFile::Mapping,
        "operations/…/request.yaml and response_….yaml",
        &[("version", SHOWN), ("mappings", Served)],
    ),
    (
        ProjectFile::Response,
        "operations/…/response_mapping.yaml, below each file",
        &[("condition", Served), ("httpStatusCode", Served)],
    ),
    (
        ProjectFile::Asset,
        "zosAssets/…/zosAsset.yaml",
        &[
            ("version", SHOWN),
            ("type", Served),
            ("description", SHOWN),
            ("providerProperties", Served),
        ],
    ),
    (
        ProjectFile::Provider,
        "zosAssets/…/zosAsset.yaml, below providerProperties",
        &[
            ("program", Served),
            ("language", Served),
            ("transid", Served),
            ("transidUsage", Served),
            ("connectionRef", Served),
            // For connections to a mainframe; a local region has its own.
            ("ccsid", Served),
        ],
    ),
    (
        ProjectFile::Requester,
        "options.yaml of an API requester",
        &[
            ("language", Shown("copybooks are COBOL")),
            ("requesterPrefix", Served),
            ("requesterExtension", SHOWN),
            ("defaultCharacterMaxLength", Served),
            ("defaultFractionDigits", Served),
        ],
    ),
];

/// Warns of unknown keys.
pub(crate) fn check(kind: ProjectFile, file: &Path, node: &Node, out: &mut ProjectDiagnostics) {
    let Some((_, _, rows)) = TABLE.iter().find(|(k, ..)| *k == kind) else {
        return;
    };
    for (key, _) in node.map().unwrap_or_default() {
        let name = key.text().unwrap_or_default();
        if rows.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let message = format!("unknown key {name}, which is ignored");
        let help = suggestion(name, rows.iter().map(|(known, _)| *known));
        out.warn_help(file, key.at, message, help);
    }
}

/// The keys as sections of the reference page, in Markdown.
pub(crate) fn reference() -> String {
    let mut page = String::new();
    for (_, title, rows) in TABLE {
        let _ = write!(page, "\n## `{title}`\n\n| key | | |\n|---|---|---|\n");
        for (key, treatment) in *rows {
            let (word, why) = match treatment {
                Served => ("served", ""),
                Shown(why) => ("shown", *why),
            };
            let _ = writeln!(page, "| `{key}` | {word} | {why} |");
        }
    }
    page
}
