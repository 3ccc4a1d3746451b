//! Stop conditions: at which points the debugger shows itself again after its
//! displays were suppressed.
//!
//! Reference: CICS application programming, EDF, "Using EDF menu functions".

use cics::command::by_number;
use cics::resp::{Condition, DefaultAction};
use link::stepping::{StepPoint, StepReport};

use crate::eib;
use crate::panel::{ScreenPanel, UserInput};

/// When to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopConditions {
    /// At a command of this name.
    command: String,
    /// At this line of a program.
    line: u32,
    /// At a condition; ERROR for all that end a task.
    condition: String,
    /// At any condition but NORMAL.
    any_condition: bool,
    /// At an abend.
    abend: bool,
    /// At the normal end of the task.
    normal_end: bool,
    /// At its end by an abend.
    abnormal_end: bool,
}

impl Default for StopConditions {
    fn default() -> Self {
        StopConditions {
            command: String::new(),
            line: 0,
            condition: "ERROR".to_owned(),
            any_condition: false,
            abend: true,
            normal_end: true,
            abnormal_end: true,
        }
    }
}

impl StopConditions {
    /// Whether a report is one to stop at.
    pub fn matches(&self, report: &StepReport) -> bool {
        match report.point {
            StepPoint::ProgramBegins | StepPoint::ProgramEnds | StepPoint::SqlEnds => false,
            StepPoint::CommandBegins => self.is_command(report) || self.is_line(report),
            StepPoint::SqlBegins => self.is_line(report),
            StepPoint::CommandEnds => self.is_condition(report),
            StepPoint::Abend => self.abend,
            StepPoint::TaskEnds => self.normal_end,
            StepPoint::TaskAbends => self.abnormal_end,
        }
    }

    fn is_command(&self, report: &StepReport) -> bool {
        let name = by_number(report.command).map_or("", |row| row.name);
        !self.command.is_empty() && name.starts_with(&self.command)
    }

    fn is_line(&self, report: &StepReport) -> bool {
        self.line != 0 && self.line == report.line
    }

    fn is_condition(&self, report: &StepReport) -> bool {
        let number = u16::try_from(eib::response(&report.eib)).ok();
        let Some(raised) = number.and_then(Condition::from_number) else {
            return false;
        };
        if raised == Condition::Normal {
            return false;
        }
        let error =
            self.condition == "ERROR" && matches!(raised.default_action(), DefaultAction::Abend(_));
        self.any_condition || error || raised.to_string() == self.condition
    }

    /// The screen's fields.
    pub fn show(&self, panel: &mut ScreenPanel) {
        let yes = |on: bool| if on { "YES" } else { "NO" };
        let line = match self.line {
            0 => String::new(),
            line => line.to_string(),
        };
        panel.text(4, 2, "DISPLAY ON CONDITION:-");
        let rows: [(&str, &str, u16); 7] = [
            ("COMMAND:                   EXEC CICS", &self.command, 24),
            ("LINE NUMBER:", &line, 8),
            ("CICS EXCEPTION CONDITION:", &self.condition, 12),
            ("ANY CICS CONDITION", yes(self.any_condition), 3),
            ("TRANSACTION ABEND", yes(self.abend), 3),
            ("NORMAL TASK TERMINATION", yes(self.normal_end), 3),
            ("ABNORMAL TASK TERMINATION", yes(self.abnormal_end), 3),
        ];
        for (row, (label, value, length)) in FIELD_ROWS.into_iter().zip(rows) {
            panel.text(row, 6, label);
            panel.input(row, FIELD_COLUMN, length, value);
        }
        panel.cursor(6, FIELD_COLUMN);
    }

    /// Takes what was typed.
    pub fn take(&mut self, entered: &UserInput) {
        let typed = |row| {
            entered
                .field(row, FIELD_COLUMN)
                .map(str::to_ascii_uppercase)
        };
        if let Some(command) = typed(FIELD_ROWS[0]) {
            self.command = command;
        }
        if let Some(line) = typed(FIELD_ROWS[1]) {
            self.line = line.parse().unwrap_or(0);
        }
        if let Some(condition) = typed(FIELD_ROWS[2]) {
            self.condition = condition;
        }
        let flags = [
            &mut self.any_condition,
            &mut self.abend,
            &mut self.normal_end,
            &mut self.abnormal_end,
        ];
        for (row, flag) in FIELD_ROWS[3..].iter().zip(flags) {
            if let Some(word) = typed(*row) {
                *flag = word.starts_with('Y');
            }
        }
    }
}

/// Rows of the fields.
const FIELD_ROWS: [u16; 7] = [6, 7, 8, 9, 10, 11, 12];
/// Column of the fields.
const FIELD_COLUMN: u16 = 46;

#[cfg(test)]
mod tests {
    use super::*;
    use cics::command::commands::read;

    fn report(point: StepPoint, resp: u8) -> StepReport {
        let mut eib = vec![0; 85];
        eib[79] = resp;
        StepReport {
            point,
            command: read::NUMBER,
            line: 12,
            eib,
            ..StepReport::default()
        }
    }

    #[test]
    fn displays_come_back_at_errors_abends_and_the_end_of_the_task() {
        let stops = StopConditions::default();
        let not_found = u8::try_from(Condition::NotFnd.number()).unwrap();
        assert!(!stops.matches(&report(StepPoint::CommandBegins, 0)));
        assert!(!stops.matches(&report(StepPoint::CommandEnds, 0)));
        assert!(stops.matches(&report(StepPoint::CommandEnds, not_found)));
        assert!(stops.matches(&report(StepPoint::Abend, 0)));
        assert!(stops.matches(&report(StepPoint::TaskEnds, 0)));
    }

    #[test]
    fn a_command_or_a_line_can_be_stopped_at() {
        let named = StopConditions {
            command: "READ".to_owned(),
            ..StopConditions::default()
        };
        assert!(named.matches(&report(StepPoint::CommandBegins, 0)));
        let line = StopConditions {
            line: 12,
            ..StopConditions::default()
        };
        assert!(line.matches(&report(StepPoint::CommandBegins, 0)));
        assert!(line.matches(&report(StepPoint::SqlBegins, 0)));
        assert!(!line.matches(&report(StepPoint::SqlEnds, 0)));
    }
}
