//! Calls that are made in the worker, if the region allows it.
//!
//! The region makes, connects and binds sockets and passes copies of their
//! descriptors; reading, writing and waiting happen here, on streams. A change of
//! how a socket blocks is made on both sides, because the region's
//! socket stays open when it is given to another task.
//!
//! While a call waits the QR token is released, as for a call of the region.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use ezasoket::{
    CallReply, Errno, Function, MAX_DATA_BYTES, PollResult, Request, SelectResult, SelectTimeout,
    Socket, SocketWaiter, select, system_poll,
};

use crate::services::WorkerServices;
use crate::worker::Worker;

/// The sockets of the task that runs, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct OwnSockets(BTreeMap<i64, Socket>);

impl OwnSockets {
    /// Closes all copies.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Waits without the QR token.
struct QrWaiter<'w> {
    services: RefCell<&'w mut dyn WorkerServices>,
    holding: bool,
}

impl SocketWaiter for QrWaiter<'_> {
    fn poll(&self, fds: &mut [libc::pollfd], limit: Option<Duration>) -> io::Result<PollResult> {
        if !self.holding || limit == Some(Duration::ZERO) {
            return system_poll(fds, limit);
        }
        let mut services = self.services.borrow_mut();
        services.qr_give();
        let polled = system_poll(fds, limit);
        services.qr_take();
        polled
    }
}

/// Serves a call here. Returns `None` when the region must serve it.
pub(super) fn serve(w: &mut Worker, request: &Request) -> Option<Result<CallReply, Errno>> {
    if w.sockets.0.is_empty() {
        return None;
    }
    let holding = w.on_qr();
    let waiter = QrWaiter {
        services: RefCell::new(&mut *w.services),
        holding,
    };
    let own = &w.sockets.0;
    let [a, b, c, _] = request.args;
    match request.function {
        Function::Read | Function::Recv | Function::RecvFrom => {
            let socket = own.get(&request.socket)?;
            Some(receive(socket, request, &waiter))
        }
        Function::Write | Function::Send => {
            let socket = own.get(&request.socket)?;
            let sent = socket.send(&request.data, a, None, &waiter);
            Some(sent.map(|n| CallReply::ok(n as i64)))
        }
        Function::Select | Function::SelectEx => {
            let maxsoc = usize::try_from(a).ok()?;
            let wanted = SelectResult::parse(&request.data, maxsoc);
            let mut asked = wanted.read.sockets().chain(wanted.write.sockets());
            let here = asked.all(|n| own.contains_key(&(n as i64)));
            if !here || !wanted.exception.is_empty() || wanted.count() == 0 {
                return None;
            }
            let ready = SelectTimeout::new(b, c).and_then(|timeout| {
                let find = |n: usize| own.get(&(n as i64));
                select(&wanted, maxsoc, timeout, find, |_| false, &waiter)
            });
            Some(ready.map(|r| CallReply::with(r.count() as i64, r.emit())))
        }
        _ => None,
    }
}

fn receive(
    socket: &Socket,
    request: &Request,
    waiter: &dyn SocketWaiter,
) -> Result<CallReply, Errno> {
    let [flags, nbyte, ..] = request.args;
    let room = usize::try_from(nbyte).map_err(|_| Errno::EINVAL)?;
    let mut data = vec![0; room.min(MAX_DATA_BYTES)];
    let (count, _) = socket.receive(&mut data, flags, waiter)?;
    data.truncate(count);
    if request.function == Function::RecvFrom {
        data.extend(socket.peer().map(|name| name.emit()).unwrap_or_default());
    }
    Ok(CallReply::with(count as i64, data))
}

/// The region has served a call: applies its answer to sockets that are here too.
pub(super) fn served(w: &mut Worker, request: &Request, reply: &CallReply) {
    let makes = [Function::Socket, Function::Accept, Function::TakeSocket];
    if let Some((kind, blocks)) = reply
        .brought()
        .filter(|_| makes.contains(&request.function))
    {
        let number = reply.retcode;
        if let Some(fd) = w.services.receive_descriptor().filter(|_| kind.stream) {
            w.sockets.0.insert(number, Socket::copy(fd, kind, blocks));
        }
        return;
    }
    let [a, b, ..] = request.args;
    match request.function {
        Function::TermApi => w.sockets.clear(),
        Function::Close => drop(w.sockets.0.remove(&request.socket)),
        _ if reply.retcode < 0 => {}
        function => {
            if let Some(socket) = w.sockets.0.get(&request.socket) {
                // The region has done the same and it went well.
                let _ = match function {
                    Function::Fcntl => socket.fcntl(a, b).map(drop),
                    Function::Ioctl => socket.control(a, b).map(drop),
                    Function::SetSockOpt => socket.set_option(a, &request.data),
                    _ => Ok(()),
                };
            }
        }
    }
}
