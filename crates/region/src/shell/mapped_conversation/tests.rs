//! State and indicators over a partner that follows a script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use link::conversation::{
    ConversationState, INDICATOR_CHAIN_END, INDICATOR_COMPLETE, INDICATOR_CONFIRM, INDICATOR_ERROR,
    INDICATOR_FREE, INDICATOR_NO_DATA, INDICATOR_RECEIVE, VERB_CONFIRM, VERB_DATA, VERB_INVITE,
    VERB_LAST, VERB_NOTRUNCATE, VERB_WAIT, Verb,
};
use link::{CallAnswer, CallOperation, WorkerCall};

use cics::resp::Condition;

use super::MappedConversation;
use crate::api::{
    Conversation, ConversationService, ConversationTarget, Fault, ReceiveOutcome, sense,
};

type CallLog = Arc<Mutex<Vec<String>>>;
type ScriptedReceive = (Vec<u8>, Result<ReceiveOutcome, Fault>);

struct ScriptedPartner {
    log: CallLog,
    script: VecDeque<ScriptedReceive>,
}

impl ScriptedPartner {
    fn note(&self, what: &str) -> Result<(), Fault> {
        self.log.lock().unwrap().push(what.to_owned());
        Ok(())
    }
}

impl Conversation for ScriptedPartner {
    fn process(&self) -> (String, u8) {
        ("ECHO".into(), 1)
    }
    fn send(&mut self, record: &[u8]) -> Result<bool, Fault> {
        self.note(&format!("send {}", record.len())).map(|()| false)
    }
    fn flush(&mut self) -> Result<(), Fault> {
        self.note("flush")
    }
    fn confirm(&mut self) -> Result<bool, Fault> {
        self.note("confirm").map(|()| false)
    }
    fn confirmed(&mut self) -> Result<(), Fault> {
        self.note("confirmed")
    }
    fn invite(&mut self, confirm: bool) -> Result<(), Fault> {
        self.note(if confirm { "invite confirm" } else { "invite" })
    }
    fn receive(&mut self, buffer: &mut [u8]) -> Result<ReceiveOutcome, Fault> {
        let (data, received) = self
            .script
            .pop_front()
            .expect("the partner has more to say");
        buffer[..data.len()].copy_from_slice(&data);
        received
    }
    fn error(&mut self) -> Result<(), Fault> {
        self.note("error")
    }
    fn signal(&mut self) -> Result<(), Fault> {
        self.note("signal")
    }
    fn end(self: Box<Self>, confirm: bool) -> Result<(), Fault> {
        self.note(if confirm { "end confirm" } else { "end" })
    }
    fn interrupter(&self) -> Box<dyn Fn() + Send + Sync> {
        let log = self.log.clone();
        Box::new(move || log.lock().unwrap().push("abend".into()))
    }
}

#[derive(Debug)]
struct NoPartners;

impl ConversationService for NoPartners {
    fn system(&self, sysid: &str) -> Option<ConversationTarget> {
        (sysid == "GONE").then(ConversationTarget::default)
    }
    fn partner(&self, _: &str) -> Option<ConversationTarget> {
        None
    }
    fn profile(&self, _: &str) -> Option<String> {
        None
    }
    fn reach(&self, _: &ConversationTarget) -> bool {
        false
    }
    fn connect(
        &self,
        _: &ConversationTarget,
        _: &str,
        _: bool,
        _: Vec<Vec<u8>>,
    ) -> Result<Box<dyn Conversation>, Fault> {
        Err(Fault::Over(sense::NAME_UNKNOWN))
    }
}

fn attached(says: impl IntoIterator<Item = ScriptedReceive>) -> (MappedConversation, CallLog) {
    let log = CallLog::default();
    let partner = ScriptedPartner {
        log: log.clone(),
        script: says.into_iter().collect(),
    };
    (MappedConversation::attached(Box::new(partner)), log)
}

