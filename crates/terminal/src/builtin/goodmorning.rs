//! CSGM: the message with which a terminal begins.

use super::{BuiltInTask, Done};
use crate::messages;

pub fn run(task: &mut BuiltInTask<'_>) -> Done {
    let terminal = task.display.terminal_name();
    let text = messages::welcome(&task.shared, &terminal);
    task.leave(&text)
}
