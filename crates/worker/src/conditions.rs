//! HANDLE and IGNORE: what a program wants done about conditions.
//!
//! Each frame (a LINK level's program, or a CALLed subprogram) has its own
//! list; a CALLed subprogram starts with none, as labels of its caller cannot
//! be reached from it.
//! Reference: CICS API reference, HANDLE CONDITION, IGNORE CONDITION, PUSH
//! HANDLE; application development, "Handling exception conditions".

use cics::aid;
use cics::resp::{Condition, DefaultAction};

use crate::abend::AbendExit;
use crate::cob::{CobModule, Field};

/// The set reaction to one condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionAction {
    /// Go to the label at this place of the program's list.
    Label(u16),
    /// Go on.
    Ignore,
}

/// The state of HANDLE and IGNORE.
#[derive(Debug, Clone, Default)]
pub struct HandleState {
    actions: Vec<(u16, ConditionAction)>,
    /// Labels by the number of an AID; 0 for none.
    aids: Vec<(u16, u16)>,
    abend: AbendExit,
    abend_active: bool,
}

/// The reaction to a raised condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionReaction {
    /// Go to a label.
    Label(u16),
    /// Go on.
    Continue,
    /// Take the condition's own action.
    Default(DefaultAction),
}

impl HandleState {
    fn reset(&mut self) {
        self.actions.clear();
        self.aids.clear();
        self.abend = AbendExit::None;
        self.abend_active = false;
    }

    /// Sets or, with none, takes away the action for a condition.
    pub fn set(&mut self, condition: u16, action: Option<ConditionAction>) {
        self.actions.retain(|(c, _)| *c != condition);
        if let Some(action) = action {
            self.actions.push((condition, action));
        }
    }

    /// HANDLE AID: the label for a key, by its number; 0 when it has none any more.
    pub fn set_aid(&mut self, aid: u16, label: u16) {
        self.aids.retain(|(a, _)| *a != aid);
        self.aids.push((aid, label));
    }

    /// The label for a key, as the data stream has it. ANYKEY covers
    /// every key except ENTER that has no label.
    pub fn aid_label(&self, stream: u8) -> Option<u16> {
        if self.aids.is_empty() {
            return None;
        }
        let label = |number| {
            let found = self.aids.iter().find(|(aid, _)| *aid == number);
            found.map(|(_, label)| *label)
        };
        let key = aid::by_stream(stream)?;
        let any = || label(aid::ANYKEY).filter(|_| key.is_any_key());
        label(key.number).or_else(any).filter(|label| *label != 0)
    }

    fn action(&self, condition: Condition) -> Option<ConditionAction> {
        let number = condition.number();
        self.actions
            .iter()
            .find(|(c, _)| *c == number)
            .map(|(_, a)| *a)
    }

    /// Whether HANDLE or IGNORE names this very condition.
    pub fn handles(&self, condition: Condition) -> bool {
        self.action(condition).is_some()
    }

    /// The reaction to this condition now. ERROR covers every condition that
    /// would end the task.
    pub fn reaction(&self, condition: Condition) -> ConditionReaction {
        let default = condition.default_action();
        let action = self.action(condition).or_else(|| {
            matches!(default, DefaultAction::Abend(_))
                .then(|| self.action(Condition::Error))
                .flatten()
        });
        match action {
            Some(ConditionAction::Label(label)) => ConditionReaction::Label(label),
            Some(ConditionAction::Ignore) => ConditionReaction::Continue,
            None => ConditionReaction::Default(default),
        }
    }

    /// HANDLE ABEND LABEL or PROGRAM.
    pub fn set_abend_exit(&mut self, exit: AbendExit) {
        self.abend = exit;
        self.abend_active = true;
    }

    /// HANDLE ABEND CANCEL.
    pub fn cancel_abend_exit(&mut self) {
        self.abend_active = false;
    }

    /// HANDLE ABEND RESET.
    pub fn reset_abend_exit(&mut self) {
        self.abend_active = self.abend != AbendExit::None;
    }

    /// The active exit, which is inactive from then on.
    pub fn take_abend_exit(&mut self) -> Option<AbendExit> {
        std::mem::take(&mut self.abend_active).then_some(self.abend)
    }
}

