//! PERFORM SHUTDOWN: the region takes no more tasks, and notifies its
//! [`ProcessStopper`](crate::api::ProcessStopper).
//!
//! Reference: CICS system programming reference, PERFORM SHUTDOWN. There are
//! no program list tables and no shutdown transactions.

use std::sync::Arc;

use cics::command::commands::perform_shutdown as row;
use link::CommandOperands;

use super::super::SharedRegion;
use super::{CommandResult, SystemCommand};

impl SharedRegion {
    /// PERFORM SHUTDOWN. Tasks under way run to their end; IMMEDIATE ends all tasks
    /// except the one that asks.
    pub(super) fn perform_shutdown(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        asked.only(&[row::SHUTDOWN, row::NOSDTRAN, row::IMMEDIATE])?;
        let immediate = asked.operands.has(row::IMMEDIATE);
        tracing::warn!(immediate, "a program shuts the region down");
        self.close();
        self.with(|core, cx| {
            let others = core.task_keys().into_iter().filter(|key| *key != asked.key);
            let ended: Vec<_> = others.filter(|_| immediate).collect();
            for key in ended {
                core.purge_task(cx, key, "the region is shut down");
            }
        });
        if let Some(stop) = &self.config.stop {
            stop.stop();
        }
        Ok(CommandOperands::default())
    }
}
