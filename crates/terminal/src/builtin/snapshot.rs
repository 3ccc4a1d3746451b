//! CPUS: what the region has used of the CPUs, on one screen.
//!
//! It begins with ACTUAL. PF1 makes the counters as they are the baseline;
//! ENTER shows DELTA, what was used since the baseline.
//! Reference: the first paper's snapshot tool, ACTUAL and DELTA.

use super::{BuiltInTask, CLEAR, InteractionResult, PF1, PF3};
use crate::host::SnapshotKind;
use crate::panel::{ScreenPanel, UserInput};

/// One interaction.
pub async fn run(task: &mut BuiltInTask<'_>, entered: Option<UserInput>) -> InteractionResult {
    if !task.may(false) {
        return task.not_authorized();
    }
    let aid = entered.map_or(0, |entered| entered.aid);
    let (kind, title) = match aid {
        _ if task.commarea.is_empty() => (SnapshotKind::Actual, "ACTUAL"),
        PF3 | CLEAR => return task.leave("The CPU snapshot has ended."),
        // A user without the role may not reset what others compare with.
        PF1 if !task.may(true) => return task.not_authorized(),
        PF1 => (SnapshotKind::Reset, "ACTUAL, now the baseline"),
        _ => (SnapshotKind::Delta, "DELTA"),
    };
    let Some(host) = task.shared.host.clone() else {
        return task.leave("There are no figures of the CPUs here.");
    };
    let lines = host.snapshot(&task.region, kind);
    let mut panel = ScreenPanel::new();
    panel.bright(1, 2, format!("{}  CPU {title}", task.shared.applid));
    for (row, line) in (3..22).zip(&lines) {
        panel.text(row, 2, line.clone());
    }
    panel.text(24, 2, "PF1 reset the baseline   ENTER delta   PF3 end");
    panel.cursor(24, 2);
    task.show(&panel);
    task.continue_with(vec![b'C']).await
}
