//! COBOL programs that call REST APIs, against a server of the test's own.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::ports::ClosedPort;
use crate::program::{run, text};
use crate::server::example;

/// A request as the server got it: its head, and its body.
pub type ReceivedRequest = Arc<Mutex<Vec<(String, String)>>>;

/// Answers requests by their first line, one connection each.
pub fn serve(
    answer: impl Fn(&str, &str) -> (u16, String) + Send + 'static,
) -> (u16, ReceivedRequest) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen = ReceivedRequest::default();
    let kept = seen.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let Some((head, body)) = request(&mut stream) else {
                continue;
            };
            kept.lock().unwrap().push((head.clone(), body.clone()));
            let (status, json) = answer(&head, &body);
            let length = json.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status} Reply\r\ncontent-type: application/json\r\n\
                 content-length: {length}\r\nconnection: close\r\n\r\n{json}"
            );
        }
    });
    (port, seen)
}

fn request(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = stream.read(&mut piece).ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.to_ascii_lowercase();
        let length = length.split("content-length: ").nth(1);
        let length = length.and_then(|l| l.lines().next()?.trim().parse::<usize>().ok());
        if body.len() >= length.unwrap_or(0) {
            return Some((head.to_owned(), body.to_owned()));
        }
    }
}

/// The example with another address, and additional settings.
pub fn books(port: u16, more: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("requester"), folder.path());
    let file = folder.path().join("tupelo.toml");
    let settings = std::fs::read_to_string(&file).unwrap();
    let settings = settings.replace("127.0.0.1:8089", &format!("127.0.0.1:{port}"));
    std::fs::write(&file, settings + more).unwrap();
    folder
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true if entry.file_name() == ".tupelo" => {}
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// What a transaction of the example displays.
pub fn displayed(folder: &Path, transid: &str) -> String {
    let ran = run(&["run", transid, folder.to_str().unwrap()]);
    assert!(
        ran.status.success(),
        "{}{}",
        text(&ran.stdout),
        text(&ran.stderr)
    );
    text(&ran.stdout) + &text(&ran.stderr)
}

pub const BOOK: &str = r#"{"isbn":"9780131103627","bookName":"The C Programming Language","price":54.90,
    "writers":[{"writerName":"Brian Kernighan"},{"writerName":"Dennis Ritchie"}],"pages":272}"#;

