//! ISSUE CONFIRMATION, ISSUE ERROR, ISSUE ABEND and ISSUE SIGNAL.
//!
//! Reference: CICS API reference, ISSUE CONFIRMATION, ISSUE ERROR, ISSUE ABEND,
//! ISSUE SIGNAL (APPC).

use cics::command::commands::{issue_abend, issue_confirmation, issue_error, issue_signal};
use link::conversation::Verb;

use super::conversation::{ConversationOptions, outcome, run_verb};
use crate::exec::{CommandCall, CommandResult};
use crate::worker::Worker;

pub fn confirmation(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    const NAMED: ConversationOptions = ConversationOptions {
        convid: issue_confirmation::CONVID,
        session: None,
        state: Some(issue_confirmation::STATE),
    };
    issue(w, call, &NAMED, Verb::Confirmation)
}

pub fn error(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    const NAMED: ConversationOptions = ConversationOptions {
        convid: issue_error::CONVID,
        session: None,
        state: Some(issue_error::STATE),
    };
    issue(w, call, &NAMED, Verb::Error)
}

pub fn abend(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    const NAMED: ConversationOptions = ConversationOptions {
        convid: issue_abend::CONVID,
        session: None,
        state: Some(issue_abend::STATE),
    };
    issue(w, call, &NAMED, Verb::Abend)
}

pub fn signal(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    const NAMED: ConversationOptions = ConversationOptions {
        convid: issue_signal::CONVID,
        session: Some(issue_signal::SESSION),
        state: Some(issue_signal::STATE),
    };
    issue(w, call, &NAMED, Verb::Signal)
}

fn issue(
    w: &mut Worker,
    call: &CommandCall<'_>,
    named: &ConversationOptions,
    verb: Verb,
) -> CommandResult {
    let answer = run_verb(w, call, named, verb, [0; 2], &[])?;
    outcome(&answer)
}
