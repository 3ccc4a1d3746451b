//! EXEC SQL in a task that runs step by step: the statement before it is executed, and
//! with the SQLCA afterwards.
//!
//! The debugger shows the text that the program was built with, which has `:1`, `:2`
//! and so on for its inputs, and their values as PF5 would show them.
//! Reference: CICS application programming, EDF, "What does EDF display?".

use std::fmt::Write as _;

use link::stepping::StepPoint;
use runtime::sql::SqlAreas;
use sql::StatementKind;
use sql::block::StatementBlock;
use sql::code::{SQLCA_BYTES, Sqlca};

use super::areas::WorkerAreas;
use super::{execute, variables};
use crate::exec::CommandStop;
use crate::le::{LeArguments, LeResult, ServiceEnd};
use crate::worker::Worker;

/// Executes a statement with a report before and after it.
pub(super) fn serve(w: &mut Worker, arguments: &LeArguments<'_>) -> LeResult {
    let block = StatementBlock::parse(WorkerAreas(arguments).bytes(0)).ok();
    // A line of a COPY member is not the program's.
    let own = block.as_ref().filter(|block| block.source_file == 0);
    let line = own.map_or(0, |block| block.line);
    let statement = block.as_ref().map_or("EXEC SQL".to_owned(), shown);
    let mut text = statement.clone();
    if let Some(block) = &block {
        variables::add(&mut text, "IVAR", &block.inputs, &WorkerAreas(arguments));
    }
    if let Some(abend) = w.step_sql(StepPoint::SqlBegins, line, text) {
        return Err(ServiceEnd::Stop(CommandStop::Abend(abend)));
    }
    let executed = execute(w, arguments);
    if matches!(executed, Err(ServiceEnd::Stop(_))) || !w.task.stepped {
        return executed;
    }
    let mut text = statement;
    add_result(&mut text, &WorkerAreas(arguments));
    if let Some(block) = &block {
        variables::add(&mut text, "OVAR", &block.outputs, &WorkerAreas(arguments));
    }
    match w.step_sql(StepPoint::SqlEnds, line, text) {
        Some(abend) => Err(ServiceEnd::Stop(CommandStop::Abend(abend))),
        None => executed,
    }
}

/// The statement. The text of OPEN is its cursor's query.
fn shown(block: &StatementBlock) -> String {
    let mut verb = String::new();
    for letter in format!("{:?}", block.kind).chars() {
        // ExecuteImmediate is EXECUTE IMMEDIATE.
        if letter.is_ascii_uppercase() && !verb.is_empty() {
            verb.push(' ');
        }
        verb.push(letter.to_ascii_uppercase());
    }
    let words: Vec<&str> = block.text.split_whitespace().collect();
    let text = words.join(" ");
    let shown = match block.kind {
        StatementKind::Open => format!("EXEC SQL OPEN {}\n {text}", block.name),
        _ if text.is_empty() => format!("EXEC SQL {verb} {}", block.name),
        _ => format!("EXEC SQL {text}"),
    };
    shown.trim_end().to_owned()
}

/// What the statement has left in the SQLCA.
fn add_result(text: &mut String, areas: &dyn SqlAreas) {
    let Some(area) = areas.bytes(1).first_chunk::<SQLCA_BYTES>() else {
        return;
    };
    let ca = Sqlca::read(area);
    let _ = write!(
        text,
        "\n\nSQLCODE={:+} SQLSTATE={} SQLERRD(3)={}",
        ca.sqlcode, ca.sqlstate, ca.errd[2]
    );
    for token in &ca.tokens {
        let _ = write!(text, "\nSQLERRMC={token}");
    }
}
