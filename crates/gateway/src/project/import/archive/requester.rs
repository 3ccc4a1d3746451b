//! Archives of API requesters (`.ara`): the document of an API that programs
//! call, and structures in a form that is not documented.
//!
//! The document is all that is taken: structures are generated from it.
//!
//! Reference: public samples of the archive.

use super::{xml, zip};
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use std::path::Path;

/// The usable parts of an archive of an API requester.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequesterArchive {
    /// The API's name, as the archive has it.
    pub name: String,
    /// File name of its document.
    pub document: &'static str,
    /// Its text.
    pub text: String,
}

/// The folder of its document.
const FOLDER: &str = "api-docs/";

/// Takes the document out of an archive.
///
/// # Errors
/// Why the archive is refused, or has no document.
pub fn requester_archive(
    file: &Path,
    bytes: &[u8],
) -> Result<RequesterArchive, ProjectDiagnostics> {
    read(bytes).map_err(|why| {
        let mut out = ProjectDiagnostics::default();
        let help = "the API's own document does as well: put it into requesters/NAME/ and run \
                    `tupelo api requester requesters/NAME --to copybooks`";
        out.error_help(file, FilePosition::default(), why, help);
        out
    })
}

fn read(bytes: &[u8]) -> Result<RequesterArchive, String> {
    let entries = zip::read(bytes).map_err(|why| format!("the archive is refused: {why}"))?;
    let entry = |name: &str| entries.iter().find(|e| e.name == name);
    let package = entry("package.xml").ok_or("the archive has no package.xml")?;
    let package = xml::parse(&package.data).map_err(|why| format!("package.xml: {why}"))?;
    if package.attribute("packageType") != Some("requester") {
        return Err("package.xml does not say that it is of an API requester".into());
    }
    let spec = package.child("apiSpec");
    let named = spec
        .and_then(|s| s.attribute("title"))
        .or(package.attribute("id"));
    let name = named.filter(|n| !n.trim().is_empty());
    let name = name.ok_or("package.xml names no API")?.trim().to_owned();
    let mut found = entries.iter().filter(|e| {
        let kind = e.name.rsplit_once('.').map(|(_, kind)| kind);
        e.name.starts_with(FOLDER) && matches!(kind, Some("json" | "yaml" | "yml"))
    });
    let (Some(entry), None) = (found.next(), found.next()) else {
        return Err("the archive has no document in api-docs, or several".into());
    };
    let text = String::from_utf8(entry.data.clone());
    let text = text.map_err(|_| format!("{} is not UTF-8", entry.name))?;
    Ok(RequesterArchive {
        name,
        document: document(entry.name.ends_with(".json"), &text),
        text,
    })
}

/// The name that a project's folder has for a document.
fn document(json: bool, text: &str) -> &'static str {
    let member = if json { "\"openapi\"" } else { "openapi:" };
    match (json, text.contains(member)) {
        (true, true) => "openapi.json",
        (true, false) => "swagger.json",
        (false, true) => "openapi.yaml",
        (false, false) => "swagger.yaml",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGE: &[u8] =
        br#"<zosConnectApi id="books_1.0" packageType="requester"><apiSpec title="books"/></zosConnectApi>"#;

    #[test]
    fn the_document_is_taken_out_of_an_archive() {
        let document: &[u8] = br#"{"swagger":"2.0"}"#;
        let entries = [
            ("package.xml", PACKAGE),
            ("api-docs/books.json", document),
            ("ws-binds/a.wsbind", b"\0\x01"),
        ];
        let made = requester_archive(Path::new("b.ara"), &zip::tests::zip(&entries)).unwrap();
        assert_eq!((&*made.name, made.document), ("books", "swagger.json"));
        assert_eq!(made.text.as_bytes(), document);
    }

    #[test]
    fn an_incomplete_archive_is_reported_with_what_to_do() {
        let provider: &[u8] = br#"<zosConnectApi id="a"><apiSpec title="a"/></zosConnectApi>"#;
        for (entries, why) in [
            (vec![], "no package.xml"),
            (vec![("package.xml", provider)], "API requester"),
            (vec![("package.xml", PACKAGE)], "no document in api-docs"),
            (
                vec![
                    ("package.xml", PACKAGE),
                    ("api-docs/swagger.json", &b"\xFF"[..]),
                ],
                "not UTF-8",
            ),
        ] {
            let reported = requester_archive(Path::new("b.ara"), &zip::tests::zip(&entries));
            let reported = reported.unwrap_err().to_string();
            assert!(
                reported.contains(why) && reported.contains("tupelo api requester"),
                "{reported}"
            );
        }
        let reported = requester_archive(Path::new("b.ara"), b"not a zip").unwrap_err();
        assert!(
            reported.to_string().contains("the archive is refused"),
            "{reported}"
        );
    }
}
