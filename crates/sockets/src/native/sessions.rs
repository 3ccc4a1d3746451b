//! Two connections of one client: messages are received on one, answers are sent on the
//! other. The two are paired by their client-in-data.
//!
//! Invariant: no socket and no clock here; `S` is the sender of answers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use region::TransId;
use tokio::sync::Notify;

/// The key of connections that belong together: the receiver, and the
/// client-in-data.
pub type SessionName = (TransId, Vec<u8>);

/// The sessions of a thread.
#[derive(Debug)]
pub struct SessionTable<S>(RefCell<HashMap<SessionName, Session<S>>>);

#[derive(Debug)]
struct Session<S> {
    /// A sender that no receiver has yet, and since when.
    sender: Option<(S, Duration)>,
    /// The receiver that waits for one, or has it.
    receiver: Option<Rc<Notify>>,
    joined: bool,
}

/// A receiver's part of a session, which ends with it.
#[derive(Debug)]
pub struct SessionPart<S> {
    sessions: Rc<SessionTable<S>>,
    name: SessionName,
}

impl<S> Default for SessionTable<S> {
    fn default() -> Self {
        SessionTable(RefCell::default())
    }
}

impl<S> SessionTable<S> {
    /// A sender has come. One that waits already is put out, since its client
    /// has a new one; one that is in use is not, and this one is returned.
    pub fn enter_sender(
        &self,
        name: SessionName,
        sender: S,
        now: Duration,
    ) -> Result<Option<S>, S> {
        let mut sessions = self.0.borrow_mut();
        let session = sessions.entry(name).or_insert(Session {
            sender: None,
            receiver: None,
            joined: false,
        });
        if session.joined {
            return Err(sender);
        }
        let old = session.sender.replace((sender, now));
        if let Some(receiver) = &session.receiver {
            receiver.notify_one();
        }
        Ok(old.map(|(old, _)| old))
    }

    /// A receiver joins. Returns `None` when the session has one.
    pub fn enter_receiver(self: &Rc<Self>, name: SessionName) -> Option<SessionPart<S>> {
        let mut sessions = self.0.borrow_mut();
        let session = sessions.entry(name.clone()).or_insert(Session {
            sender: None,
            receiver: None,
            joined: false,
        });
        if session.receiver.is_some() {
            return None;
        }
        session.receiver = Some(Rc::new(Notify::new()));
        Some(SessionPart {
            sessions: self.clone(),
            name,
        })
    }

    /// Takes out the senders that no receiver waits for and that are too late,
    /// as `late` says of them and the time they came.
    pub fn expire(&self, late: impl Fn(&S, Duration) -> bool) -> Vec<S> {
        let mut expired = Vec::new();
        self.0.borrow_mut().retain(|_, session| {
            let late = |(sender, since): &(S, Duration)| late(sender, *since);
            if session.receiver.is_none() && session.sender.as_ref().is_some_and(late) {
                expired.extend(session.sender.take().map(|(sender, _)| sender));
            }
            session.receiver.is_some() || session.sender.is_some()
        });
        expired
    }

    /// Whether there is no session.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }
}

impl<S> SessionPart<S> {
    /// The sender, as soon as it has joined.
    pub async fn sender(&self) -> S {
        loop {
            let receiver = {
                let mut sessions = self.sessions.0.borrow_mut();
                let session = sessions.get_mut(&self.name).expect("a session with a part");
                if let Some((sender, _)) = session.sender.take() {
                    session.joined = true;
                    return sender;
                }
                session.receiver.clone().expect("the part is the receiver")
            };
            receiver.notified().await;
        }
    }
}

impl<S> Drop for SessionPart<S> {
    fn drop(&mut self) {
        self.sessions.0.borrow_mut().remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn name(session: &str) -> SessionName {
        ("RECV".parse().unwrap(), session.as_bytes().to_vec())
    }

    #[test]
    fn two_connections_of_a_name_find_each_other_in_either_order() {
        let sessions: Rc<SessionTable<u32>> = Rc::default();
        let mut cx = Context::from_waker(Waker::noop());
        assert_eq!(
            sessions.enter_sender(name("A"), 1, Duration::ZERO),
            Ok(None)
        );
        let first = sessions.enter_receiver(name("A")).unwrap();
        assert_eq!(pin!(first.sender()).poll(&mut cx), Poll::Ready(1));
        let second = sessions.enter_receiver(name("B")).unwrap();
        let mut waits = pin!(second.sender());
        assert_eq!(waits.as_mut().poll(&mut cx), Poll::Pending);
        assert_eq!(
            sessions.enter_sender(name("B"), 2, Duration::ZERO),
            Ok(None)
        );
        assert_eq!(waits.as_mut().poll(&mut cx), Poll::Ready(2));
    }

    #[test]
    fn a_session_in_use_has_no_room_and_one_that_has_ended_has() {
        let sessions: Rc<SessionTable<u32>> = Rc::default();
        let mut cx = Context::from_waker(Waker::noop());
        let part = sessions.enter_receiver(name("A")).unwrap();
        assert!(sessions.enter_receiver(name("A")).is_none());
        assert_eq!(
            sessions.enter_sender(name("A"), 1, Duration::ZERO),
            Ok(None)
        );
        // A client that tries again before it was received.
        assert_eq!(
            sessions.enter_sender(name("A"), 2, Duration::ZERO),
            Ok(Some(1))
        );
        assert_eq!(pin!(part.sender()).poll(&mut cx), Poll::Ready(2));
        assert_eq!(sessions.enter_sender(name("A"), 3, Duration::ZERO), Err(3));
        drop(part);
        assert!(sessions.enter_receiver(name("A")).is_some());
    }

    #[test]
    fn a_sender_without_a_receiver_waits_for_its_limit() {
        let sessions: Rc<SessionTable<u32>> = Rc::default();
        assert_eq!(
            sessions.enter_sender(name("A"), 1, Duration::from_secs(10)),
            Ok(None)
        );
        assert!(
            sessions
                .expire(|_, since| since < Duration::from_secs(10))
                .is_empty()
        );
        assert_eq!(
            sessions.expire(|_, since| since < Duration::from_secs(11)),
            [1]
        );
        assert!(sessions.is_empty());
    }
}
