//! Answers of scripts that are sent by parts, chunked requests, and forms.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use crate::http;
use crate::program::{text, until};
use crate::script::ScriptBank;

/// A request whose body is this script, over a connection of its own.
fn ask(bank: &ScriptBank, body: &str) -> TcpStream {
    let mut client = TcpStream::connect(&bank.server.gateway).unwrap();
    client
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let head = format!(
        "POST /probe HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    client.write_all(head.as_bytes()).unwrap();
    client.write_all(body.as_bytes()).unwrap();
    client
}

/// Reads until a text has arrived, or to the end.
fn read_to(client: &mut TcpStream, wanted: &str) -> String {
    let (mut all, mut part) = (Vec::new(), [0; 4096]);
    while !text(&all).contains(wanted) {
        match client.read(&mut part) {
            Ok(n @ 1..) => all.extend_from_slice(&part[..n]),
            _ => break,
        }
    }
    text(&all)
}

#[test]
fn a_client_reads_the_first_part_while_the_script_goes_on() {
    let bank = ScriptBank::start("");
    let mut client = ask(
        &bank,
        "response.status = 202; response.type = 'text/plain'; response.write('first;').flush();
         while (!cics.ts('GO').read(1)) cics.delay(5);
         return 'last.'",
    );
    let first = read_to(&mut client, "first;");
    assert!(first.starts_with("HTTP/1.1 202 "), "{first}");
    assert!(
        first
            .to_ascii_lowercase()
            .contains("transfer-encoding: chunked"),
        "{first}"
    );
    bank.value("cics.ts('GO').write('go')");
    let rest = read_to(&mut client, "\r\n0\r\n\r\n");
    assert!(
        rest.contains("last.") && rest.ends_with("0\r\n\r\n"),
        "{rest}"
    );
}

#[test]
fn a_brief_answer_by_parts_has_all_of_them_wherever_its_script_runs() {
    let bank = ScriptBank::start("");
    // A large request runs on a thread of the scripts, next to the gateway's thread.
    let large = "x".repeat(70_000);
    let body = format!("/*{large}*/ response.write('first;').flush(); return 'last.'");
    for _ in 0..200 {
        let answer = bank.run(&body);
        assert_eq!(text(&answer.body), "first;last.", "{}", answer.status);
    }
}

#[test]
fn an_answer_whose_task_abends_is_cut_off() {
    let bank = ScriptBank::start("");
    let mut client = ask(
        &bank,
        "cics.file('ACCTFILE').write(record(30000001, 'Lost'));
         response.write('first;').flush();
         while (!cics.ts('GO').read(1)) cics.delay(5);
         cics.abend('MINE')",
    );
    read_to(&mut client, "first;");
    bank.value("cics.ts('GO').write('go')");
    let rest = read_to(&mut client, "\r\n0\r\n\r\n");
    assert!(!rest.contains("0\r\n\r\n"), "{rest}");
    assert_eq!(bank.value("return inquire(30000001).RESULT_CODE"), 404);
}

#[test]
fn a_client_that_reads_slowly_holds_its_script_up_and_no_other() {
    let bank = ScriptBank::start("");
    let client = ask(
        &bank,
        "const part = new Uint8Array(1 << 16);
         for (;;) {
           response.write(part).flush();
           cics.exec('WRITEQ TS', { QUEUE: 'SENT', FROM: 'x' });
         }",
    );
    let sent = || {
        bank.value("return [...cics.ts('SENT')].length")
            .as_u64()
            .unwrap()
    };
    until("it has begun", || sent() > 0);
    let (mut before, mut same) = (0, 0);
    until("it waits for its client", || {
        let now = sent();
        same = if now == before { same + 1 } else { 0 };
        before = now;
        same > 20
    });
    assert!(
        before < 64,
        "{before} MiB were taken off a script whose client does not read"
    );
    drop(client);
    until("its task is over", || {
        let ask = b"GET /tasks HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        let tasks = http::raw(&bank.server.admin, ask).unwrap();
        !text(&tasks.body).contains("CJSR")
    });
}

#[test]
fn a_client_that_goes_away_ends_the_task() {
    let bank = ScriptBank::start("[script]\ntimeout_ms = 60000\n");
    // It is noticed with the next part: half of a connection may be closed by
    // a client that still reads.
    for waits in [
        "for (;;) response.write('more').flush()",
        "for (;;) { cics.delay(20); response.write('more').flush() }",
        "for (;;) try { response.write('more').flush() } catch {}",
    ] {
        let mut client = ask(
            &bank,
            &format!(
                "cics.enq('held'); cics.file('ACCTFILE').write(record(30000001, 'Lost'));
                 response.write('first;').flush(); {waits}"
            ),
        );
        read_to(&mut client, "first;");
        assert_eq!(
            bank.value("return cics.enq('held', { nosuspend: true })"),
            false,
            "{waits}"
        );
        drop(client);
        until("its task is over", || {
            bank.value("return cics.enq('held', { nosuspend: true })") == true
        });
        assert_eq!(bank.value("return inquire(30000001).RESULT_CODE"), 404);
    }
}

#[test]
fn a_head_request_has_no_parts() {
    let bank = ScriptBank::start("");
    let path = bank.folder.path();
    let script = "export function GET(request, response) {
        response.headers.set('x-method', request.method); response.write('a').flush(); return 'b' }";
    crate::script::write(path, "scripts/probe.js", script);
    until("the script is taken over", || {
        let request = b"HEAD /probe HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        let answer = http::raw(&bank.server.gateway, request).unwrap();
        answer.status == 200 && answer.header("x-method") == Some("HEAD") && answer.body.is_empty()
    });
    let answer = bank.server.get("/probe");
    assert_eq!(text(&answer.body), "ab");
}

#[test]
fn requests_in_chunks_and_forms_with_files_are_taken_within_limits() {
    let bank = ScriptBank::start("[gateway]\nmax_body_bytes = 100000\n");
    let send = |head: &str, body: &[u8]| {
        let request =
            format!("POST /probe HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{head}\r\n\r\n");
        http::raw(&bank.server.gateway, &[request.as_bytes(), body].concat()).unwrap()
    };
    let chunked = b"4\r\nretu\r\n13\r\nrn request.text().l\r\n5\r\nength\r\n0\r\n\r\n";
    let answer = send("transfer-encoding: chunked", chunked);
    assert_eq!(answer.json(), json!(28), "{}", text(&answer.body));
    let large = format!("{:x}\r\n{}\r\n0\r\n\r\n", 200_000, "/".repeat(200_000));
    assert_eq!(
        send("transfer-encoding: chunked", large.as_bytes()).status,
        413
    );
    let broken = send("transfer-encoding: chunked", b"zz\r\nreturn 1\r\n0\r\n\r\n");
    assert_eq!(broken.status, 400);
}
