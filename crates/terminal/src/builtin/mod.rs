//! Transactions that every region has: sign-on, sign-off, the master terminal,
//! the good morning message and the CPU snapshot.
//!
//! Each is a guest program of a task that the region begins as any other: it is
//! admitted, has a number and a monitoring record, and RETURN TRANSID, START
//! and XCTL reach it. Its screens are pseudo-conversational, so no worker waits
//! for a user.
//!
//! An application's own transaction or program of the same name is used in the
//! place of the one here.
//! Reference: CICS supplied transactions, CEMT, CESN, CESF.

mod debugger;
mod goodmorning;
mod interpreter;
mod master;
mod signon;
mod snapshot;

use std::fmt::Debug;
use std::sync::Arc;

use cics::command::commands::{receive, ret};
use cics::resp::Condition;
use link::terminal::INPUT_AID;
use link::{CallAnswer, CallOperation, CommandOperands};
use region::{FacilityId, GuestPrograms, GuestTask, Handle, LinkData, ProgramName, TransId};

use crate::display::TerminalDisplay;
use crate::host::SignedOnUser;
use crate::messages;
use crate::panel::{CLEAR, PF1, PF3, PF4, PF5, PF7, PF8, PF10, PF11, ScreenPanel, UserInput};
use crate::shared::TerminalContext;

/// A transaction and its first program.
#[derive(Debug)]
pub struct BuiltIn {
    /// The code that users type.
    pub transaction: &'static str,
    /// Its program.
    pub program: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    kind: BuiltInKind,
}

#[derive(Debug, Clone, Copy)]
enum BuiltInKind {
    GoodMorning,
    SignOn,
    SignOff,
    Master,
    Snapshot,
    /// CEDF, or CEDX for tasks without a terminal.
    Debugger {
        terminals: bool,
    },
    /// CECI, or CECS without execution.
    Interpreter {
        executes: bool,
    },
}

/// All built-in transactions.
pub const BUILT_INS: &[BuiltIn] = &[
    BuiltIn {
        transaction: "CSGM",
        program: "DFHGMM",
        purpose: "the good morning message",
        kind: BuiltInKind::GoodMorning,
    },
    BuiltIn {
        transaction: "CESN",
        program: "DFHSNP",
        purpose: "sign on",
        kind: BuiltInKind::SignOn,
    },
    BuiltIn {
        transaction: "CESF",
        program: "DFHSFP",
        purpose: "sign off",
        kind: BuiltInKind::SignOff,
    },
    BuiltIn {
        transaction: "CEMT",
        program: "DFHEMTP",
        purpose: "the master terminal",
        kind: BuiltInKind::Master,
    },
    BuiltIn {
        transaction: "CPUS",
        program: "DFHCPUS",
        purpose: "the CPU snapshot",
        kind: BuiltInKind::Snapshot,
    },
    BuiltIn {
        transaction: "CECI",
        program: "DFHECIP",
        purpose: "the command interpreter",
        kind: BuiltInKind::Interpreter { executes: true },
    },
    BuiltIn {
        transaction: "CECS",
        program: "DFHECSP",
        purpose: "the syntax check of commands",
        kind: BuiltInKind::Interpreter { executes: false },
    },
    BuiltIn {
        transaction: "CEDF",
        program: "DFHEDFP",
        purpose: "stepping through the tasks of a terminal",
        kind: BuiltInKind::Debugger { terminals: true },
    },
    BuiltIn {
        transaction: "CEDX",
        program: "DFHEDFX",
        purpose: "stepping through tasks without a terminal",
        kind: BuiltInKind::Debugger { terminals: false },
    },
];

/// Runs the programs of built-in transactions, and hands others on.
#[derive(Debug)]
pub struct BuiltInPrograms {
    /// What they run with.
    pub shared: Arc<TerminalContext>,
    /// Who runs the guests that are none of these.
    pub others: Option<Arc<dyn GuestPrograms>>,
}

impl GuestPrograms for BuiltInPrograms {
    fn begin(&self, task: GuestTask) {
        let found = built_in(task.program());
        match (found, self.shared.running(), &self.others) {
            (Some(found), Some(running), _) => {
                let (shared, region) = (self.shared.clone(), running.region.clone());
                running
                    .runtime
                    .spawn(serve(shared, region, found.kind, task));
            }
            (None, _, Some(others)) => others.begin(task),
            _ => task.is_unknown(),
        }
    }
}

/// Whether a transaction is built in, such as CEMT.
pub(crate) fn is_built_in(transid: TransId) -> bool {
    let code = transid.to_string();
    BUILT_INS.iter().any(|b| code.trim_end() == b.transaction)
}

fn built_in(program: ProgramName) -> Option<&'static BuiltIn> {
    BUILT_INS.iter().find(|b| program.as_str() == b.program)
}

