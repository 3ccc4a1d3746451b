//! The calls that act on conversations.

use super::characteristics::ConversationCharacteristics;
use super::{ConversationIdentifier, CpicInterface, Phase};
use crate::conversation::code::{
    DataReceived, DeallocateType, PrepareToReceiveType, ReceiveType, ReturnCode, SendType, State,
    StatusReceived,
};
use crate::conversation::{ConversationId, ReceiveStatus, SendResult};
use crate::node::{AllocateParameters, Node};
use crate::time::MonotonicTime;
use std::task::Poll;

/// Whether the partner asked for the right to send.
pub type RequestToSend = bool;

/// The results of Receive: data_received, received_length, status_received,
/// request_to_send_received, return_code.
pub type ReceivedData = ReceiveStatus;

impl CpicInterface {
    /// Initialize_Conversation. A blank symbolic destination name gives a
    /// conversation whose partner, mode and program are still to be set.
    pub fn cminit(&mut self, destination: &str) -> Result<ConversationIdentifier, ReturnCode> {
        let mut set = ConversationCharacteristics::default();
        if !destination.trim().is_empty() {
            let info = self.side.get(destination);
            let info = info.ok_or(ReturnCode::ProgramParameterCheck)?;
            set.partner = Some(info.partner.clone());
            set.mode = info.mode.clone();
            set.tp = Some(info.tp.clone());
        }
        Ok(self.add(set, Phase::Initialize))
    }

    /// Allocate.
    pub fn cmallc(
        &mut self,
        node: &mut Node,
        cid: &ConversationIdentifier,
        now: MonotonicTime,
    ) -> Poll<ReturnCode> {
        let Some(entry) = self.entries.get_mut(cid) else {
            return Poll::Ready(ReturnCode::ProgramParameterCheck);
        };
        let id = match entry.phase {
            Phase::Open(_) | Phase::Incoming => {
                return Poll::Ready(ReturnCode::ProgramStateCheck);
            }
            Phase::Allocating(id) => id,
            Phase::Initialize => {
                let set = &entry.set;
                let (Some(partner), Some(tp)) = (set.partner.clone(), set.tp.clone()) else {
                    return Poll::Ready(ReturnCode::ParameterError);
                };
                let wish = AllocateParameters {
                    kind: set.kind,
                    sync: set.sync,
                    security: set.access(),
                    return_control: set.return_control,
                    ..AllocateParameters::new(self.local.clone(), partner, set.mode.clone(), tp)
                };
                node.allocate(wish, now)
            }
        };
        entry.phase = Phase::Allocating(id);
        let allocated = node.allocated(id);
        match allocated {
            Poll::Ready(ReturnCode::Ok) => entry.phase = Phase::Open(id),
            // The characteristics stay, so that the program may try again.
            Poll::Ready(ReturnCode::ParameterError | ReturnCode::Unsuccessful) => {
                entry.phase = Phase::Initialize;
            }
            Poll::Ready(_) => {
                self.entries.remove(cid);
            }
            Poll::Pending => {}
        }
        allocated
    }

    /// Accept_Conversation; pending while nothing was offered.
    pub fn cmaccp(&mut self, node: &mut Node) -> Poll<Result<ConversationIdentifier, ReturnCode>> {
        match self.attached(node) {
            Some((set, id)) => Poll::Ready(Ok(self.add(set, Phase::Open(id)))),
            None => Poll::Pending,
        }
    }

    /// Initialize_For_Incoming: a conversation for [`CpicInterface::cmacci`].
    pub fn cminic(&mut self) -> ConversationIdentifier {
        self.add(ConversationCharacteristics::default(), Phase::Incoming)
    }

    /// Accept_Incoming; pending while no attach was offered. Characteristics
    /// that were set remain, except those of the Attach.
    pub fn cmacci(&mut self, node: &mut Node, cid: &ConversationIdentifier) -> Poll<ReturnCode> {
        match self.entries.get(cid).map(|entry| entry.phase) {
            None => return Poll::Ready(ReturnCode::ProgramParameterCheck),
            Some(Phase::Incoming) => {}
            Some(_) => return Poll::Ready(ReturnCode::ProgramStateCheck),
        }
        let Some((attach_data, id)) = self.attached(node) else {
            return Poll::Pending;
        };
        if let Some(entry) = self.entries.get_mut(cid) {
            entry.phase = Phase::Open(id);
            entry.set = ConversationCharacteristics {
                send_type: entry.set.send_type,
                receive_type: entry.set.receive_type,
                deallocate_type: entry.set.deallocate_type,
                prepare_type: entry.set.prepare_type,
                error_direction: entry.set.error_direction,
                ..attach_data
            };
        }
        Poll::Ready(ReturnCode::Ok)
    }