fn record(data: &[u8], more: ReceiveOutcome) -> ScriptedReceive {
    let received = ReceiveOutcome {
        bytes: Some(data.len()),
        complete: true,
        ..more
    };
    (data.to_vec(), Ok(received))
}

fn ask(
    talk: &mut MappedConversation,
    verb: Verb,
    flags: u64,
    limit: u64,
    data: &[u8],
) -> (CallAnswer, bool) {
    let call = WorkerCall {
        op: CallOperation::Converse,
        slot: 0,
        args: [verb as u64, 0, flags, limit, 0, 0, 0, 0],
        data: data.to_vec(),
    };
    talk.serve(1, &call)
}

fn state(answer: &CallAnswer) -> (Condition, u64, u64) {
    (answer.condition, answer.args[1], answer.args[2])
}

const TURN: ReceiveOutcome = ReceiveOutcome {
    bytes: None,
    complete: false,
    confirm: false,
    turn: true,
    end: false,
    signal: false,
};

#[test]
fn an_echo_goes_through_its_states() {
    let (mut talk, log) = attached([record(b"hello", TURN)]);
    let (got, _) = ask(&mut talk, Verb::Receive, 0, 100, &[]);
    assert_eq!(
        state(&got),
        (
            Condition::Eoc,
            ConversationState::Send as u64,
            INDICATOR_COMPLETE | INDICATOR_CHAIN_END
        ),
        "{got:?}"
    );
    assert_eq!(got.data, b"hello");
    let (sent, _) = ask(&mut talk, Verb::Send, VERB_DATA | VERB_LAST, 0, b"hello");
    assert_eq!(
        state(&sent),
        (Condition::Normal, ConversationState::PendFree as u64, 0)
    );
    let (freed, lives) = ask(&mut talk, Verb::Free, 0, 0, &[]);
    assert_eq!((freed.condition, lives), (Condition::Normal, false));
    assert_eq!(*log.lock().unwrap(), ["send 5", "end"]);
}

#[test]
fn a_long_record_is_cut_or_goes_on() {
    for keep in [false, true] {
        let (mut talk, _) = attached([record(b"abcdef", TURN)]);
        let flags = if keep { VERB_NOTRUNCATE } else { 0 };
        let (first, _) = ask(&mut talk, Verb::Receive, flags, 4, &[]);
        assert_eq!(first.data, b"abcd");
        if !keep {
            assert_eq!((first.condition, first.args[4]), (Condition::LengErr, 6));
            assert_eq!(first.args[1], ConversationState::Send as u64);
            continue;
        }
        assert_eq!(
            state(&first),
            (
                Condition::Normal,
                ConversationState::Receive as u64,
                INDICATOR_RECEIVE
            )
        );
        let (rest, _) = ask(&mut talk, Verb::Receive, flags, 4, &[]);
        assert_eq!(rest.data, b"ef");
        let indicators = INDICATOR_COMPLETE | INDICATOR_CHAIN_END;
        assert_eq!(
            state(&rest),
            (Condition::Eoc, ConversationState::Send as u64, indicators)
        );
    }
}

#[test]
fn a_confirmation_is_requested_and_given() {
    let wants = ReceiveOutcome {
        confirm: true,
        end: true,
        ..ReceiveOutcome::default()
    };
    let (mut talk, log) = attached([(Vec::new(), Ok(wants))]);
    let (got, _) = ask(&mut talk, Verb::Receive, 0, 10, &[]);
    let indicators = INDICATOR_NO_DATA | INDICATOR_FREE | INDICATOR_CONFIRM | INDICATOR_CHAIN_END;
    assert_eq!(
        state(&got),
        (
            Condition::Eoc,
            ConversationState::ConfFree as u64,
            indicators
        )
    );
    let (done, _) = ask(&mut talk, Verb::Confirmation, 0, 0, &[]);
    assert_eq!(
        state(&done),
        (
            Condition::Normal,
            ConversationState::Free as u64,
            INDICATOR_FREE
        )
    );
    assert_eq!(*log.lock().unwrap(), ["confirmed"]);
}

