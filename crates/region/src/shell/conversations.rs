//! The conversations of tasks: a thread each, so that no other task waits.
//!
//! A worker's verb is passed to its conversation's thread, which
//! answers the worker when it is done. The end of a task closes what it has
//! left open; when the task failed, its conversations are ended under the
//! threads that wait in them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use link::conversation::Verb;
use link::{CallAnswer, Name, WorkerCall};

use super::SharedRegion;
use super::lease::ended_well;
use super::links::WorkerLink;
use super::mapped_conversation::{MappedConversation, no_partners, not_allocated};
use super::wakes;
use crate::api::{Conversation, TaskUnit};
use crate::engine::{self, EngineClass};
use kernel::core::{OutsideCall, TaskKey};

/// Stack of a conversation's thread.
const STACK_BYTES: usize = 512 * 1024;
/// Letters of an identifier after its hyphen.
const LETTERS: u32 = 26;
/// Identifiers that there are.
const IDENTIFIERS: u32 = LETTERS * LETTERS * LETTERS;

/// All conversations of a region.
#[derive(Default)]
pub struct ConversationTable {
    tasks: Mutex<HashMap<TaskKey, Vec<ConversationEntry>>>,
    next: AtomicU32,
}

/// One conversation.
struct ConversationEntry {
    id: u32,
    principal: bool,
    orders: Sender<Order>,
    abort: Arc<AbortHandle>,
}

/// How others end a conversation.
#[derive(Default)]
struct AbortHandle {
    failed: AtomicBool,
    interrupter: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
}

/// A verb for a conversation's thread.
struct Order {
    worker: usize,
    link: Arc<WorkerLink>,
    call: WorkerCall,
    /// A purge may end the task's wait.
    out: OutsideCall,
}

impl ConversationTable {
    fn lock(&self) -> MutexGuard<'_, HashMap<TaskKey, Vec<ConversationEntry>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An identifier, `-AAA` and so on, that no conversation of the task has:
    /// they begin again after `-ZZZ`, while a task may hold an old one. Returns `None`
    /// when the task has them all.
    fn fresh_id(&self, key: TaskKey) -> Option<Name<4>> {
        let tasks = self.lock();
        let own = tasks.get(&key).map_or(&[][..], Vec::as_slice);
        let mut names = (0..IDENTIFIERS).map(|_| {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let letter = |place: u32| b'A' + (number / place % LETTERS) as u8;
            [b'-', letter(LETTERS * LETTERS), letter(LETTERS), letter(1)]
        });
        let free = |name: &[u8; 4]| own.iter().all(|e| e.id != u32::from_be_bytes(*name));
        names.find(free).map(Name::from_bytes)
    }
}

impl AbortHandle {
    fn hold(&self, talk: &MappedConversation) {
        let interrupter = talk.interrupter();
        // The end may have been requested while the conversation was being made.
        if self.failed.load(Ordering::SeqCst)
            && let Some(interrupt) = &interrupter
        {
            interrupt();
        }
        *self.lock() = interrupter;
    }