    /// The next attach that has not failed while it waited.
    fn attached(
        &mut self,
        node: &mut Node,
    ) -> Option<(ConversationCharacteristics, ConversationId)> {
        while let Some(attached) = self.incoming.pop_front() {
            if node.accept(attached.conversation) != ReturnCode::Ok {
                continue;
            }
            let set = ConversationCharacteristics {
                partner: Some(attached.partner),
                mode: attached.mode,
                tp: Some(attached.tp),
                kind: attached.kind,
                sync: attached.sync,
                user: attached.user.unwrap_or_default(),
                ..ConversationCharacteristics::default()
            };
            return Some((set, attached.conversation));
        }
        None
    }

    /// Send_Data. With another send type than buffer, what it adds is done
    /// too.
    pub fn cmsend(
        &mut self,
        node: &mut Node,
        cid: &ConversationIdentifier,
        data: &[u8],
    ) -> Poll<(RequestToSend, ReturnCode)> {
        let id = match self.open(cid) {
            Ok(id) => id,
            Err(code) => return Poll::Ready((false, code)),
        };
        if data.len() > MAX_LENGTH {
            return Poll::Ready((false, ReturnCode::ProgramParameterCheck));
        }
        let out = self.send(node, cid, id, data);
        let state = node.state(id);
        let out = self.settle(cid, state, out);
        out.map(|sent| (sent.request_to_send, sent.code))
    }

    fn send(
        &mut self,
        node: &mut Node,
        cid: &ConversationIdentifier,
        id: ConversationId,
        data: &[u8],
    ) -> Poll<SendResult> {
        let Some(entry) = self.entries.get_mut(cid) else {
            return Poll::Pending;
        };
        let mut asked = false;
        if !entry.sent {
            match node.send(id, data) {
                Poll::Ready(sent) if sent.code == ReturnCode::Ok => {
                    asked = sent.request_to_send;
                }
                other => return other,
            }
        }
        entry.sent = true;
        let plain = |code| SendResult {
            code,
            request_to_send: false,
        };
        let done = match entry.set.send_type {
            SendType::Buffer => Poll::Ready(plain(ReturnCode::Ok)),
            SendType::Flush => Poll::Ready(plain(node.flush(id))),
            SendType::Confirm => node.confirm(id),
            SendType::PrepareToReceive => node
                .prepare_to_receive(id, entry.set.prepare_type)
                .map(plain),
            SendType::Deallocate => {
                node.set_log_data(id, &entry.set.log_data);
                node.deallocate(id, entry.set.deallocate_type).map(plain)
            }
        };
        entry.sent = done.is_pending();
        done.map(|sent| SendResult {
            request_to_send: asked || sent.request_to_send,
            ..sent
        })
    }

    /// Receive.
    pub fn cmrcv(
        &mut self,
        node: &mut Node,
        cid: &ConversationIdentifier,
        buffer: &mut [u8],
    ) -> Poll<ReceivedData> {
        let nothing = |code| ReceiveStatus {
            code,
            len: 0,
            data: DataReceived::None,
            status: StatusReceived::None,
            request_to_send: false,
        };
        let id = match self.open(cid) {
            Ok(id) => id,
            Err(code) => return Poll::Ready(nothing(code)),
        };
        let Ok(set) = self.get(cid) else {
            return Poll::Ready(nothing(ReturnCode::ProgramParameterCheck));
        };
        let immediate = set.receive_type == ReceiveType::Immediate;
        let sending = matches!(node.state(id), State::Send | State::SendPending);
        if immediate && sending {
            // Only a receive that waits passes the right to send.
            return Poll::Ready(nothing(ReturnCode::ProgramStateCheck));
        }
        let fill = set.fill;
        let out = match node.receive(id, buffer, fill) {
            Poll::Pending if immediate => Poll::Ready(nothing(ReturnCode::Unsuccessful)),
            other => other,
        };
        let state = node.state(id);
        self.settle(cid, state, out)
    }

    /// Confirm.
    pub fn cmcfm(
        &mut self,
        node: &mut Node,
        cid: &ConversationIdentifier,
    ) -> Poll<(RequestToSend, ReturnCode)> {
        let out = match self.open(cid) {
            Ok(id) => {
                let out = node.confirm(id);
                let state = node.state(id);
                self.settle(cid, state, out)
            }
            Err(code) => return Poll::Ready((false, code)),
        };
        out.map(|sent| (sent.request_to_send, sent.code))
    }