pub fn library(head: &str, _: &str) -> (u16, String) {
    match head.lines().next().unwrap_or_default() {
        line if line.starts_with("POST /v1/books ") => {
            (201, r#"{"isbn":"9780131103627","shelf":"C-17"}"#.into())
        }
        line if line.starts_with("GET /v1/books/9780131103627") => (200, BOOK.into()),
        _ => (500, "{}".into()),
    }
}

#[test]
fn the_copybooks_of_the_example_are_those_that_are_generated() {
    let folder = example("requester");
    let api = folder.join("requesters/books");
    // The stub has no merge patch, and no structures for an answer without a body.
    for (more, count) in [(vec![], 11), (vec!["--stub", "--prefix", "BKS"], 8)] {
        let to = tempfile::tempdir().unwrap();
        let mut args = vec!["api", "requester", api.to_str().unwrap()];
        args.extend(more);
        args.extend(["--to", to.path().to_str().unwrap()]);
        let ran = run(&args);
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        let made: Vec<_> = std::fs::read_dir(to.path()).unwrap().flatten().collect();
        assert_eq!(made.len(), count);
        for file in made {
            let kept = folder.join("copybooks").join(file.file_name());
            let kept = std::fs::read_to_string(&kept).unwrap();
            assert_eq!(std::fs::read_to_string(file.path()).unwrap(), kept);
        }
    }
}

#[test]
fn a_program_calls_by_the_host_api() {
    let (port, seen) = serve(library);
    let folder = books(port, "");
    let said = displayed(folder.path(), "BKHO");
    for line in [
        "ADDED 9780131103627 SHELF C-17",
        "BOOK The C Programming Language PRICE 54.90",
        "WRITER Brian Kernighan",
        "WRITER Dennis Ritchie",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(!said.contains("REASON"), "{said}");
    let seen = seen.lock().unwrap();
    let sent: serde_json::Value = serde_json::from_str(&seen[0].1).unwrap();
    let book: serde_json::Value = serde_json::from_str(BOOK).unwrap();
    assert_eq!(sent, book);
    assert!(
        seen[1].0.starts_with("GET /v1/books/9780131103627 HTTP"),
        "{}",
        seen[1].0
    );
}

#[test]
fn a_program_sends_a_merge_patch_and_gets_an_answer_without_a_body() {
    let (port, seen) = serve(|head, _| match head.split(' ').next() {
        Some("PATCH") => (200, BOOK.replace(r#","pages":272"#, "")),
        Some("DELETE") => (204, String::new()),
        _ => (500, "{}".into()),
    });
    let said = displayed(books(port, "").path(), "BKCH");
    for line in ["PRICE 54.90 PAGES +0000000000", "REMOVED 204"] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let seen = seen.lock().unwrap();
    let (head, body) = &seen[0];
    let head = head.to_ascii_lowercase();
    assert!(
        head.contains("content-type: application/merge-patch+json"),
        "{head}"
    );
    let sent: serde_json::Value = serde_json::from_str(body).unwrap();
    let writers = [serde_json::json!({"writerName": "Dennis Ritchie"})];
    let patch = serde_json::json!({"price": 39.90, "pages": null, "writers": writers});
    assert_eq!(sent, patch);
    assert!(seen[1].0.starts_with("DELETE /v1/books/9780131103627 HTTP"));
    // A described status without a body is reported by its number.
    let (port, _) = serve(|_, _| (404, String::new()));
    let said = displayed(books(port, "").path(), "BKCH");
    assert!(said.contains("REMOVED 404"), "{said}");
    assert!(!said.contains("STATUS"), "{said}");
}

#[test]
fn a_program_calls_by_the_stub() {
    let (port, seen) = serve(library);
    let said = displayed(books(port, "").path(), "BKST");
    assert!(said.contains("BOOK The C Programming Language"), "{said}");
    assert!(said.contains("WRITER Dennis Ritchie"), "{said}");
    let head = &seen.lock().unwrap()[0].0;
    assert!(
        head.starts_with("GET /v1/books/9780131103627?tongue=en HTTP"),
        "{head}"
    );
}

#[test]
fn a_program_may_name_an_api_as_the_build_toolkit_does() {
    let (port, seen) = serve(library);
    let folder = books(port, "");
    let block = folder.path().join("copybooks/BKS01I01.cpy");
    let text = std::fs::read_to_string(&block).unwrap();
    let theirs = text.replace("'Books'", "'Books_1.0.0'");
    let theirs = theirs.replacen("VALUE 5.", "VALUE 11.", 1);
    assert!(theirs.contains("VALUE 11."), "{theirs}");
    std::fs::write(block, theirs).unwrap();
    let said = displayed(folder.path(), "BKST");
    assert!(said.contains("WRITER Dennis Ritchie"), "{said}");
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[test]
fn what_the_server_refuses_is_returned_to_the_program() {
    let refuses = |_: &str, _: &str| (418, r#"{"reason":"no books, tea"}"#.to_owned());
    let (port, _) = serve(refuses);
    let folder = books(port, "");
    let said = displayed(folder.path(), "BKHO");
    assert!(
        said.contains("STATUS 418: {\"reason\":\"no books, tea\"}"),
        "{said}"
    );
    let said = displayed(folder.path(), "BKST");
    assert!(said.contains("STATUS 418: {\"reason\""), "{said}");
    assert!(said.contains("CODE +0000000001"), "{said}");
}

#[test]
fn a_missing_server_and_a_response_that_does_not_match_are_reported() {
    let gone = ClosedPort::new();
    let said = displayed(books(gone.port(), "").path(), "BKHO");
    assert!(said.contains("REASON  11: cannot connect"), "{said}");
    let long = BOOK.replace("The C Programming Language", &"C".repeat(60));
    let (port, _) = serve(move |head, body| {
        if head.starts_with("GET") {
            (200, long.clone())
        } else {
            library(head, body)
        }
    });
    let said = displayed(books(port, "").path(), "BKHO");
    assert!(
        said.contains("REASON  10: the response does not fit its structure"),
        "{said}"
    );
}

#[test]
fn nothing_is_called_that_the_settings_do_not_name() {
    let (port, seen) = serve(library);
    let folder = books(port, "");
    let file = folder.path().join("tupelo.toml");
    let settings = std::fs::read_to_string(&file).unwrap();
    let (without, _) = settings.split_once("[requester").unwrap();
    std::fs::write(&file, without).unwrap();
    let said = displayed(folder.path(), "BKHO");
    assert!(
        said.contains("the API Books is not among those of [requester.apis]"),
        "{said}"
    );
    assert!(seen.lock().unwrap().is_empty());
}

#[test]
fn credentials_are_sent_and_tokens_are_asked_for_once() {
    let guarded = |head: &str, body: &str| {
        let head = head.to_ascii_lowercase();
        if head.starts_with("post /token ") {
            let asked = body == "grant_type=client_credentials&scope=books"
                && head.contains("authorization: basic cmvnaw9uotpoyiu0mhq=");
            return if asked {
                (200, r#"{"access_token":"T0KEN","expires_in":3600}"#.into())
            } else {
                (400, format!("{{\"got\":{body:?}}}"))
            };
        }
        if head.contains("authorization: bearer t0ken") && head.contains("x-key: k3y") {
            library(
                &head.replace("get ", "GET ").replace("post ", "POST "),
                body,
            )
        } else {
            (401, "{}".into())
        }
    };
    let (port, seen) = serve(guarded);
    let folder = books(
        port,
        &format!(
            "api_key = {{ header = \"X-Key\", file = \"key\" }}\n\
             oauth = {{ token_url = \"http://127.0.0.1:{port}/token\", client_id = \"region9\", \
             client_secret_file = \"secret\", scope = \"books\" }}\n"
        ),
    );
    std::fs::write(folder.path().join("secret"), "hb@t\n").unwrap();
    std::fs::write(folder.path().join("key"), "k3y\n").unwrap();
    let said = displayed(folder.path(), "BKHO");
    assert!(said.contains("WRITER Dennis Ritchie"), "{said}");
    for secret in ["k3y", "T0KEN", "hb@t"] {
        assert!(!said.contains(secret), "{said}");
    }
    let seen = seen.lock().unwrap();
    let tokens = seen
        .iter()
        .filter(|(head, _)| head.starts_with("POST /token"));
    assert_eq!((tokens.count(), seen.len()), (1, 3));
}