    fn fail(&self) {
        self.failed.store(true, Ordering::SeqCst);
        if let Some(interrupt) = &*self.lock() {
            interrupt();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Fn() + Send + Sync>>> {
        self.interrupter
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl SharedRegion {
    /// A verb of a running task.
    pub(super) fn converse(
        self: &Arc<Self>,
        worker: usize,
        link: &Arc<WorkerLink>,
        key: TaskKey,
        call: WorkerCall,
    ) {
        let orders = if call.args[0] == Verb::Allocate as u64 {
            let Some(partners) = self.config.conversations.clone() else {
                wakes::answer(link, &no_partners());
                return;
            };
            let unit = TaskUnit::new(self.clone(), key);
            self.open_conversation(key, MappedConversation::new(partners, Some(unit)), false)
                .map(|(_, orders)| orders)
        } else {
            let wanted = call.args[1];
            let tasks = self.conversations.lock();
            let mut own = tasks.get(&key).into_iter().flatten();
            own.find(|e| match wanted {
                0 => e.principal,
                id => u64::from(e.id) == id,
            })
            .map(|e| e.orders.clone())
        };
        let Some(orders) = orders else {
            wakes::answer(link, &not_allocated());
            return;
        };
        let order = Order {
            worker,
            link: link.clone(),
            call,
            out: self.begin_outside(key),
        };
        if let Err(returned) = orders.send(order) {
            self.answer_conversation(&returned.0, &not_allocated());
        }
    }

    /// Gives a task that is being built the conversation it was attached with.
    pub(super) fn attach_conversation(
        self: &Arc<Self>,
        key: TaskKey,
        conversation: Box<dyn Conversation>,
    ) -> Option<Name<4>> {
        self.open_conversation(key, MappedConversation::attached(conversation), true)
            .map(|(name, _)| name)
    }

    fn open_conversation(
        self: &Arc<Self>,
        key: TaskKey,
        talk: MappedConversation,
        principal: bool,
    ) -> Option<(Name<4>, Sender<Order>)> {
        if let Some(task) = self.lock().core.task_mut(key) {
            // The task's end must close the conversation.
            task.in_kernel = true;
        }
        let name = self.conversations.fresh_id(key)?;
        let id = u32::from_be_bytes(*name.as_bytes());
        let (orders, queue) = channel();
        let abort = Arc::new(AbortHandle::default());
        abort.hold(&talk);
        let (shared, own) = (self.clone(), abort.clone());
        let started = std::thread::Builder::new()
            .name("tupelo-conv".into())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                engine::enter("appc", EngineClass::Offload);
                shared.run_conversation(key, id, talk, &own, &queue);
            });
        if let Err(error) = started {
            tracing::error!(%error, "cannot start a thread for a conversation");
            return None;
        }
        let entry = ConversationEntry {
            id,
            principal,
            orders: orders.clone(),
            abort,
        };
        self.conversations
            .lock()
            .entry(key)
            .or_default()
            .push(entry);
        Some((name, orders))
    }

    /// A conversation's thread.
    fn run_conversation(
        self: &Arc<Self>,
        key: TaskKey,
        id: u32,
        mut talk: MappedConversation,
        abort: &AbortHandle,
        queue: &Receiver<Order>,
    ) {
        while let Ok(order) = queue.recv() {
            let (answer, lives) = talk.serve(id, &order.call);
            abort.hold(&talk);
            if !lives && let Some(own) = self.conversations.lock().get_mut(&key) {
                own.retain(|e| e.id != id);
            }
            self.answer_conversation(&order, &answer);
        }
        talk.close(abort.failed.load(Ordering::SeqCst));
    }

    fn answer_conversation(self: &Arc<Self>, order: &Order, answer: &CallAnswer) {
        if !order.out.take() {
            return;
        }
        let (worker, link) = (order.worker, &order.link);
        self.with(|core, cx| {
            // The worker may be another by now.
            if cx
                .links
                .get(worker)
                .is_some_and(|now| Arc::ptr_eq(now, link))
            {
                core.waits(cx, worker, false);
            }
        });
        link.side.answer(answer);
    }

    /// The region stops: threads that wait in a conversation return.
    pub(super) fn close_conversations(&self) {
        let tasks = std::mem::take(&mut *self.conversations.lock());
        for entry in tasks.into_values().flatten() {
            entry.abort.fail();
        }
    }

    /// A task is over, or was given up before it ran: its conversations end.
    pub(super) fn end_conversations(&self, key: TaskKey, failed: bool) {
        let Some(entries) = self.conversations.lock().remove(&key) else {
            return;
        };
        let state = self.lock();
        let abend = state.core.task(key).is_none_or(|t| t.abend.is_some());
        let failed = failed || abend || !ended_well(&state, key);
        drop(state);
        for entry in entries {
            if failed {
                entry.abort.fail();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_that_comes_round_again_is_not_given_to_a_task_that_has_it() {
        let (room, task) = (ConversationTable::default(), TaskKey::for_test(1));
        let first = room.fresh_id(task).unwrap();
        let (orders, _queue) = channel();
        let entry = ConversationEntry {
            id: u32::from_be_bytes(*first.as_bytes()),
            principal: true,
            orders,
            abort: Arc::default(),
        };
        room.lock().entry(task).or_default().push(entry);
        room.next
            .store(LETTERS * LETTERS * LETTERS, Ordering::Relaxed);
        assert_eq!(room.fresh_id(task).unwrap().as_str(), "-AAB");
        room.next
            .store(LETTERS * LETTERS * LETTERS, Ordering::Relaxed);
        assert_eq!(room.fresh_id(TaskKey::for_test(2)), Some(first));
    }
}
