//! The commands that the door serves: on maps, on who has signed on, and on
//! terminals.
//!
//! They run on the region's dispatch thread and wait for nothing; a password is
//! compared elsewhere and answered later.

mod maps;
mod security;
mod stepping;
mod terminals;

use cics::command::commands as rows;
use link::{CallAnswer, CommandOperands};

use crate::display::TerminalDisplay;
use crate::shared::TerminalContext;
pub use maps::{prepare, serve_later};
pub use security::{is_of_sign_on, resp2_without_terminal, sign_on};
pub use stepping::report;

/// All of them, by number.
pub const COMMANDS: &[u16] = &[
    link::stepping::STEP_COMMAND,
    link::terminal::MAP_FACTS_COMMAND,
    rows::receive_map::NUMBER,
    rows::send_control::NUMBER,
    rows::send_map::NUMBER,
    rows::send_text::NUMBER,
    rows::issue_eraseaup::NUMBER,
    rows::issue_disconnect::NUMBER,
    rows::issue_reset::NUMBER,
    rows::wait_terminal::NUMBER,
    rows::signon::NUMBER,
    rows::signoff::NUMBER,
    rows::verify_password::NUMBER,
    rows::verify_phrase::NUMBER,
    rows::inquire_terminal::NUMBER,
    rows::set_terminal::NUMBER,
];

/// Serves a command for a task's terminal.
pub fn serve(
    shared: &TerminalContext,
    display: &TerminalDisplay,
    number: u16,
    operands: &CommandOperands,
) -> CallAnswer {
    maps::serve(shared, display, number, operands)
}

/// Whether a command is served for tasks without a terminal too.
pub fn needs_no_terminal(number: u16) -> bool {
    [
        rows::verify_password::NUMBER,
        rows::verify_phrase::NUMBER,
        rows::inquire_terminal::NUMBER,
        rows::set_terminal::NUMBER,
    ]
    .contains(&number)
}

/// Serves a command that needs no terminal.
pub fn without_terminal(shared: &std::sync::Arc<TerminalContext>, command: region::ServiceCommand) {
    match command.number {
        rows::inquire_terminal::NUMBER | rows::set_terminal::NUMBER => {
            let answer = terminals::serve(shared, &command);
            command.answer(&answer);
        }
        _ => security::verify(shared, command),
    }
}
