//! z/OS Connect's API-first sample, served without an edit.
//!
//! Its files are not part of this project: the test runs where the variable
//! `API_FIRST_SAMPLE` names a copy of it
//! (<https://github.com/zosconnect/sample-cics-api-first>), and is over at once
//! elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use crate::commands::entries_of;
use crate::program::{text, tupelo, until};
use crate::server::Server;
use copybook::{ParseOptions, RecordLayout};
use serde_json::json;

fn sample() -> Option<PathBuf> {
    std::env::var_os("API_FIRST_SAMPLE").map(PathBuf::from)
}

#[test]
fn every_operation_and_every_response_code_of_the_sample_is_served() {
    let Some(sample) = sample() else {
        return;
    };
    let app = tempfile::tempdir().expect("a folder");
    for (from, to) in [
        ("COBOL", "cobol"),
        ("COPY", "copybooks"),
        ("finish", "apis/redbooks"),
    ] {
        copy(&sample.join(from), &app.path().join(to));
    }
    copy_file(
        &sample.join("CSD/REDBKCSD.csd"),
        &app.path().join("resources.csd"),
    );
    let server = Server::start(app.path());
    let title = "/redbook/ABCs%20of%20IBM%20z%2FOS%20System%20Programming%20Volume%201";
    let unset = server.get("/redbooks");
    assert_eq!(
        unset.status,
        500,
        "before the set-up: {}",
        text(&unset.body)
    );
    let message = unset.json()["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(
        message.starts_with("RBKRALLB: TSQ BAQ-RED-BOOK-TSQ is unavailable."),
        "{message}"
    );
    run(&server, "RBKS", 200);

    let book = server.get(title);
    let expected = json!({
        "title": "ABCs of IBM z/OS System Programming Volume 1",
        "authors": ["Lydia Parziale", "Luiz Fadel", "Stanley Jon"],
        "status": "PUBLISHED", "formNumber": "SG24-6981-04",
        "publicationDate": "2018-01-22", "documentType": "PDF", "sizeMB": 4.1,
        "url": "https://www.redbooks.ibm.com/redbooks/pdfs/sg246981.pdf",
    });
    assert_eq!((book.status, book.json()), (200, expected.clone()));
    let all = server.get("/redbooks").json();
    assert_eq!(
        (all.as_array().map(Vec::len), &all[0]),
        (Some(10), &expected)
    );
    let own = server.get("/redbooks?author=Luiz%20Fadel");
    assert!(
        own.json()
            .as_array()
            .is_some_and(|books| books.contains(&expected)),
        "{}",
        text(&own.body)
    );
    assert_eq!(server.get("/redbooks?author=Unknown").status, 404);
    let missing = server.get("/redbook/Nothing");
    // The sample's mapping makes an empty list of a missing one.
    let message = "Redbook Nothing is not located in inventory.";
    let absent = json!({"message": message, "authorsBooks": []});
    assert_eq!((missing.status, missing.json()), (404, absent));
    let others = server.get("/redbook/Nothing?author=Luiz%20Fadel");
    assert_eq!(others.status, 404);
    let works = others.json()["authorsBooks"].clone();
    assert!(
        works
            .as_array()
            .is_some_and(|books| books.contains(&expected)),
        "{works}"
    );

    let new = json!({
        "title": "A New Book", "authors": ["Ada Byron", "Grace Hopper"], "status": "DRAFT",
        "formNumber": "SG24-0000-00", "sizeMB": 12.34, "documentType": "HARDCOPY",
    });
    let post = || server.send("POST", "/redbook/A%20New%20Book", Some(&new.to_string()));
    let made = post();
    assert_eq!((made.status, made.json()), (201, new.clone()));
    let again = post();
    assert_eq!((again.status, again.json()), (409, new.clone()));
    assert_eq!(server.get("/redbook/A%20New%20Book").json(), new);
    let wrong = server.send("POST", "/redbook/X", Some("{\"title\": \"X\"}"));
    assert_eq!(wrong.status, 400);

    run(&server, "RBKT", 500);
}

/// Starts a transaction as an operator does, and waits for its result.
fn run(server: &Server, transaction: &str, there: u16) {
    let output = tupelo()
        .args(["task", "start", transaction, "--admin", &server.admin])
        .output()
        .expect("tupelo runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    until("it has done its work", || {
        server.get("/redbooks").status == there
    });
}

#[test]
fn the_derived_structures_are_those_of_the_samples_copybooks() {
    let Some(sample) = sample() else {
        return;
    };
    let to = tempfile::tempdir().expect("a folder");
    let output = tupelo()
        .args(["api", "structures"])
        .arg(sample.join("finish"))
        .arg("--to")
        .arg(to.path())
        .output()
        .expect("tupelo runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let made = entries_of(to.path());
    assert_eq!(made.len(), 6);
    for file in made {
        let name = file.file_name().unwrap_or_default();
        let (own, theirs) = (layouts(&file), layouts(&sample.join("COPY").join(name)));
        let titles = |all: &[RecordLayout]| -> Vec<String> {
            all.iter().map(|l| l.name().to_ascii_uppercase()).collect()
        };
        assert_eq!(titles(&own), titles(&theirs), "{name:?}");
        for (own, theirs) in own.iter().zip(&theirs) {
            assert_eq!(own.length, theirs.length, "{}", own.name());
            for ((_, own), (_, theirs)) in own.iter().zip(theirs.iter()).skip(1) {
                let of = |f: &copybook::Field| {
                    let name = f.name.as_deref().map(str::to_ascii_uppercase);
                    (name, f.level, f.offset, f.length, format!("{:?}", f.kind))
                };
                assert_eq!(of(own), of(theirs), "{name:?}");
            }
            assert_eq!(own.fields.len(), theirs.fields.len(), "{}", own.name());
        }
    }
}

fn layouts(file: &Path) -> Vec<RecordLayout> {
    let text = fs::read_to_string(file).expect("a copybook");
    copybook::parse(&text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for path in entries_of(from) {
        let to = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &to)
        } else {
            copy_file(&path, &to)
        }
    }
}

fn copy_file(from: &Path, to: &Path) {
    fs::copy(from, to).expect("a copy");
}
