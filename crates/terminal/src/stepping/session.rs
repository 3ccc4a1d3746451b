//! The session of one debugging terminal: the waiting report, the display of its
//! user, and changed values.
//!
//! ENTER continues, unless something was typed over: then the changes are shown
//! once more. Other keys are those of the manual's menu.
//! Reference: CICS application programming, EDF, "Using EDF menu functions" and
//! "Overtyping to make changes".

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use link::stepping::{STORAGE_BYTES, StepAction, StepAnswer, StepPoint, StepReport};
use link::{CommandOperands, OperandValue};
use region::ServiceCommand;
use tn3270::{InboundRecord, ScreenSize};

use super::StepDisplay;
use super::screens::{self, ShownField, StepView};
use super::stops::StopConditions;
use crate::input::program_data;
use crate::panel::{CLEAR, PF2, PF3, PF4, PF5, PF6, PF7, PF8, PF9, PF10, PF11, PF12, UserInput};

/// A debugging terminal with something to look at.
#[derive(Debug)]
pub struct StepSession {
    display: Arc<dyn StepDisplay>,
    applid: String,
    /// The task, 0 for none.
    task: u64,
    waiting: Option<WaitingReport>,
    /// The terminal is the task's own.
    own: bool,
    view: StepView,
    /// First line of the body that is shown.
    first_line: usize,
    hexadecimal: bool,
    history: VecDeque<StepReport>,
    /// How many displays the user has gone back.
    back: usize,
    suppressed: bool,
    stops: StopConditions,
    changes: StepChanges,
    fields: Vec<ShownField>,
}

#[derive(Debug)]
struct WaitingReport {
    command: ServiceCommand,
    report: StepReport,
    number: u64,
}

/// What the user has typed over.
#[derive(Debug, Default)]
pub struct StepChanges {
    /// Operands, by the index of their option.
    pub operands: BTreeMap<u8, OperandValue>,
    /// The condition.
    pub response: Option<u16>,
    /// The command is left out.
    pub skip: bool,
    /// The user is asked for an abend code.
    pub asks_abend: bool,
    /// What was wrong.
    pub message: String,
}

/// What an input leads to.
#[derive(Debug)]
pub enum SessionStep {
    /// Another screen is shown.
    Stay,
    /// The task continues.
    Answer(ServiceCommand, StepAnswer),
    /// It continues, and the next task is not stepped through.
    Close(ServiceCommand, StepAnswer),
}

impl StepSession {
    /// A session without a task.
    pub fn new(display: Arc<dyn StepDisplay>, applid: String) -> StepSession {
        StepSession {
            display,
            applid,
            task: 0,
            waiting: None,
            own: false,
            view: StepView::Current,
            first_line: 0,
            hexadecimal: false,
            history: VecDeque::new(),
            back: 0,
            suppressed: false,
            stops: StopConditions::default(),
            changes: StepChanges::default(),
            fields: Vec::new(),
        }
    }

    /// The terminal.
    pub fn display(&self) -> &Arc<dyn StepDisplay> {
        &self.display
    }

    /// Whether a report waits for the user.
    pub fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// Whether what the user enters is for the debugger: not when the program waits
    /// for it, nor after the task has ended.
    pub fn takes_input(&self) -> bool {
        let runs = self.own && self.task != 0 && !self.suppressed;
        self.is_waiting() || runs && !self.display.awaits_input()
    }

    /// The user has seen a program's screen before the next report was here.
    pub fn acknowledge(&self, record: &InboundRecord<'_>) {
        self.display.note_input(record);
        self.display.unlock();
    }

    /// Whether this task's reports are shown here: it is the first, or the one of
    /// before.
    pub fn takes(&self, command: &ServiceCommand) -> bool {
        self.task == 0 || self.task == command.task
    }

    /// Notes a report. Returns whether nothing is shown of it.
    pub fn passes(&mut self, command: &ServiceCommand, report: &StepReport, own: bool) -> bool {
        (self.task, self.own) = (command.task, own);
        if report.storage.is_some() {
            return false;
        }
        self.history.push_back(report.clone());
        if self.history.len() > REMEMBERED {
            self.history.pop_front();
        }
        self.suppressed &= !self.stops.matches(report);
        if self.suppressed {
            command.report_end();
        }
        self.suppressed
    }

    /// A report waits from now on.
    pub fn wait(&mut self, command: ServiceCommand, report: StepReport, number: u64) {
        if report.storage.is_some() {
            self.view = StepView::Storage;
        } else {
            (self.first_line, self.back) = (0, 0);
            self.changes = StepChanges::default();
            // The user sees what the program has sent before.
            self.view = if self.own && self.display.shows_program_output() {
                StepView::UserScreen
            } else {
                StepView::Current
            };
        }
        self.waiting = Some(WaitingReport {
            command,
            report,
            number,
        });
        self.show();
    }