#[test]
fn verbs_in_the_wrong_state_do_nothing() {
    let (mut talk, log) = attached([]);
    for verb in [Verb::Send, Verb::Free, Verb::Confirmation, Verb::Connect] {
        let (answer, lives) = ask(&mut talk, verb, VERB_DATA, 0, b"x");
        assert_eq!(
            (answer.condition, lives),
            (Condition::InvReq, true),
            "{verb:?}"
        );
    }
    assert!(log.lock().unwrap().is_empty());
    talk.close(false);
    assert_eq!(*log.lock().unwrap(), ["abend"]);
}

#[test]
fn errors_of_the_partner_are_distinguished() {
    let error = Err(Fault::Error(sense::PROGRAM_ERROR));
    let (mut talk, _) = attached([
        (Vec::new(), error),
        (Vec::new(), Err(Fault::Over(sense::ABEND))),
    ]);
    let (got, _) = ask(&mut talk, Verb::Receive, 0, 10, &[]);
    let indicators = INDICATOR_ERROR | INDICATOR_RECEIVE;
    assert_eq!(
        state(&got),
        (
            Condition::Normal,
            ConversationState::Receive as u64,
            indicators
        )
    );
    assert_eq!(got.args[3], 0x0889_0000);
    let (got, _) = ask(&mut talk, Verb::Receive, 0, 10, &[]);
    let indicators = INDICATOR_ERROR | INDICATOR_FREE;
    assert_eq!(
        state(&got),
        (
            Condition::TermErr,
            ConversationState::Free as u64,
            indicators
        )
    );
    assert_eq!(got.args[3], 0x0864_0000);
}

#[test]
fn sending_with_confirm_or_the_turn_waits_for_it() {
    let (mut talk, log) = attached([record(b"", TURN)]);
    ask(&mut talk, Verb::Receive, 0, 10, &[]);
    let (answer, _) = ask(&mut talk, Verb::Send, VERB_DATA | VERB_CONFIRM, 0, b"a");
    assert_eq!(
        state(&answer),
        (Condition::Normal, ConversationState::Send as u64, 0)
    );
    let flags = VERB_INVITE | VERB_WAIT;
    let (answer, _) = ask(&mut talk, Verb::Send, flags, 0, b"");
    let receive = (
        Condition::Normal,
        ConversationState::Receive as u64,
        INDICATOR_RECEIVE,
    );
    assert_eq!(state(&answer), receive);
    assert_eq!(*log.lock().unwrap(), ["send 1", "confirm", "invite"]);
}

#[test]
fn partners_that_are_not_there_are_sysiderr() {
    for name in [b"NONE", b"GONE"] {
        let mut talk = MappedConversation::new(Arc::new(NoPartners), None);
        let mut data = name.to_vec();
        data.resize(20, b' ');
        let (answer, lives) = ask(&mut talk, Verb::Allocate, 0, 0, &data);
        assert_eq!((answer.condition, lives), (Condition::SysIdErr, false));
    }
}

mod anything {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever a worker asks, the answer fits the call area.
        #[test]
        fn is_answered(verbs in proptest::collection::vec(
            (0u64..16, any::<u64>(), any::<u64>(), proptest::collection::vec(any::<u8>(), 0..40)), 1..12)) {
            let says = (0..64).map(|i| record(b"some record", if i % 3 == 0 { TURN } else { ReceiveOutcome::default() }));
            let (mut talk, _) = attached(says);
            for (verb, flags, limit, data) in verbs {
                let call = WorkerCall { op: CallOperation::Converse, slot: 0, args: [verb, 0, flags, limit, 0, 0, 0, 0], data };
                let (answer, _) = talk.serve(1, &call);
                prop_assert!(answer.data.len() <= link::layout::CALL_BYTES);
            }
        }
    }
}
