//! `tupelo user`, and a server that knows the users.

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::http;
use crate::program::{text, tupelo};
use crate::server::{Server, application};

const WHO: &str = include_str!("../../testdata/programs/users/HELLO.cbl");

fn user(app: &Path, args: &[&str], input: &str) -> Output {
    let app = app.to_str().expect("a path");
    entered(&[&["user"], args, &["--app", app]].concat(), input)
}

/// The exit status of a command with this standard input.
pub fn enter(args: &[&str], input: &str) -> i32 {
    entered(args, input).status.code().unwrap_or(-1)
}

fn entered(args: &[&str], input: &str) -> Output {
    let mut child = tupelo()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tupelo runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that needs no password does not read it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("an end")
}

fn done(app: &Path, args: &[&str], input: &str) -> String {
    let output = user(app, args, input);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn users_are_added_listed_and_removed_and_their_secrets_never_shown() {
    let app = application(&[]);
    done(
        app.path(),
        &["add", "ada", "--roles", "teller,read"],
        "open sesame\n",
    );
    done(
        app.path(),
        &["add", "till", "--no-password", "--userid", "till01"],
        "",
    );
    let key = done(app.path(), &["key", "till"], "");
    assert!(key.starts_with("tpk_"), "{key}");
    let listed = done(app.path(), &["list"], "");
    assert!(
        listed.contains("ada") && listed.contains("teller read"),
        "{listed}"
    );
    assert!(
        listed.contains("TILL01") && !listed.contains("argon2"),
        "{listed}"
    );
    let file = app.path().join("users");
    let stored = std::fs::read_to_string(&file).expect("the store");
    assert!(!stored.contains("sesame") && !stored.contains(key.trim()));
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata().expect("the store").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    done(app.path(), &["add", "ada", "--roles", "read"], "");
    let changed = std::fs::read_to_string(&file).expect("the store");
    let hash = |text: &str| {
        text.split(':')
            .find(|f| f.starts_with("$argon2"))
            .map(str::to_owned)
    };
    assert_eq!(
        hash(&stored),
        hash(&changed),
        "roles alone leave the password"
    );
    let id = key.split('_').nth(1).expect("an id").to_owned();
    done(app.path(), &["remove", "till", "--key", &id], "");
    done(app.path(), &["remove", "ada"], "");
    let none = user(app.path(), &["remove", "ada"], "");
    assert!(!none.status.success() && text(&none.stderr).contains("there is no user ada"));
    assert!(!user(app.path(), &["add", "a b"], "x\n").status.success());
    assert!(
        !user(app.path(), &["add", "eve"], "\n").status.success(),
        "no password at all"
    );
}

#[test]
fn the_task_of_a_request_has_its_callers_user_id() {
    let app = application(&[("cobol/HELLO.cbl", WHO)]);
    let document = app.path().join("apis/hello/src/main/api/openapi.yaml");
    let plain = std::fs::read_to_string(&document).expect("a document");
    let asked = plain.replacen("paths:", "security:\n- password: []\npaths:", 1);
    let scheme = "  securitySchemes:\n    password: {type: http, scheme: basic}\n";
    let asked = if asked.contains("components:\n") {
        asked.replacen("components:\n", &format!("components:\n{scheme}"), 1)
    } else {
        format!("{asked}components:\n{scheme}")
    };
    std::fs::write(&document, &asked).expect("written");
    let check = tupelo()
        .arg("check")
        .arg(app.path())
        .output()
        .expect("tupelo runs");
    let printed = text(&check.stdout);
    assert!(
        printed.contains("no user store is set") && printed.contains("tupelo user add"),
        "{printed}"
    );
    done(app.path(), &["add", "ada"], "open sesame\n");
    let server = Server::start(app.path());
    let answer = server.get("/hello/x");
    assert_eq!(answer.status, 401, "{answer:?}");
    let header = gateway::security::users::basic("ada", "open sesame");
    let request = format!(
        "GET /hello/x HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: {header}\r\n\r\n"
    );
    let answer = http::raw(&server.gateway, request.as_bytes()).expect("an answer");
    assert_eq!(answer.status, 200, "{answer:?}");
    let greeting = text(&answer.body);
    assert!(greeting.contains("ADA"), "{greeting}");
}

#[test]
fn an_api_that_cannot_be_protected_is_not_served_and_the_others_are() {
    let app = application(&[]);
    let from = app.path().join("apis/hello");
    let to = app.path().join("apis/closed");
    copy(&from, &to);
    let document = to.join("src/main/api/openapi.yaml");
    let plain = std::fs::read_to_string(&document).expect("a document");
    let asked = plain.replacen("paths:", "security:\n- unknown: []\npaths:", 1);
    std::fs::write(&document, asked).expect("written");
    let server = Server::start(app.path());
    assert_eq!(server.get("/hello/x").status, 200);
    let health = server.get("/health").json();
    assert_eq!(health["notServed"][0]["api"], "closed", "{health}");
    let reason = health["notServed"][0]["reason"]
        .as_str()
        .unwrap_or_default();
    assert!(
        reason.starts_with("security: unknown is required of callers"),
        "{reason}"
    );
}

#[test]
fn an_administration_port_beyond_this_machine_needs_users() {
    let app = application(&[]);
    let output = tupelo()
        .arg("serve")
        .arg(app.path())
        .args(["--listen", "0", "--admin", "0.0.0.0:0"])
        .output()
        .expect("tupelo runs");
    let printed = text(&output.stderr);
    assert!(!output.status.success(), "{printed}");
    assert!(
        printed.contains("tupelo user add NAME --roles admin"),
        "{printed}"
    );
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for path in crate::commands::entries_of(from) {
        let to = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &to)
        } else {
            std::fs::copy(&path, to).expect("a copy");
        }
    }
}