    /// The report that waits, if it is still that one.
    pub fn give_up(&mut self, number: u64) -> Option<ServiceCommand> {
        let waiting = self.waiting.take_if(|waiting| waiting.number == number)?;
        self.display.uncover();
        Some(waiting.command)
    }

    /// The report that waits.
    pub fn take_command(&mut self) -> Option<ServiceCommand> {
        self.waiting.take().map(|waiting| waiting.command)
    }

    /// A task is over.
    pub fn task_ended(&mut self, task: u64) {
        if self.task == task {
            self.task = 0;
            self.waiting = None;
            self.display.uncover();
        }
    }

    /// The user has entered something.
    pub fn input(&mut self, record: &InboundRecord<'_>) -> SessionStep {
        if self.view == StepView::UserScreen {
            self.display.note_input(record);
            self.view = StepView::Current;
            self.show();
            return SessionStep::Stay;
        }
        let page = self.display.page();
        let data = program_data(record, ScreenSize::MODEL_2.positions(), false, &page);
        let entered = UserInput::parse(record.aid().emit(), &data, &page);
        let step = match (self.view, entered.aid) {
            (_, PF2) => {
                self.hexadecimal = !self.hexadecimal;
                SessionStep::Stay
            }
            (StepView::Current, _) => self.current(&entered),
            (StepView::Stops, aid) => {
                self.stops.take(&entered);
                if aid == PF4 {
                    self.suppress()
                } else {
                    self.back_to_current()
                }
            }
            (StepView::Storage, _) => self.storage(&entered),
            (StepView::Previous, aid) => self.previous(aid),
            (StepView::Eib | StepView::UserScreen, _) => self.back_to_current(),
        };
        if matches!(step, SessionStep::Stay) {
            self.show();
        }
        step
    }

    /// A key on the current display.
    fn current(&mut self, entered: &UserInput) -> SessionStep {
        self.changes.message.clear();
        match entered.aid {
            PF3 | CLEAR => return self.answer(StepAction::Finish),
            PF4 => return self.suppress(),
            PF5 => return self.ask_storage(0, Vec::new()),
            PF6 => {
                self.view = StepView::UserScreen;
                self.display.uncover();
            }
            PF7 => self.first_line = self.first_line.saturating_sub(screens::BODY_LINES),
            PF8 => self.first_line += screens::BODY_LINES,
            PF9 => self.view = StepView::Stops,
            PF10 => return self.previous(PF10),
            PF11 => self.view = StepView::Eib,
            PF12 => return self.abend(entered),
            _ => return self.enter(entered),
        }
        SessionStep::Stay
    }

    /// ENTER: takes changes, or continues if there are none.
    fn enter(&mut self, entered: &UserInput) -> SessionStep {
        let Some(waiting) = &self.waiting else {
            return SessionStep::Stay;
        };
        let point = waiting.report.point;
        if self.own && matches!(point, StepPoint::TaskEnds | StepPoint::TaskAbends) {
            let typed = entered.field(screens::REPLY_ROW, screens::REPLY_COLUMN);
            let reply = typed.map_or(screens::continues(&waiting.report), |word| {
                word.to_ascii_uppercase().starts_with('Y')
            });
            return match self.waiting.take() {
                Some(waiting) if !reply => {
                    let answer = StepAnswer::of(StepAction::Finish);
                    SessionStep::Close(waiting.command, answer)
                }
                Some(waiting) => {
                    SessionStep::Answer(waiting.command, StepAnswer::of(StepAction::Continue))
                }
                None => SessionStep::Stay,
            };
        }
        match screens::take_changes(&self.fields, entered, self.hexadecimal, &mut self.changes) {
            Ok(false) => self.answer(StepAction::Continue),
            Ok(true) => SessionStep::Stay,
            Err(message) => {
                self.changes.message = message;
                SessionStep::Stay
            }
        }
    }

    /// PF12: asks for a code first, then ends the task with it.
    fn abend(&mut self, entered: &UserInput) -> SessionStep {
        let ends = self.waiting.as_ref().is_some_and(|waiting| {
            let point = waiting.report.point;
            let others = [
                StepPoint::ProgramBegins,
                StepPoint::ProgramEnds,
                StepPoint::SqlBegins,
                StepPoint::SqlEnds,
            ];
            point.is_command() || others.contains(&point)
        });
        if !ends {
            return SessionStep::Stay;
        }
        let code = entered.field(screens::ABEND_ROW, screens::ABEND_COLUMN);
        let code = code.filter(|_| self.changes.asks_abend).unwrap_or_default();
        if code.is_empty() {
            self.changes.asks_abend = true;
            return SessionStep::Stay;
        }
        let mut abend = [b' '; 4];
        for (to, byte) in abend.iter_mut().zip(code.bytes()) {
            *to = byte.to_ascii_uppercase();
        }
        let Some(waiting) = self.waiting.take() else {
            return SessionStep::Stay;
        };
        let answer = StepAnswer {
            abend,
            ..StepAnswer::of(StepAction::Abend)
        };
        SessionStep::Answer(waiting.command, answer)
    }

