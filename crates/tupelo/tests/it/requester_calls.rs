//! COBOL programs that call REST APIs: every kind of credentials, and every
//! way in which a call can fail.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::authority::TestAuthority;
use crate::ports::ClosedPort;
use crate::program::{run, text};
use crate::requester::{BOOK, books, displayed, library, serve};

/// Gives a program of the example other text in places.
fn edit(folder: &Path, program: &str, changes: &[(&str, &str)]) {
    let file = folder.join("cobol").join(program);
    let mut text = std::fs::read_to_string(&file).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    std::fs::write(file, text).unwrap();
}

fn secret(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// The settings with an https address, and a port of this test.
fn over_tls(folder: &Path, port: u16, tls: u16) {
    let file = folder.join("tupelo.toml");
    let settings = std::fs::read_to_string(&file).unwrap();
    let from = format!("http://127.0.0.1:{port}");
    let settings = settings.replace(&from, &format!("https://localhost:{tls}"));
    std::fs::write(file, settings).unwrap();
}

#[test]
fn a_user_and_a_password_are_sent_with_each_call() {
    let (port, seen) = serve(library);
    let folder = books(port, "basic = { user = \"ann\", password_file = \"pw\" }\n");
    secret(folder.path(), "pw", "s3cret:x \n");
    let said = displayed(folder.path(), "BKHO");
    assert!(said.contains("WRITER Dennis Ritchie"), "{said}");
    assert!(!said.contains("s3cret"), "{said}");
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 2);
    for (head, _) in seen.iter() {
        let head = head.to_ascii_lowercase();
        // ann:s3cret:x
        assert!(
            head.contains(
                "authorization: basic yw5uonmzy3jldDp4"
                    .to_ascii_lowercase()
                    .as_str()
            ),
            "{head}"
        );
    }
}

#[test]
fn a_missing_secret_is_reported_and_no_call_is_sent_without_it() {
    let (port, seen) = serve(library);
    let folder = books(
        port,
        "basic = { user = \"ann\", password_file = \"gone\" }\n",
    );
    let said = displayed(folder.path(), "BKHO");
    assert!(
        said.contains("[requester.apis.books] is not called: gone:"),
        "{said}"
    );
    assert!(said.contains("REASON  10"), "{said}");
    assert!(
        said.contains("in tupelo.toml that can be called; no API can be called"),
        "{said}"
    );
    assert!(seen.lock().unwrap().is_empty());
}

#[test]
fn an_empty_secret_is_none() {
    let (port, seen) = serve(library);
    let folder = books(port, "basic = { user = \"ann\", password_file = \"pw\" }\n");
    secret(folder.path(), "pw", "\n");
    let said = displayed(folder.path(), "BKHO");
    let expected = "[requester.apis.books] is not called: pw: the file is empty";
    assert!(said.contains(expected), "{said}");
    assert!(seen.lock().unwrap().is_empty());
}

#[test]
fn credentials_do_not_leave_this_machine_in_the_clear() {
    for (url, more) in [
        (
            "http://books.example",
            "basic = { user = \"ann\", password_file = \"pw\" }\n",
        ),
        (
            "https://books.example",
            "oauth = { token_url = \"http://id.example/token\", client_id = \"c1\" }\n",
        ),
    ] {
        let folder = books(8089, more);
        secret(folder.path(), "pw", "s3cret");
        let file = folder.path().join("tupelo.toml");
        let settings = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, settings.replace("http://127.0.0.1:8089", url)).unwrap();
        let said = displayed(folder.path(), "BKHO");
        let expected = "[requester.apis.books] is not called: credentials leave this machine only \
                    over https://";
        assert!(said.contains(expected), "{said}");
        assert!(said.contains("REASON  10"), "{said}");
    }
}

