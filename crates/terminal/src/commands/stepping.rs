//! Reports of tasks that run step by step: to their debugging terminal.
//!
//! A user who does nothing for long ends the stepping, not the task.

use std::sync::Arc;
use std::time::Duration;

use link::stepping::{StepAction, StepAnswer};
use region::{FacilityId, ServiceCommand};

use crate::builtin::is_built_in;
use crate::shared::TerminalContext;
use crate::stepping::{StepDisplay, finish};

/// A worker reports where its task is.
pub fn report(shared: &Arc<TerminalContext>, command: ServiceCommand) {
    let console = shared.stepping.console(&command);
    let console = console.filter(|_| !is_built_in(command.transid));
    let place = console.and_then(|console| {
        let display: Arc<dyn StepDisplay> = shared.display(console)?;
        Some((console, display))
    });
    let Some((console, display)) = place else {
        return finish(command, &StepAnswer::of(StepAction::Finish));
    };
    let waits = shared
        .stepping
        .report((console, display), &shared.applid, command);
    if let Some(number) = waits {
        expire_later(shared, console, number);
    }
}

fn expire_later(shared: &Arc<TerminalContext>, console: FacilityId, number: u64) {
    let Some(running) = shared.running() else {
        return;
    };
    let limit = match shared.config.read_timeout_s {
        0 => LONGEST_WAIT,
        seconds => Duration::from_secs(seconds.into()),
    };
    let shared = Arc::downgrade(shared);
    running.runtime.spawn(async move {
        tokio::time::sleep(limit).await;
        if let Some(shared) = shared.upgrade() {
            shared.stepping.give_up(console, number);
        }
    });
}

/// How long a user may look at a screen if the settings name no limit.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);
