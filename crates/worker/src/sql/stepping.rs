//! EXEC SQL in a task that runs step by step: the statement before it is executed, and
//! with the SQLCA afterwards.
//!
//! The debugger shows the text that the program was built with. Host variables are not
//! shown: they may hold what the user must not see, and PF5 shows them.
//! Reference: CICS application programming, EDF, "What does EDF display?".

use std::fmt::Write as _;

use link::stepping::StepPoint;
use runtime::sql::SqlAreas;
use sql::block::StatementBlock;
use sql::code::{SQLCA_BYTES, Sqlca};

use super::areas::WorkerAreas;
use super::execute;
use crate::exec::CommandStop;
use crate::le::{LeArguments, LeResult, ServiceEnd};
use crate::worker::Worker;

/// Executes a statement with a report before and after it.
pub(super) fn serve(w: &mut Worker, arguments: &LeArguments<'_>) -> LeResult {
    let (line, mut text) = statement(&WorkerAreas(arguments));
    if let Some(abend) = w.step_sql(StepPoint::SqlBegins, line, text.clone()) {
        return Err(ServiceEnd::Stop(CommandStop::Abend(abend)));
    }
    let executed = execute(w, arguments);
    if matches!(executed, Err(ServiceEnd::Stop(_))) || !w.task.stepped {
        return executed;
    }
    add_result(&mut text, &WorkerAreas(arguments));
    match w.step_sql(StepPoint::SqlEnds, line, text) {
        Some(abend) => Err(ServiceEnd::Stop(CommandStop::Abend(abend))),
        None => executed,
    }
}

/// Line and text of the statement.
fn statement(areas: &dyn SqlAreas) -> (u32, String) {
    match StatementBlock::parse(areas.bytes(0)) {
        Ok(block) => {
            let words: Vec<&str> = block.text.split_whitespace().collect();
            // A statement without a text of its own, such as FETCH, has a name.
            let shown = if words.is_empty() {
                format!("{:?} {}", block.kind, block.name).to_uppercase()
            } else {
                words.join(" ")
            };
            // A line of a COPY member is not the program's.
            let line = if block.source_file == 0 {
                block.line
            } else {
                0
            };
            (line, format!("EXEC SQL {}", shown.trim_end()))
        }
        Err(_) => (0, "EXEC SQL".to_owned()),
    }
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