/// A server of the books that gives tokens at /token, each good for one call.
fn guarded(
    wants: &'static str,
    member: &'static str,
) -> impl Fn(&str, &str) -> (u16, String) + Send + 'static {
    let given = AtomicUsize::new(0);
    let used = AtomicUsize::new(0);
    move |head, body| {
        let all = format!("{head}\n{body}");
        if head.lines().next().unwrap_or_default().contains(" /token ") {
            return if all.contains(wants) {
                let number = given.fetch_add(1, Relaxed) + 1;
                (
                    200,
                    format!(r#"{{"{member}":"T-{number}","expires_in":3600}}"#),
                )
            } else {
                (400, format!("{{\"got\":{all:?}}}"))
            };
        }
        let newest = given.load(Relaxed);
        let bearer = format!("Bearer T-{newest}");
        if head.contains(&bearer) && used.swap(newest, Relaxed) != newest {
            library(head, body)
        } else {
            (401, r#"{"reason":"the token is old"}"#.into())
        }
    }
}

/// The number of requests for tokens, and of all requests.
fn counted(seen: &crate::requester::ReceivedRequest) -> (usize, usize) {
    let seen = seen.lock().unwrap();
    let token = |head: &str| head.lines().next().is_some_and(|l| l.contains(" /token "));
    (
        seen.iter().filter(|(head, _)| token(head)).count(),
        seen.len(),
    )
}

fn oauth(port: u16) -> String {
    format!(
        "oauth = {{ token_url = \"http://127.0.0.1:{port}/token\", client_id = \"c1\", \
         client_secret_file = \"cs\" }}\n"
    )
}

#[test]
fn a_refused_token_is_requested_again_once() {
    let (port, seen) = serve(guarded("grant_type=client_credentials", "access_token"));
    let folder = books(port, &oauth(port));
    secret(folder.path(), "cs", "hush");
    let said = displayed(folder.path(), "BKHO");
    assert!(said.contains("ADDED 9780131103627"), "{said}");
    assert!(said.contains("WRITER Dennis Ritchie"), "{said}");
    // A token and a call; the second call is rejected, so a new token and a second try.
    assert_eq!(counted(&seen), (2, 5));
}

#[test]
fn a_server_that_refuses_new_tokens_too_is_returned_to_the_program_as_an_error() {
    let refuses = |head: &str, _: &str| {
        if head.contains(" /token ") {
            (200, r#"{"access_token":"T","expires_in":3600}"#.to_owned())
        } else {
            (401, r#"{"reason":"who are you"}"#.to_owned())
        }
    };
    let (port, seen) = serve(refuses);
    let folder = books(port, &oauth(port));
    secret(folder.path(), "cs", "hush");
    let said = displayed(folder.path(), "BKST");
    assert!(
        said.contains("STATUS 401: {\"reason\":\"who are you\"}"),
        "{said}"
    );
    assert_eq!(counted(&seen), (2, 4));
}

#[test]
fn a_user_that_the_program_gives_asks_by_the_password_grant() {
    let wants = "grant_type=password&username=ann&password=p%26w";
    let (port, seen) = serve(guarded(wants, "access_token"));
    let folder = books(port, &oauth(port));
    secret(folder.path(), "cs", "hush");
    let user = "           MOVE 'ann' TO BAQ-OAUTH-USERNAME
           MOVE 3 TO BAQ-OAUTH-USERNAME-LEN
           MOVE 'p&w' TO BAQ-OAUTH-PASSWORD
           MOVE 3 TO BAQ-OAUTH-PASSWORD-LEN
           CALL 'BAQCSTUB' USING";
    let stub = "           CALL 'BAQCSTUB' USING";
    edit(folder.path(), "BOOKSTUB.cbl", &[(stub, user)]);
    let said = displayed(folder.path(), "BKST");
    assert!(said.contains("WRITER Dennis Ritchie"), "{said}");
    assert!(!said.contains("p&w"), "{said}");
    assert_eq!(counted(&seen), (1, 2));
    // The client authenticates, too: c1:hush.
    let head = seen.lock().unwrap()[0].0.to_ascii_lowercase();
    assert!(head.contains("authorization: basic yze6ahvzaa=="), "{head}");
}

#[test]
fn a_token_server_is_asked_with_a_user_of_the_settings_or_of_the_program() {
    // region1:jw, and ann:x.
    for (wants, member, by_program) in [
        ("cmVnaW9uMTpqdw==", "jwt", false),
        ("YW5uOng=", "jwt", true),
    ] {
        let (port, seen) = serve(guarded(wants, member));
        let token = format!(
            "token = {{ url = \"http://127.0.0.1:{port}/token\", user = \"region1\", \
             password_file = \"pw\", member = \"jwt\" }}\n"
        );
        let folder = books(port, &token);
        secret(folder.path(), "pw", "jw");
        if by_program {
            let init = "           CALL BAQ-INIT-NAME USING BAQ-ZCONNECT-AREA";
            let given = format!(
                "{init}
           MOVE 'BAQHAPI-Token-Username' TO BAQ-ZCON-PARM-NAME(1)
           SET BAQ-ZCON-PARM-ADDRESS(1) TO ADDRESS OF WS-USER
           MOVE 3 TO BAQ-ZCON-PARM-LENGTH(1)
           MOVE 'BAQHAPI-Token-Password' TO BAQ-ZCON-PARM-NAME(2)
           SET BAQ-ZCON-PARM-ADDRESS(2) TO ADDRESS OF WS-PASSWORD
           MOVE 1 TO BAQ-ZCON-PARM-LENGTH(2)"
            );
            let storage = "       01  WS-CODE            PIC ZZ9.\n       LINKAGE";
            let more = "       01  WS-CODE            PIC ZZ9.
       01  WS-USER            PIC X(3) VALUE 'ann'.
       01  WS-PASSWORD        PIC X VALUE 'x'.
       LINKAGE";
            let changes = [(init, given.as_str()), (storage, more)];
            edit(folder.path(), "BOOKHOST.cbl", &changes);
        }
        let said = displayed(folder.path(), "BKHO");
        assert!(said.contains("WRITER Dennis Ritchie"), "{wants}: {said}");
        assert_eq!(counted(&seen), (2, 5), "{wants}");
    }
}

#[test]
fn a_token_server_that_gives_none_is_reported_and_the_api_is_not_called() {
    for (status, answer, expected) in [
        (403, "{}", "the token server answers with status 403"),
        (200, "no JSON", "the token server does not answer with JSON"),
        (200, "{}", "the token server gives no access_token"),
        (
            200,
            r#"{"access_token":""}"#,
            "gives a access_token that is not a token",
        ),
        (
            200,
            r#"{"access_token":"a\nb"}"#,
            "gives a access_token that is not a token",
        ),
    ] {
        let (port, seen) = serve(move |_, _| (status, answer.to_owned()));
        let folder = books(port, &oauth(port));
        secret(folder.path(), "cs", "hush");
        let said = displayed(folder.path(), "BKHO");
        assert!(said.contains(expected), "{expected}: {said}");
        let (tokens, all) = counted(&seen);
        assert_eq!(tokens, all, "{expected}");
    }
    // A missing token server is distinguished from the API.
    let (port, seen) = serve(library);
    let gone = ClosedPort::new();
    let folder = books(port, &oauth(gone.port()));
    secret(folder.path(), "cs", "hush");
    let said = displayed(folder.path(), "BKHO");
    let expected = "the token server: cannot connect to 127.0.0.1";
    assert!(said.contains(expected), "{said}");
    assert_eq!(counted(&seen), (0, 0));
}

#[test]
fn only_an_own_authority_is_trusted_if_specified() {
    let book: &'static str = BOOK;
    let length = book.len();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{book}"
    );
    let answer: &'static [u8] = Box::leak(answer.into_bytes().into_boxed_slice());
    let (ours, theirs) = (TestAuthority::new(), TestAuthority::new());
    let good = ours.answering("localhost", 2099, answer);
    for (port, expected) in [
        (good, "WRITER Dennis Ritchie"),
        (ours.answering("localhost", 2021, answer), "xpired"),
        (
            ours.answering("other.example", 2099, answer),
            "NotValidForName",
        ),
        (theirs.answering("localhost", 2099, answer), "UnknownIssuer"),
    ] {
        let folder = books(1, "trusted = \"ours.pem\"\n");
        secret(folder.path(), "ours.pem", &ours.pem);
        over_tls(folder.path(), 1, port);
        let said = displayed(folder.path(), "BKST");
        let good = expected.starts_with("WRITER");
        assert!(
            said.contains(expected) || !good && said.contains("TLS with localhost"),
            "{expected}: {said}"
        );
        assert_eq!(
            said.contains("CODE +0000000004"),
            !good,
            "{expected}: {said}"
        );
    }
    // Without `trusted` the server's certificate is rejected.
    let folder = books(1, "");
    over_tls(folder.path(), 1, good);
    let said = displayed(folder.path(), "BKST");
    assert!(said.contains("TLS with localhost"), "{said}");
}

#[test]
fn a_server_that_asks_for_a_client_certificate_gets_it() {
    let book: &'static str = BOOK;
    let length = book.len();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{book}"
    );
    let answer: &'static [u8] = Box::leak(answer.into_bytes().into_boxed_slice());
    let (ours, theirs) = (TestAuthority::new(), TestAuthority::new());
    let port = ours.answering_clients("localhost", 2099, answer, Some(&ours));
    let shown = "certificate = \"own.pem\"\nkey = \"own.key\"\n";
    for (signed_by, settings, good) in [
        (&ours, shown, true),
        (&theirs, shown, false),
        (&ours, "", false),
    ] {
        let folder = books(1, &format!("trusted = \"ours.pem\"\n{settings}"));
        let (certificate, key) = signed_by.sign_for("tupelo", |_| ());
        secret(folder.path(), "ours.pem", &ours.pem);
        secret(folder.path(), "own.pem", &certificate.pem());
        secret(folder.path(), "own.key", &key.serialize_pem());
        over_tls(folder.path(), 1, port);
        let said = displayed(folder.path(), "BKST");
        assert_eq!(said.contains("WRITER Dennis Ritchie"), good, "{said}");
        assert_eq!(said.contains("CODE +0000000004"), !good, "{said}");
        assert!(!said.contains("PRIVATE"), "{said}");
    }
    // A key without its certificate, and a certificate that would not be used.
    for (settings, expected) in [
        ("key = \"own.key\"\n", "certificate and key go together"),
        (shown, "a certificate needs https://"),
    ] {
        let folder = books(1, settings);
        let checked = run(&["check", folder.path().to_str().unwrap()]);
        let checked = text(&checked.stdout);
        assert!(checked.contains(expected), "{expected}: {checked}");
    }
}

#[test]
fn an_answer_that_does_not_come_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // The server reads the request and sends nothing.
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut all = Vec::new();
                let _ = stream.read_to_end(&mut all);
            });
        }
    });
    let folder = books(port, "");
    let file = folder.path().join("tupelo.toml");
    let settings = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        settings.replace("timeout_ms = 5000", "timeout_ms = 200"),
    )
    .unwrap();
    let said = displayed(folder.path(), "BKHO");
    assert!(
        said.contains("REASON  11: 127.0.0.1 did not answer within 200 ms"),
        "{said}"
    );
    let said = displayed(folder.path(), "BKST");
    assert!(said.contains("CODE +0000000004"), "{said}");
}