    /// Confirmed.
    pub fn cmcfmd(&mut self, node: &mut Node, cid: &ConversationIdentifier) -> ReturnCode {
        self.at_once(node, cid, Node::confirmed)
    }

    /// Flush.
    pub fn cmflus(&mut self, node: &mut Node, cid: &ConversationIdentifier) -> ReturnCode {
        self.at_once(node, cid, Node::flush)
    }

    /// Request_To_Send.
    pub fn cmrts(&mut self, node: &mut Node, cid: &ConversationIdentifier) -> ReturnCode {
        self.at_once(node, cid, Node::request_to_send)
    }

    /// Test_Request_To_Send_Received, in states Send, Send-Pending and Receive.
    pub fn cmtrts(
        &mut self,
        node: &mut Node,
        cid: &ConversationIdentifier,
    ) -> (RequestToSend, ReturnCode) {
        match self.open(cid) {
            Ok(id) => match node.state(id) {
                State::Send | State::SendPending | State::Receive => {
                    (node.test_request_to_send(id), ReturnCode::Ok)
                }
                _ => (false, ReturnCode::ProgramStateCheck),
            },
            Err(code) => (false, code),
        }
    }

    /// Prepare_To_Receive.
    pub fn cmptr(&mut self, node: &mut Node, cid: &ConversationIdentifier) -> Poll<ReturnCode> {
        let kind = self.get(cid).map(|set| set.prepare_type);
        let kind = kind.unwrap_or(PrepareToReceiveType::SyncLevel);
        self.waiting(node, cid, |node, id| node.prepare_to_receive(id, kind))
    }

    /// Deallocate.
    pub fn cmdeal(&mut self, node: &mut Node, cid: &ConversationIdentifier) -> Poll<ReturnCode> {
        let Ok(set) = self.get(cid) else {
            return Poll::Ready(ReturnCode::ProgramParameterCheck);
        };
        let (kind, log) = (set.deallocate_type, set.log_data.clone());
        if kind == DeallocateType::Abend && self.open(cid).is_err() {
            return Poll::Ready(self.cmcanc(node, cid));
        }
        self.waiting(node, cid, |node, id| {
            node.set_log_data(id, &log);
            node.deallocate(id, kind)
        })
    }

    /// Cancel_Conversation: ends a conversation in any state, at once.
    pub fn cmcanc(&mut self, node: &mut Node, cid: &ConversationIdentifier) -> ReturnCode {
        let Some(entry) = self.entries.remove(cid) else {
            return ReturnCode::ProgramParameterCheck;
        };
        match entry.phase {
            Phase::Initialize | Phase::Incoming => {}
            Phase::Allocating(id) => node.cancel_allocate(id),
            Phase::Open(id) => {
                // An abend never waits.
                let ended = node.deallocate(id, DeallocateType::Abend);
                debug_assert!(ended.is_ready());
            }
        }
        ReturnCode::Ok
    }

    /// Send_Error.
    pub fn cmserr(
        &mut self,
        node: &mut Node,
        cid: &ConversationIdentifier,
    ) -> Poll<(RequestToSend, ReturnCode)> {
        let id = match self.open(cid) {
            Ok(id) => id,
            Err(code) => return Poll::Ready((false, code)),
        };
        if let Ok(set) = self.get(cid) {
            node.set_log_data(id, &set.log_data);
        }
        let direction = self.get(cid).map(|set| set.error_direction);
        let out = node.send_error(id, direction.unwrap_or(crate::ErrorDirection::Receive));
        let state = node.state(id);
        let out = self.settle(cid, state, out);
        out.map(|sent| (sent.request_to_send, sent.code))
    }

    fn at_once(
        &mut self,
        node: &mut Node,
        cid: &ConversationIdentifier,
        call: impl FnOnce(&mut Node, ConversationId) -> ReturnCode,
    ) -> ReturnCode {
        let done = self.waiting(node, cid, |node, id| Poll::Ready(call(node, id)));
        match done {
            Poll::Ready(code) => code,
            Poll::Pending => ReturnCode::OperationIncomplete,
        }
    }

    fn waiting(
        &mut self,
        node: &mut Node,
        cid: &ConversationIdentifier,
        call: impl FnOnce(&mut Node, ConversationId) -> Poll<ReturnCode>,
    ) -> Poll<ReturnCode> {
        let id = match self.open(cid) {
            Ok(id) => id,
            Err(code) => return Poll::Ready(code),
        };
        let out = call(node, id);
        let state = node.state(id);
        self.settle(cid, state, out)
    }
}

/// The most one Send_Data takes, as CPI-C has it.
const MAX_LENGTH: usize = 32_767;
