//! SIGNON, SIGNOFF, VERIFY PASSWORD and VERIFY PHRASE.
//!
//! Passwords are compared on a thread of the door, and the command is answered
//! then. RESP2 values are those of the manual: 2 for a wrong password, 8 for an
//! unknown user, 19 for a refused one.
//! Reference: CICS API reference, the commands' own pages.

use std::sync::Arc;

use cics::command::commands::{self as rows, signon, verify_password, verify_phrase};
use cics::resp::Condition;
use link::{CallAnswer, CommandOperands};
use region::{FacilityId, ServiceCommand};

use crate::display::TerminalDisplay;
use crate::shared::TerminalContext;
use crate::sign_on::SignOnRefused;

/// Whether a command is about who uses the task's terminal.
pub fn is_of_sign_on(number: u16) -> bool {
    number == rows::signon::NUMBER || number == rows::signoff::NUMBER
}

/// RESP2 of INVREQ in a task without a terminal.
pub fn resp2_without_terminal(number: u16) -> u32 {
    match number {
        rows::signon::NUMBER => SIGNON_WITHOUT_TERMINAL,
        rows::signoff::NUMBER => SIGNOFF_WITHOUT_TERMINAL,
        _ => 0,
    }
}

/// SIGNON and SIGNOFF.
pub fn sign_on(
    shared: &Arc<TerminalContext>,
    facility: FacilityId,
    display: Arc<TerminalDisplay>,
    mut command: ServiceCommand,
) {
    let Some(running) = shared.running() else {
        return command.answer(&refusal(SignOnRefused::NoUsers));
    };
    let (runtime, region) = (&running.runtime, &running.region);
    let signed_on = display.lock().user.is_some();
    if command.number == rows::signoff::NUMBER {
        if !signed_on {
            return command.answer(&CallAnswer::of_condition(Condition::InvReq, NOT_SIGNED_ON));
        }
        shared.sign_on(region, facility, &display, None);
        return command.answer(&done());
    }
    if signed_on {
        return command.answer(&CallAnswer::of_condition(Condition::InvReq, SIGNED_ON));
    }
    let user = name(&command.operands, signon::USERID);
    let password = password(
        &command.operands,
        signon::PASSWORD,
        signon::PHRASE,
        signon::PHRASELEN,
    );
    if password.is_empty() {
        return command.answer(&CallAnswer::of_condition(
            Condition::NotAuth,
            PASSWORD_NEEDED,
        ));
    }
    command.later();
    let (shared, region) = (shared.clone(), region.clone());
    runtime.spawn(async move {
        match shared.verify(&user, &password).await {
            Ok(found) => {
                shared.sign_on(&region, facility, &display, Some(found));
                command.answer(&done());
            }
            Err(why) => command.answer(&refusal(why)),
        }
    });
}

/// VERIFY PASSWORD and VERIFY PHRASE.
pub fn verify(shared: &Arc<TerminalContext>, mut command: ServiceCommand) {
    let Some(running) = shared.running() else {
        return command.answer(&refusal(SignOnRefused::NoUsers));
    };
    let operands = &command.operands;
    let (user, password) = if command.number == verify_password::NUMBER {
        let password = name(operands, verify_password::PASSWORD);
        (name(operands, verify_password::USERID), password)
    } else {
        let (phrase, length) = (verify_phrase::PHRASE, verify_phrase::PHRASELEN);
        let password = password(operands, phrase, phrase, length);
        (name(operands, verify_phrase::USERID), password)
    };
    command.later();
    let shared = shared.clone();
    running.runtime.spawn(async move {
        let verified = shared.verify(&user, &password).await;
        command.answer(&verified.map_or_else(refusal, |_| done()));
    });
}

fn done() -> CallAnswer {
    CallAnswer::of_data(CommandOperands::default().emit())
}

fn refusal(why: SignOnRefused) -> CallAnswer {
    let (condition, resp2) = match why {
        SignOnRefused::NoUsers | SignOnRefused::Busy => (Condition::InvReq, NO_MANAGER),
        SignOnRefused::UnknownUser => (Condition::UserIdErr, UNKNOWN_USER),
        SignOnRefused::WrongPassword => (Condition::NotAuth, WRONG_PASSWORD),
        SignOnRefused::Revoked => (Condition::NotAuth, REVOKED),
    };
    CallAnswer::of_condition(condition, resp2)
}

/// The characters of an option, without what fills them up.
fn name(operands: &CommandOperands, option: u8) -> String {
    let bytes = operands.get_bytes(option).unwrap_or_default();
    characters(bytes.strip_suffix(b"\0").unwrap_or(bytes))
}

/// A password, or a phrase of so many bytes.
fn password(operands: &CommandOperands, password: u8, phrase: u8, length: u8) -> String {
    let Some(bytes) = operands.get_bytes(phrase) else {
        return name(operands, password);
    };
    let length = operands
        .get_int(length)
        .and_then(|n| usize::try_from(n).ok());
    let length = length.unwrap_or(bytes.len()).min(bytes.len());
    characters(&bytes[..length])
}

fn characters(bytes: &[u8]) -> String {
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    text.trim_end_matches([' ', '\0']).to_owned()
}

/// RESP2 of SIGNON: a user has signed on at the terminal.
const SIGNED_ON: u32 = 9;
/// RESP2 of SIGNOFF: no user has.
const NOT_SIGNED_ON: u32 = 1;
/// RESP2 of SIGNON: the task has no terminal.
const SIGNON_WITHOUT_TERMINAL: u32 = 10;
/// RESP2 of SIGNOFF: the task has no terminal.
const SIGNOFF_WITHOUT_TERMINAL: u32 = 2;
/// RESP2: a password is needed.
const PASSWORD_NEEDED: u32 = 1;
/// RESP2: the password is wrong.
const WRONG_PASSWORD: u32 = 2;
/// RESP2: there is no such user.
const UNKNOWN_USER: u32 = 8;
/// RESP2: there are no users to compare with.
const NO_MANAGER: u32 = 18;
/// RESP2: the user is refused after wrong passwords.
const REVOKED: u32 = 19;