#[test]
fn answers_that_are_too_large_cut_or_no_json_are_reported() {
    let book = |_: &str, _: &str| (200, BOOK.replace("9780131103627\"", &"9".repeat(5_000)));
    let (port, _) = serve(book);
    let said = displayed(books(port, "max_kib = 1\n").path(), "BKST");
    assert!(said.contains("the answer is larger than 1 KiB"), "{said}");
    for answer in ["no JSON", "{\"isbn\":", "[1,2]", ""] {
        let (port, _) = serve(move |_, _| (200, answer.to_owned()));
        let said = displayed(books(port, "").path(), "BKST");
        assert!(
            said.contains("CODE +0000000002 STATUS 200"),
            "{answer:?}: {said}"
        );
    }
    // A server that ends in the middle of its answer.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"isbn");
        }
    });
    let said = displayed(books(port, "").path(), "BKST");
    assert!(said.contains("CODE +0000000004"), "{said}");
}

#[test]
fn a_status_that_the_document_has_or_has_not_is_reported_with_its_body() {
    for status in [400, 404, 409, 500, 503] {
        let answer = r#"{"reason":"because"}"#;
        let (port, _) = serve(move |_, _| (status, answer.to_owned()));
        let folder = books(port, "");
        let said = displayed(folder.path(), "BKST");
        assert!(
            said.contains(&format!("CODE +0000000001 STATUS {status}: {answer}")),
            "{said}"
        );
        let said = displayed(folder.path(), "BKHO");
        match status {
            409 => assert!(said.contains("THE BOOK IS THERE ALREADY"), "{said}"),
            404 => {}
            _ => assert!(
                said.contains(&format!("STATUS {status}: {answer}")),
                "{said}"
            ),
        }
    }
}

#[test]
fn an_archive_of_an_api_requester_that_cannot_be_read_is_reported_with_what_to_do() {
    let folder = books(1, "");
    let app = folder.path().to_str().unwrap();
    secret(folder.path(), "books.ara", "not an archive");
    let file = folder.path().join("books.ara");
    let ran = crate::program::run(&["api", "import", file.to_str().unwrap(), "--app", app]);
    let said = crate::program::text(&ran.stderr);
    assert!(!ran.status.success());
    for part in ["the archive is refused", "tupelo api requester"] {
        assert!(said.contains(part), "{said}");
    }
}