/// Runs one interaction of a built-in transaction.
async fn serve(
    shared: Arc<TerminalContext>,
    region: Handle,
    kind: BuiltInKind,
    mut guest: GuestTask,
) {
    let given = guest.given().clone();
    let facility = guest.facility();
    let display = facility.and_then(|id| shared.display(id));
    let (Some(facility), Some(display)) = (facility, display) else {
        // It was started without a terminal.
        return guest.finish(Err(*NO_TERMINAL), 0);
    };
    let mut task = BuiltInTask {
        shared,
        region,
        display,
        facility,
        commarea: match &given {
            LinkData::Commarea(bytes) => bytes.clone(),
            LinkData::Channel(_) => Vec::new(),
        },
        guest: &mut guest,
    };
    let done = match task.receive().await {
        Ok(entered) => match kind {
            BuiltInKind::GoodMorning => goodmorning::run(&mut task),
            BuiltInKind::SignOn => signon::sign_on(&mut task, entered).await,
            BuiltInKind::SignOff => signon::sign_off(&mut task, entered.unwrap_or_default()),
            BuiltInKind::Master => master::run(&mut task, entered).await,
            BuiltInKind::Snapshot => snapshot::run(&mut task, entered).await,
            BuiltInKind::Debugger { terminals } => {
                debugger::run(&task, &entered.unwrap_or_default(), terminals)
            }
            BuiltInKind::Interpreter { executes } => {
                interpreter::run(&mut task, entered, executes).await
            }
        },
        Err(abend) => Err(abend),
    };
    guest.finish(done.map(|()| given), 0);
}

/// How an interaction ends: with an abend code, or well.
type InteractionResult = Result<(), [u8; 4]>;

/// One interaction of a built-in transaction at a terminal.
struct BuiltInTask<'g> {
    shared: Arc<TerminalContext>,
    region: Handle,
    display: Arc<TerminalDisplay>,
    facility: FacilityId,
    /// What the interaction before has left.
    commarea: Vec<u8>,
    guest: &'g mut GuestTask,
}

impl BuiltInTask<'_> {
    /// The input that began the task. Returns `None` for a task that was
    /// started.
    async fn receive(&mut self) -> Result<Option<UserInput>, [u8; 4]> {
        let state = self.region.facility(self.facility);
        if !state.is_some_and(|state| state.has_input) {
            return Ok(None);
        }
        let answer = self
            .command(receive::NUMBER, &CommandOperands::default())
            .await;
        let operands = good(&answer)?;
        let aid = operands.get_int(INPUT_AID).unwrap_or(0);
        let data = operands.get_bytes(receive::INTO).unwrap_or_default();
        Ok(Some(UserInput::parse(
            aid as u8,
            data,
            &self.display.page(),
        )))
    }

    /// Has the region serve a command for this task.
    async fn command(&mut self, number: u16, operands: &CommandOperands) -> CallAnswer {
        let args = [u64::from(number), 0, 0, 0, 0, 0, 0, 0];
        self.guest
            .call(CallOperation::Command, args, operands.emit())
            .await
    }

    /// Shows a screen.
    fn show(&self, panel: &ScreenPanel) {
        // The task of a client that has left ends here anyway.
        let _ = self.display.write(&panel.record(&self.display.page()));
    }

    /// Shows a message on an empty screen, and ends the conversation.
    fn leave(&self, message: &str) -> InteractionResult {
        self.display.show(message, true);
        Ok(())
    }

    /// RETURN TRANSID COMMAREA: the next input begins this transaction again.
    async fn continue_with(&mut self, commarea: Vec<u8>) -> InteractionResult {
        let transid = self.guest.transid();
        self.return_to(transid, commarea).await
    }

    async fn return_to(&mut self, transid: TransId, commarea: Vec<u8>) -> InteractionResult {
        let operands = CommandOperands::default()
            .bytes(ret::TRANSID, transid.as_bytes().to_vec())
            .bytes(ret::COMMAREA, commarea);
        let answer = self.command(ret::NUMBER, &operands).await;
        good(&answer).map(|_| ())
    }

    /// Who has signed on here.
    fn user(&self) -> Option<SignedOnUser> {
        self.display.lock().user.clone()
    }

    /// Whether the user of the terminal may look at the region, or change it
    /// too. Everybody may where there are no users and only this machine can
    /// connect.
    fn may(&self, change: bool) -> bool {
        match self.user() {
            Some(user) if change => user.may_change,
            Some(user) => user.may_look,
            None => !self.shared.requires_sign_on(),
        }
    }

    /// Refuses the transaction.
    fn not_authorized(&self) -> InteractionResult {
        let transid = self.guest.transid();
        self.leave(&messages::not_authorized(&self.shared.applid, transid))
    }

    /// Another user has the terminal from the next task on.
    fn sign_on(&self, user: Option<SignedOnUser>) {
        self.shared
            .sign_on(&self.region, self.facility, &self.display, user);
    }
}

/// The operands of an answer.
fn good(answer: &CallAnswer) -> Result<CommandOperands, [u8; 4]> {
    if !answer.abend.is_blank() {
        return Err(*answer.abend.as_bytes());
    }
    if answer.condition != Condition::Normal {
        return Err(*FAILED);
    }
    if answer.data.is_empty() {
        return Ok(CommandOperands::default());
    }
    CommandOperands::parse(&answer.data).map_err(|_| *FAILED)
}

/// Abend of a built-in transaction that has no terminal.
const NO_TERMINAL: &[u8; 4] = b"AEIP";
/// Abend of one whose command the region did not serve.
const FAILED: &[u8; 4] = b"AEIP";
