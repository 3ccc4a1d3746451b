//! CSGM: the message with which a terminal begins.

use super::{BuiltInTask, InteractionResult};
use crate::messages;

pub fn run(task: &mut BuiltInTask<'_>) -> InteractionResult {
    let terminal = task.display.terminal_name();
    let text = messages::welcome(&task.shared, &terminal);
    task.leave(&text)
}
