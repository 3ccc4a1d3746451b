//! Document templates that a program gives: EXITPGM of a DOCTEMPLATE.
//!
//! The program is run at the next level with a parameter list as its COMMAREA, and
//! again with a larger buffer when it says that its template needs one. A program
//! that refuses, is not there or abends gives none: TEMPLATERR for the one that asks.
//!
//! Reference: CICS, "Templates in exit programs", "Communication area for templates
//! in exit programs". Invariant: what the program leaves in the list is looked at
//! before it is followed; storage of its own harms this process only.

use ::link::CommandOperands;
use cics::command::commands::writeq_td;
use cics::resp::Condition;
use cics::urm::{self, TEMPLATE_EXIT};

use super::document::{MAX_BYTES, TemplateRead, add};
use crate::abend::Abend;
use crate::exec::CommandStop;
use crate::host::ProgramId;
use crate::print;
use crate::urp::{copied, found, list_at, place};
use crate::worker::{EntryArguments, Worker};

/// Bytes of the first buffer.
const BUFFER: usize = 4096;
/// Times that a program is run for one template.
const MOST_RUNS: usize = 8;
/// Longest message of a program that gives no template.
const MOST_MESSAGE: usize = 1024;
/// Characters of a template's name.
const NAME: usize = 48;

/// The result of one run.
struct ExitRun {
    code: i64,
    /// Bytes that the template has.
    needs: usize,
    keeps: bool,
    /// The template, as far as the buffer holds it.
    text: Vec<u8>,
    message: Vec<u8>,
}

/// The template that a program gives. `exit` is `1` for APPENDCRLF, else `0`, and the
/// program's name.
pub(super) fn text(
    w: &mut Worker,
    exit: &[u8],
    template: &[u8],
) -> Result<TemplateRead, CommandStop> {
    let Some((append, name)) = exit.split_first() else {
        return Ok(TemplateRead::Missing);
    };
    let Some(program) = found(w, name) else {
        return Ok(refused(name, template, "there is no such program"));
    };
    let mut room = BUFFER;
    for _ in 0..MOST_RUNS {
        let run = match run(w, program, *append, template, room) {
            Ok(run) => run,
            Err(abend) if abend.damaged => return Err(CommandStop::Abend(abend)),
            Err(abend) => {
                let code = String::from_utf8_lossy(&abend.code);
                let why = format!("it ended with abend {code} {}", abend.message);
                return Ok(refused(name, template, &why));
            }
        };
        if run.code != 0 {
            let why = format!("it returned {}", run.code);
            let read = refused(name, template, &why);
            write_message(w, &run.message)?;
            return Ok(read);
        }
        if run.needs > MAX_BYTES {
            return Ok(refused(name, template, "the template is too large"));
        }
        if run.needs > room {
            room = run.needs;
            continue;
        }
        let mut lines = Vec::new();
        if !add(&mut lines, &run.text) {
            return Ok(refused(name, template, "the template is too large"));
        }
        return Ok(if run.keeps {
            TemplateRead::Kept(lines)
        } else {
            TemplateRead::Lines(lines)
        });
    }
    Ok(refused(
        name,
        template,
        "its template grows with every buffer",
    ))
}

/// Runs the program once, with a buffer of so many bytes.
fn run(
    w: &mut Worker,
    program: ProgramId,
    append: u8,
    template: &[u8],
    room: usize,
) -> Result<ExitRun, Box<Abend>> {
    let bytes = urm::bytes_of(TEMPLATE_EXIT);
    let mut name = [b' '; NAME];
    let length = template.len().min(NAME);
    name[..length].copy_from_slice(&template[..length]);
    let name_at = place(w, &name, NAME)?;
    let buffer = place(w, &[], room)?;
    let list = place(w, &[], bytes)?;
    let mut area = list_at(TEMPLATE_EXIT, list);
    area.set_int("DHTX-LENGTH", bytes as i64);
    area.set_text("DHTX-EYECATCHER", urm::EYE_TEMPLATE.as_bytes());
    area.set_text("DHTX-VERSION", urm::VERSION.as_bytes());
    area.set_address("DHTX-BUFFER-PTR", buffer as usize);
    area.set_int("DHTX-BUFFER-LEN", room as i64);
    area.set_address("DHTX-TEMPLATE-NAME-PTR", name_at as usize);
    area.get("DHTX-APPEND-CRLF").fill(append);
    area.get("DHTX-CACHE-RESPONSE").fill(b'0');
    let passed = EntryArguments {
        commarea: list,
        bytes,
        channel: None,
    };
    if let Some(abend) = w.run_level(program, passed) {
        return Err(abend);
    }
    let mut area = list_at(TEMPLATE_EXIT, list);
    let length = |value: i64| usize::try_from(value).unwrap_or(0);
    let needs = length(area.int("DHTX-TEMPLATE-LEN"));
    let message_bytes = length(area.int("DHTX-MESSAGE-LEN")).min(MOST_MESSAGE);
    let message_at = area.address("DHTX-MESSAGE-PTR") as *const u8;
    let (code, keeps) = (
        area.int("DHTX-RETURN-CODE"),
        *area.get("DHTX-CACHE-RESPONSE") == *b"1",
    );
    // SAFETY: the buffer is the task's, of so many bytes, unless the program has
    // freed it; the message is at the program's address. A wrong value of either
    // harms this process only.
    let (text, message) = unsafe {
        let message = if message_at.is_null() {
            Vec::new()
        } else {
            copied(message_at, message_bytes)
        };
        (copied(buffer, needs.min(room)), message)
    };
    for block in [list, buffer, name_at] {
        w.task.storage.free(block);
    }
    Ok(ExitRun {
        code,
        needs,
        keeps,
        text,
        message,
    })
}

/// There is no template; why is a line of the log.
fn refused(program: &[u8], template: &[u8], why: &str) -> TemplateRead {
    let program = String::from_utf8_lossy(program);
    let template = String::from_utf8_lossy(template);
    print::line(
        1,
        &format!(
            "EXITPGM {} of template {template}: {why}",
            program.trim_end()
        ),
    );
    TemplateRead::Refused
}

/// A program's message is written to CSDH, if the queue is defined, and to the log.
fn write_message(w: &mut Worker, message: &[u8]) -> Result<(), CommandStop> {
    if message.is_empty() {
        return Ok(());
    }
    print::line(1, &String::from_utf8_lossy(message));
    let asks = CommandOperands::new(1 << writeq_td::QUEUE | 1 << writeq_td::FROM)
        .bytes(writeq_td::QUEUE, *b"CSDH")
        .bytes(writeq_td::FROM, message);
    let answer = w.services.command(writeq_td::NUMBER, &asks)?;
    match answer.condition {
        Condition::Normal | Condition::QIdErr => {}
        other => print::line(1, &format!("the message did not go to CSDH: {other:?}")),
    }
    Ok(())
}
