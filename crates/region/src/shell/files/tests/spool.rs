//! The spool: reports that are written, read in their order, and left open.
//!
//! Each test has a folder of its own; work with files is done at once.

use cics::command::commands::{
    spoolclose, spoolopen_input, spoolopen_output, spoolread, spoolwrite,
};
use cics::resp::Condition;
use link::{CommandOperands, Name};

use kernel::KernelConfig;
use kernel::resources::world::{KernelFixture, Response};

use super::over;

fn world(folder: &std::path::Path) -> KernelFixture {
    over(KernelConfig {
        state: folder.to_owned(),
        applid: Name::from_bytes(*b"TUPELO  "),
        ..KernelConfig::default()
    })
}

fn output(w: &mut KernelFixture, task: u32, user: &str) -> Response {
    let operands = CommandOperands::default()
        .bytes(spoolopen_output::USERID, user)
        .bytes(spoolopen_output::NODE, *b"*");
    let answer = w.command(task, spoolopen_output::NUMBER, &operands);
    answer.expect("an answer")
}

fn input(w: &mut KernelFixture, task: u32, user: &str) -> Response {
    let operands = CommandOperands::default().bytes(spoolopen_input::USERID, user);
    let answer = w.command(task, spoolopen_input::NUMBER, &operands);
    answer.expect("an answer")
}

fn token(answer: &Response, option: u8) -> Vec<u8> {
    assert_eq!(answer.condition, Condition::Normal);
    answer.operands.get_bytes(option).expect("a token").to_vec()
}

fn write(w: &mut KernelFixture, task: u32, token: &[u8], record: &[u8]) -> (Condition, u32) {
    let operands = CommandOperands::default()
        .bytes(spoolwrite::TOKEN, token)
        .bytes(spoolwrite::FROM, record);
    let answer = w
        .command(task, spoolwrite::NUMBER, &operands)
        .expect("an answer");
    (answer.condition, answer.resp2)
}

fn read(w: &mut KernelFixture, task: u32, token: &[u8], most: i64) -> (Condition, u32, String) {
    let operands = CommandOperands::default()
        .bytes(spoolread::TOKEN, token)
        .int(spoolread::MAXFLENGTH, most);
    let answer = w
        .command(task, spoolread::NUMBER, &operands)
        .expect("an answer");
    let record = answer
        .operands
        .get_bytes(spoolread::INTO)
        .unwrap_or_default();
    let record = String::from_utf8_lossy(record).into_owned();
    (answer.condition, answer.resp2, record)
}

fn close(w: &mut KernelFixture, task: u32, token: &[u8], option: Option<u8>) -> Condition {
    let options = option.map_or(0, |option| 1 << option);
    let operands = CommandOperands::new(options).bytes(spoolclose::TOKEN, token);
    let answer = w.command(task, spoolclose::NUMBER, &operands);
    answer.expect("an answer").condition
}

fn report(w: &mut KernelFixture, text: &[u8]) {
    let answer = output(w, 1, "TUPEUSER");
    let out = token(&answer, spoolopen_output::TOKEN);
    assert_eq!(write(w, 1, &out, text), (Condition::Normal, 0));
    assert_eq!(close(w, 1, &out, None), Condition::Normal);
}

#[test]
fn reports_are_read_in_the_order_in_which_they_were_begun() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut w = world(folder.path());
    report(&mut w, b"first");
    report(&mut w, b"second");
    for text in ["first", "second"] {
        let answer = input(&mut w, 2, "TUPEUSER");
        let from = token(&answer, spoolopen_input::TOKEN);
        assert_eq!(read(&mut w, 2, &from, 100).2, text);
        assert_eq!(read(&mut w, 2, &from, 100).0, Condition::EndFile);
        assert_eq!(read(&mut w, 2, &from, 100).1, 12);
        assert_eq!(close(&mut w, 2, &from, None), Condition::Normal);
    }
    let none = input(&mut w, 2, "TUPEUSER");
    assert_eq!((none.condition, none.resp2), (Condition::NotFnd, 4));
    // A reader that finds no report does not block other readers.
    report(&mut w, b"third");
    assert_eq!(input(&mut w, 3, "TUPEUSER").condition, Condition::Normal);
}

#[test]
fn a_record_that_does_not_fit_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut w = world(folder.path());
    report(&mut w, b"abcdef");
    let answer = input(&mut w, 2, "TUPEUSER");
    let from = token(&answer, spoolopen_input::TOKEN);
    let short = (Condition::LengErr, 2, "abcd".to_owned());
    assert_eq!(read(&mut w, 2, &from, 4), short);
    assert_eq!(read(&mut w, 2, &from, 6).2, "abcdef");
}

#[test]
fn one_task_reads_at_a_time_and_kept_reports_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut w = world(folder.path());
    report(&mut w, b"text");
    let answer = input(&mut w, 2, "TUPEUSER");
    let from = token(&answer, spoolopen_input::TOKEN);
    let busy = |answer: Response| (answer.condition, answer.resp2);
    assert_eq!(busy(input(&mut w, 2, "TUPEUSER")), (Condition::SpolBusy, 4));
    assert_eq!(busy(input(&mut w, 3, "TUPEUSER")), (Condition::SpolBusy, 8));
    assert_eq!(input(&mut w, 3, "OTHER").condition, Condition::SpolBusy);
    assert_eq!(
        close(&mut w, 2, &from, Some(spoolclose::KEEP)),
        Condition::Normal
    );
    assert_eq!(input(&mut w, 3, "OTHER").condition, Condition::NotAuth);
    assert_eq!(input(&mut w, 3, "TUPEUSER").condition, Condition::Normal);
}

#[test]
fn what_a_task_leaves_open_is_deleted_if_output_and_kept_if_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut w = world(folder.path());
    report(&mut w, b"kept");
    output(&mut w, 1, "TUPEUSER");
    input(&mut w, 1, "TUPEUSER");
    w.end(1, true);
    let left = std::fs::read_dir(folder.path().join("spool/TUPEUSER")).expect("a folder");
    assert_eq!(left.count(), 1);
    let answer = input(&mut w, 2, "TUPEUSER");
    let from = token(&answer, spoolopen_input::TOKEN);
    assert_eq!(read(&mut w, 2, &from, 100).2, "kept");
}

#[test]
fn wrong_tokens_lengths_nodes_and_names_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut w = world(folder.path());
    assert_eq!(write(&mut w, 1, b"SP000009", b"x"), (Condition::NotOpen, 8));
    let answer = output(&mut w, 1, "TUPEUSER");
    let out = token(&answer, spoolopen_output::TOKEN);
    assert_eq!(
        write(&mut w, 1, &out, &[b'x'; 140]),
        (Condition::LengErr, 8)
    );
    assert_eq!(write(&mut w, 1, &out, b""), (Condition::LengErr, 0));
    assert_eq!(write(&mut w, 2, &out, b"x"), (Condition::NotOpen, 8));
    assert_eq!(output(&mut w, 1, "../UP").condition, Condition::InvReq);
    let elsewhere = CommandOperands::default()
        .bytes(spoolopen_output::USERID, *b"TUPEUSER")
        .bytes(spoolopen_output::NODE, *b"ELSE");
    let answer = w.command(1, spoolopen_output::NUMBER, &elsewhere);
    assert_eq!(answer.expect("an answer").condition, Condition::NodeIdErr);
}