/// State of one frame.
pub struct Frame {
    serial: u64,
    /// The current state.
    pub handles: HandleState,
    /// The states that PUSH HANDLE suspended.
    pub pushed: Vec<HandleState>,
    /// Label to go to when the program is entered again; 0 for its top.
    pub resume: u16,
    /// The module that announced itself, and its item for a label to go to.
    pub program: (*const CobModule, *const Field),
}

/// State of all frames, by depth.
#[derive(Default)]
pub struct FrameStack {
    list: Vec<Frame>,
}

/// A serial number that any frame of its depth takes over.
const ADOPT: u64 = u64::MAX;

impl FrameStack {
    /// The frame of that depth, cleared when it is not the one of before.
    pub fn at(&mut self, depth: i32, serial: u64) -> &mut Frame {
        let at = usize::try_from(depth).unwrap_or(0);
        while self.list.len() <= at {
            self.list.push(Frame {
                serial: 0,
                handles: HandleState::default(),
                pushed: Vec::new(),
                resume: 0,
                program: (std::ptr::null(), std::ptr::null()),
            });
        }
        let frame = &mut self.list[at];
        if frame.serial != serial {
            if frame.serial != ADOPT {
                frame.handles.reset();
                frame.pushed.clear();
                frame.resume = 0;
                frame.program = (std::ptr::null(), std::ptr::null());
            }
            frame.serial = serial;
        }
        frame
    }

    /// The frame of that depth, if commands have been run in it.
    pub fn known(&mut self, depth: i32, serial: u64) -> Option<&mut Frame> {
        let frame = self.list.get_mut(usize::try_from(depth).ok()?)?;
        (frame.serial == serial).then_some(frame)
    }

    /// Lets the next frame of that depth have this one's state.
    pub fn hand_over(&mut self, depth: i32) {
        let at = usize::try_from(depth).unwrap_or(usize::MAX);
        if let Some(frame) = self.list.get_mut(at) {
            frame.serial = ADOPT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_catches_what_would_abend_and_nothing_else() {
        let mut h = HandleState::default();
        h.set(Condition::Error.number(), Some(ConditionAction::Label(2)));
        h.set(Condition::LengErr.number(), Some(ConditionAction::Ignore));
        assert_eq!(h.reaction(Condition::NotFnd), ConditionReaction::Label(2));
        assert_eq!(h.reaction(Condition::LengErr), ConditionReaction::Continue);
        let default = Condition::RetPage.default_action();
        assert_eq!(
            h.reaction(Condition::RetPage),
            ConditionReaction::Default(default)
        );
    }

    #[test]
    fn a_key_goes_to_its_own_label_before_that_of_anykey() {
        let number = |name: &str| aid::by_name(name).expect("a name").number;
        let mut h = HandleState::default();
        h.set_aid(aid::ANYKEY, 1);
        h.set_aid(number("PF3"), 2);
        h.set_aid(number("CLEAR"), 0);
        let [enter, pf3, pf4, clear] = [0x7D, 0xF3, 0xF4, 0x6D].map(|key| h.aid_label(key));
        assert_eq!((enter, pf3, pf4, clear), (None, Some(2), Some(1), None));
    }

    #[test]
    fn an_abend_exit_is_taken_once_until_it_is_reset() {
        let mut h = HandleState::default();
        h.set_abend_exit(AbendExit::Label(1));
        assert_eq!(h.take_abend_exit(), Some(AbendExit::Label(1)));
        assert_eq!(h.take_abend_exit(), None);
        h.reset_abend_exit();
        assert_eq!(h.take_abend_exit(), Some(AbendExit::Label(1)));
    }

    #[test]
    fn a_new_frame_of_the_same_depth_starts_clean() {
        let mut frames = FrameStack::default();
        frames.at(1, 7).handles.set_abend_exit(AbendExit::Label(1));
        assert!(frames.known(1, 7).is_some());
        assert!(frames.known(1, 8).is_none());
        assert_eq!(frames.at(1, 8).handles.take_abend_exit(), None);
        frames.at(1, 8).handles.set_abend_exit(AbendExit::Label(3));
        frames.hand_over(1);
        assert_eq!(
            frames.at(1, 9).handles.take_abend_exit(),
            Some(AbendExit::Label(3))
        );
    }
}