    /// PF4: continues without displays until a stop condition.
    fn suppress(&mut self) -> SessionStep {
        self.suppressed = true;
        self.display.uncover();
        self.answer(StepAction::Continue)
    }

    /// PF10 and PF11 among the displays of before.
    fn previous(&mut self, aid: u8) -> SessionStep {
        // The last one is the current display.
        let oldest = self.history.len().saturating_sub(1);
        self.back = match aid {
            PF10 => (self.back + 1).min(oldest),
            PF11 => self.back.saturating_sub(1),
            _ => 0,
        };
        self.view = if self.back == 0 {
            StepView::Current
        } else {
            StepView::Previous
        };
        SessionStep::Stay
    }

    /// A key on the display of storage.
    fn storage(&mut self, entered: &UserInput) -> SessionStep {
        let shown = self.waiting.as_ref().and_then(|w| w.report.storage.clone());
        let Some((offset, bytes)) = shown else {
            return self.back_to_current();
        };
        let page = screens::STORAGE_SHOWN as u32;
        match entered.aid {
            PF7 => return self.ask_storage(offset.saturating_sub(page), Vec::new()),
            PF8 => return self.ask_storage(offset.saturating_add(page), Vec::new()),
            PF3 | CLEAR => return self.back_to_current(),
            _ => {}
        }
        match screens::changed_storage(&bytes, offset, entered) {
            Ok(Some((offset, bytes))) => self.ask_storage(offset, bytes),
            Ok(None) => self.back_to_current(),
            Err(message) => {
                self.changes.message = message;
                SessionStep::Stay
            }
        }
    }

    fn back_to_current(&mut self) -> SessionStep {
        self.view = StepView::Current;
        SessionStep::Stay
    }

    /// Has the worker report again with storage, after writing some.
    fn ask_storage(&mut self, offset: u32, storage: Vec<u8>) -> SessionStep {
        let known = self.waiting.as_ref().map_or(0, |w| w.report.storage_bytes);
        if known == 0 {
            self.changes.message = "THE PROGRAM HAS NO WORKING STORAGE HERE".to_owned();
            return SessionStep::Stay;
        }
        let Some(waiting) = self.waiting.take() else {
            return SessionStep::Stay;
        };
        let last = known.saturating_sub(STORAGE_BYTES as u32);
        let answer = StepAnswer {
            offset: if storage.is_empty() {
                offset.min(last)
            } else {
                offset
            },
            storage,
            ..StepAnswer::of(StepAction::Storage)
        };
        SessionStep::Answer(waiting.command, answer)
    }

    /// Lets the task continue, with what was changed.
    fn answer(&mut self, action: StepAction) -> SessionStep {
        let Some(waiting) = self.waiting.take() else {
            return SessionStep::Stay;
        };
        let changes = std::mem::take(&mut self.changes);
        let mut operands = CommandOperands::default();
        for (index, value) in changes.operands {
            operands.push(index, value);
        }
        let skips = changes.skip && waiting.report.point == StepPoint::CommandBegins;
        let answer = StepAnswer {
            operands,
            response: changes.response,
            ..StepAnswer::of(if skips { StepAction::Skip } else { action })
        };
        if action == StepAction::Finish {
            return SessionStep::Close(waiting.command, answer);
        }
        SessionStep::Answer(waiting.command, answer)
    }

    /// Shows what the user looks at.
    fn show(&mut self) {
        let Some(waiting) = &self.waiting else {
            return;
        };
        if self.view == StepView::UserScreen {
            return self.display.unlock();
        }
        let report = match self.view {
            StepView::Previous => {
                let at = self.history.len().saturating_sub(1 + self.back);
                self.history.get(at).unwrap_or(&waiting.report)
            }
            _ => &waiting.report,
        };
        let picture = screens::StepPicture {
            report,
            transid: waiting.command.transid,
            task: waiting.command.task,
            applid: &self.applid,
            view: self.view,
            back: self.back,
            own: self.own,
            hexadecimal: self.hexadecimal,
            first_line: self.first_line,
            stops: &self.stops,
            changes: &self.changes,
        };
        let (panel, fields) = picture.draw();
        self.fields = fields;
        self.display.cover(&panel.record(&self.display.page()));
    }
}

/// Displays that can be looked at again.
const REMEMBERED: usize = 10;
