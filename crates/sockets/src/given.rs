//! Sockets that were given and not taken yet.
//!
//! The giver is identified by its client id and the number of its socket; the
//! taker names both. A socket is taken once.
//!
//! Reference: IP CICS Sockets Guide, GIVESOCKET, TAKESOCKET.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ezasoket::{ClientId, Errno, Socket};

/// Called when a socket was taken.
pub type OnTaken = Box<dyn FnOnce() + Send>;

/// All sockets that are given.
#[derive(Default)]
pub struct GivenSockets(Mutex<GivenList>);

#[derive(Default)]
struct GivenList {
    list: Vec<GivenSocket>,
    /// Givers: address space and task, and how many have this name. A program
    /// chooses its own, so it may be another's, a listener's too.
    clients: HashMap<([u8; 8], [u8; 8]), usize>,
}

struct GivenSocket {
    giver: ClientId,
    number: i64,
    taker: ClientId,
    socket: Arc<Socket>,
    on_taken: OnTaken,
}

impl GivenSockets {
    /// Registers a task that may give sockets.
    pub fn enter(&self, client: &ClientId) {
        let mut state = self.lock();
        let count = state.clients.entry((client.name, client.task));
        *count.or_default() += 1;
    }

    /// Removes a task; sockets that it gave and no task took are closed.
    pub fn leave(&self, client: &ClientId) {
        let mut state = self.lock();
        let name = (client.name, client.task);
        match state.clients.get_mut(&name) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(state.clients.remove(&name)),
        }
    }

    /// Gives a socket. EBADF when it is given already.
    pub fn give(
        &self,
        (giver, number): (ClientId, i64),
        taker: ClientId,
        socket: Arc<Socket>,
        on_taken: OnTaken,
    ) -> Result<(), Errno> {
        let mut state = self.lock();
        let mut list = state.list.iter();
        if list.any(|g| g.number == number && is_same(&g.giver, &giver)) {
            return Err(Errno::EBADF);
        }
        state.list.push(GivenSocket {
            giver,
            number,
            taker,
            socket,
            on_taken,
        });
        Ok(())
    }

    /// Takes a socket back that was given and not taken; false when it is not
    /// there any more.
    pub fn take_back(&self, giver: &ClientId, number: i64) -> bool {
        let mut state = self.lock();
        let before = state.list.len();
        state
            .list
            .retain(|g| g.number != number || !is_same(&g.giver, giver));
        state.list.len() < before
    }

    /// Takes a given socket. EINVAL if there is no such giver, EBADF if it gave
    /// no such socket or it was taken, EACCES if it was given to another task,
    /// EPFNOSUPPORT for another address family.
    pub fn take(&self, me: &ClientId, giver: &ClientId, number: i64) -> Result<Arc<Socket>, Errno> {
        let mut state = self.lock();
        if !state.clients.contains_key(&(giver.name, giver.task)) {
            return Err(Errno::EINVAL);
        }
        let mut list = state.list.iter();
        let at = list
            .position(|g| g.number == number && is_same(&g.giver, giver))
            .ok_or(Errno::EBADF)?;
        let given = &state.list[at];
        if !is_for(&given.taker, me) {
            return Err(Errno::EACCES);
        }
        if giver.domain != u32::from(given.socket.kind().family) {
            return Err(Errno::EPFNOSUPPORT);
        }
        let given = state.list.swap_remove(at);
        drop(state);
        (given.on_taken)();
        Ok(given.socket)
    }

    fn lock(&self) -> MutexGuard<'_, GivenList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for GivenSockets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GivenSockets")
    }
}

fn is_same(a: &ClientId, b: &ClientId) -> bool {
    (a.name, a.task) == (b.name, b.task)
}

/// Whether a socket that was given to `to` is for `me`; a blank part matches
/// every task.
fn is_for(to: &ClientId, me: &ClientId) -> bool {
    let any = |part: &[u8; 8]| part.iter().all(|b| matches!(b, b' ' | 0));
    (any(&to.name) || to.name == me.name) && (any(&to.task) || to.task == me.task)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn client(name: &[u8; 8], task: &[u8; 8]) -> ClientId {
        ClientId {
            domain: 2,
            name: *name,
            task: *task,
        }
    }

    #[test]
    fn a_socket_is_taken_once_and_only_by_whom_it_was_given_to() {
        let given = GivenSockets::default();
        let listener = client(b"REGION  ", b"0000032L");
        let (child, other) = (
            client(b"REGION  ", b"0000033C"),
            client(b"OTHER   ", b"0000033C"),
        );
        let taken = Arc::new(AtomicU32::new(0));
        let give = |to: ClientId| {
            let counter = taken.clone();
            let socket = Arc::new(Socket::new(2, 1, 0).unwrap());
            let on_taken = Box::new(move || {
                counter.fetch_add(1, Ordering::SeqCst);
            });
            given.give((listener, 5), to, socket, on_taken)
        };
        assert_eq!(given.take(&child, &listener, 5).err(), Some(Errno::EINVAL));
        given.enter(&listener);
        assert_eq!(given.take(&child, &listener, 5).err(), Some(Errno::EBADF));
        assert_eq!(give(client(b"REGION  ", b"        ")), Ok(()));
        assert_eq!(give(client(b"REGION  ", b"        ")), Err(Errno::EBADF));
        assert_eq!(given.take(&other, &listener, 5).err(), Some(Errno::EACCES));
        let six = ClientId {
            domain: 19,
            ..listener
        };
        assert_eq!(given.take(&child, &six, 5).err(), Some(Errno::EPFNOSUPPORT));
        assert!(given.take(&child, &listener, 5).is_ok());
        assert_eq!(given.take(&child, &listener, 5).err(), Some(Errno::EBADF));
        assert_eq!(taken.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn who_has_the_name_of_another_takes_nothing_from_it_by_leaving() {
        let given = GivenSockets::default();
        let giver = client(b"REGION  ", b"0000001L");
        let child = client(b"REGION  ", b"0000002C");
        let to = client(b"        ", b"        ");
        let socket = Arc::new(Socket::new(2, 1, 0).unwrap());
        given.enter(&giver);
        given.give((giver, 1), to, socket, Box::new(|| ())).unwrap();
        given.enter(&giver);
        given.leave(&giver);
        assert!(given.take(&child, &giver, 1).is_ok());
        given.leave(&giver);
        assert_eq!(given.take(&child, &giver, 1).err(), Some(Errno::EINVAL));
    }
}
