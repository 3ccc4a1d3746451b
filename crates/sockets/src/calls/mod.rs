//! The sockets of one task, and its calls.
//!
//! A task begins with INITAPI, or without it by a call that may be first: then
//! it has fifty sockets. Its numbers count from 0; a new socket gets the lowest
//! free one. Everything is closed when this is dropped.
//!
//! Reference: IP CICS Sockets Guide, each call.

mod names;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use ezasoket::{
    AF_INET, AF_INET6, CallReply, ClientId, Errno, Function, MAX_DATA_BYTES, Request, SelectResult,
    SelectTimeout, Socket, SocketControl, SocketName, select,
};

use crate::given::GivenSockets;
use crate::policy::SocketPolicy;
use crate::signal::TaskSignal;

/// Sockets of a task that asks for fewer.
const FEWEST_SOCKETS: i64 = 50;
/// Partners of a datagram socket that it may answer.
const PARTNERS: usize = 64;

/// The state that all tasks share.
#[derive(Debug)]
pub struct SocketState {
    /// The region's name, which is the address space of its client ids.
    pub applid: [u8; 8],
    /// Which addresses may be used; a reload changes it.
    pub policy: RwLock<SocketPolicy>,
    /// Whether the system's resolver is asked.
    pub resolver: bool,
    /// Sockets on their way from task to task.
    pub given: GivenSockets,
}

impl SocketState {
    /// Which addresses may be used now.
    pub fn policy(&self) -> RwLockReadGuard<'_, SocketPolicy> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A socket of a task.
#[derive(Debug)]
struct TaskSocket {
    socket: Arc<Socket>,
    /// The socket was given, and whether it was taken.
    given: Option<Arc<AtomicBool>>,
    /// Senders of datagrams, which may be answered.
    partners: Vec<SocketAddr>,
}

impl TaskSocket {
    /// Closes the task socket. If it was given, no task can take it any more. Another task
    /// with the giver's name may have given one of the same number since it was
    /// taken.
    fn take_back(self, given: &GivenSockets, giver: &ClientId, number: i64) {
        if self
            .given
            .is_some_and(|taken| !taken.load(Ordering::SeqCst))
        {
            given.take_back(giver, number);
        }
    }
}

/// The sockets of a task.
#[derive(Debug)]
pub struct TaskSockets {
    world: Arc<SocketState>,
    signal: Arc<TaskSignal>,
    number: u64,
    me: ClientId,
    /// 0 before INITAPI.
    maxsoc: i64,
    sockets: BTreeMap<i64, TaskSocket>,
}

impl TaskSockets {
    /// A task that has not called yet.
    pub fn new(world: Arc<SocketState>, number: u64, signal: Arc<TaskSignal>) -> TaskSockets {
        let me = ClientId {
            domain: u32::from(AF_INET),
            name: world.applid,
            task: task_name(number, b'C'),
        };
        TaskSockets {
            world,
            signal,
            number,
            me,
            maxsoc: 0,
            sockets: BTreeMap::new(),
        }
    }

    /// Serves a call; it may wait.
    pub fn serve(&mut self, request: &Request) -> CallReply {
        self.attempt(request).unwrap_or_else(CallReply::from)
    }

    fn attempt(&mut self, request: &Request) -> Result<CallReply, Errno> {
        let (function, s, args) = (request.function, request.socket, request.args);
        if self.maxsoc == 0 && function != Function::InitApi {
            if function.may_be_first() {
                self.begin(FEWEST_SOCKETS);
            } else if function == Function::TermApi {
                return Ok(CallReply::ok(0));
            } else {
                return Err(Errno::FIRST_CALL);
            }
        }
        Ok(match function {
            Function::InitApi => self.init(args[0], &request.data)?,
            Function::TermApi => self.end(),
            Function::GetClientId => CallReply::with(0, self.me.emit()),
            Function::Socket => {
                let socket = Socket::new(args[0], args[1], args[2])?;
                CallReply::ok(self.add(Arc::new(socket))?)
            }
            Function::Bind => {
                let name = self
                    .world
                    .policy()
                    .listen_at(&SocketName::parse(&request.data)?)?;
                self.own(s)?.socket.bind(&name)?;
                CallReply::ok(0)
            }
            Function::Listen => self.listen(s, args[0])?,
            Function::Accept => {
                self.check_room()?;
                let (socket, peer) = self.own(s)?.socket.accept(&*self.signal)?;
                CallReply::with(self.add(Arc::new(socket))?, peer.emit())
            }
            Function::Connect => {
                let name = SocketName::parse(&request.data)?;
                let name = self.world.policy().connect_to(&name)?;
                self.own(s)?.socket.connect(&name, &*self.signal)?;
                CallReply::ok(0)
            }
            Function::GetPeerName => CallReply::with(0, self.own(s)?.socket.peer()?.emit()),
            Function::GetSockName => CallReply::with(0, self.own(s)?.socket.local()?.emit()),
            Function::Shutdown => {
                self.own(s)?.socket.shutdown(args[0])?;
                CallReply::ok(0)
            }
            Function::Close => self.close(s)?,
            Function::Fcntl => CallReply::ok(self.own(s)?.socket.fcntl(args[0], args[1])?),
            Function::Ioctl => {
                let socket = &self.own(s)?.socket;
                match SocketControl::numbered(args[0]) {
                    Some(SocketControl::Interface(query)) => {
                        CallReply::with(0, socket.interfaces(query, &request.data, args[1])?)
                    }
                    _ => CallReply {
                        value: socket.control(args[0], args[1])?,
                        ..CallReply::ok(0)
                    },
                }
            }
            Function::GetSockOpt => CallReply::with(0, self.own(s)?.socket.option(args[0])?),
            Function::SetSockOpt => {
                self.own(s)?.socket.set_option(args[0], &request.data)?;
                CallReply::ok(0)
            }
            Function::Read | Function::Recv | Function::RecvFrom => self.receive(request)?,
            Function::Write | Function::Send | Function::SendTo => self.send(request)?,
            Function::Select | Function::SelectEx => self.select(request)?,
            Function::GiveSocket => self.give(s, &request.data)?,
            Function::TakeSocket => self.take(s, &request.data)?,
            Function::GetHostId => names::own_address(&self.world),
            Function::GetHostName => CallReply::with(0, names::own_name().into_bytes()),
            Function::GetHostByName => names::by_name(&self.world, &request.data)?,
            Function::GetHostByAddr => names::by_address(&request.data)?,
            Function::GetAddrInfo => names::addresses(&self.world, args, &request.data)?,
            Function::GetNameInfo => names::names(args[0], &request.data)?,
            // The worker makes others of these.
            Function::ReadV
            | Function::RecvMsg
            | Function::WriteV
            | Function::SendMsg
            | Function::Ntop
            | Function::Pton
            | Function::FreeAddrInfo => return Err(Errno::FUNCTION),
        })
    }

    fn begin(&mut self, maxsoc: i64) {
        self.maxsoc = maxsoc;
        self.world.given.enter(&self.me);
    }

    /// INITAPI: MAXSOC, IDENT (16), SUBTASK (8).
    fn init(&mut self, maxsoc: i64, names: &[u8]) -> Result<CallReply, Errno> {
        if self.maxsoc != 0 {
            return Err(Errno::INITAPI_AGAIN);
        }
        if maxsoc > ezasoket::MOST_SOCKETS {
            return Err(Errno::INITAPI_SOCKETS);
        }
        let part = |at: usize| {
            let part: [u8; 8] = names.get(at..at + 8)?.try_into().ok()?;
            let blank = part.iter().all(|b| matches!(b, b' ' | 0));
            (!blank).then_some(part)
        };
        // The address space is always the region; a name for it is accepted.
        self.me.task = part(16).unwrap_or_else(|| task_name(self.number, b'C'));
        self.begin(maxsoc.max(FEWEST_SOCKETS));
        Ok(CallReply {
            value: self.maxsoc - 1,
            ..CallReply::ok(0)
        })
    }

    /// TERMAPI, and the end of the task.
    fn end(&mut self) -> CallReply {
        for (number, own) in std::mem::take(&mut self.sockets) {
            own.take_back(&self.world.given, &self.me, number);
        }
        if self.maxsoc != 0 {
            self.world.given.leave(&self.me);
        }
        self.maxsoc = 0;
        CallReply::ok(0)
    }

    /// LISTEN. A socket without an address would get the unspecified one.
    fn listen(&self, s: i64, backlog: i64) -> Result<CallReply, Errno> {
        let socket = &self.own(s)?.socket;
        let local = socket.local()?;
        if local.0.port() == 0 && socket.kind().stream {
            let name = self.world.policy().listen_at(&local)?;
            if name != local {
                socket.bind(&name)?;
            }
        }
        socket.listen(backlog)?;
        Ok(CallReply::ok(0))
    }

    fn close(&mut self, s: i64) -> Result<CallReply, Errno> {
        let own = self.sockets.remove(&s).ok_or(Errno::EBADF)?;
        own.take_back(&self.world.given, &self.me, s);
        Ok(CallReply::ok(0))
    }

    fn receive(&mut self, request: &Request) -> Result<CallReply, Errno> {
        let signal = self.signal.clone();
        let own = self.sockets.get_mut(&request.socket).ok_or(Errno::EBADF)?;
        let [flags, nbyte, ..] = request.args;
        let room = usize::try_from(nbyte).map_err(|_| Errno::EINVAL)?;
        let mut data = vec![0; room.min(MAX_DATA_BYTES)];
        let (count, from) = own.socket.receive(&mut data, flags, &*signal)?;
        data.truncate(count);
        if let Some(SocketName(from)) = from
            && !own.socket.kind().stream
            && !own.partners.contains(&from)
        {
            if own.partners.len() == PARTNERS {
                own.partners.remove(0);
            }
            own.partners.push(from);
        }
        if request.function == Function::RecvFrom {
            let name = if own.socket.kind().stream {
                own.socket.peer().ok()
            } else {
                from
            };
            data.extend(name.map(|n| n.emit()).unwrap_or_default());
        }
        Ok(CallReply::with(count as i64, data))
    }

    fn send(&self, request: &Request) -> Result<CallReply, Errno> {
        let own = self.own(request.socket)?;
        let [flags, name_bytes, ..] = request.args;
        let name_bytes = usize::try_from(name_bytes).map_err(|_| Errno::EINVAL)?;
        let (name, data) = request
            .data
            .split_at_checked(name_bytes)
            .ok_or(Errno::EINVAL)?;
        let to = match name {
            [] => None,
            name => Some(self.destination(own, SocketName::parse(name)?)?),
        };
        let count = own.socket.send(data, flags, to.as_ref(), &*self.signal)?;
        Ok(CallReply::ok(count as i64))
    }

    /// The destination of a datagram: a sender of an earlier datagram, the
    /// partner, or an address that the policy allows.
    fn destination(&self, own: &TaskSocket, name: SocketName) -> Result<SocketName, Errno> {
        let known = own.partners.contains(&name.0) || own.socket.peer() == Ok(name);
        if known {
            Ok(name)
        } else {
            self.world.policy().connect_to(&name)
        }
    }

    fn select(&self, request: &Request) -> Result<CallReply, Errno> {
        let [maxsoc, seconds, micros, _] = request.args;
        // More than INITAPI asked for is asked often and does no harm.
        if maxsoc > ezasoket::MOST_SOCKETS {
            return Err(Errno::SELECT_MAXSOC);
        }
        let maxsoc = usize::try_from(maxsoc).unwrap_or(0);
        let wanted = SelectResult::parse(&request.data, maxsoc);
        let timeout = SelectTimeout::new(seconds, micros)?;
        let find = |n: usize| Some(&*self.sockets.get(&(n as i64))?.socket);
        let taken = |n: usize| {
            let own = self.sockets.get(&(n as i64));
            let given = own.and_then(|own| own.given.as_ref());
            given.is_some_and(|taken| taken.load(Ordering::SeqCst))
        };
        let ready = select(&wanted, maxsoc, timeout, find, taken, &*self.signal)?;
        Ok(CallReply::with(ready.count() as i64, ready.emit()))
    }

    fn give(&mut self, s: i64, client: &[u8]) -> Result<CallReply, Errno> {
        let to = ClientId::parse(client)?;
        if to.domain != u32::from(AF_INET) && to.domain != u32::from(AF_INET6) {
            return Err(Errno::EINVAL);
        }
        let me = self.me;
        let signal = self.signal.clone();
        let given = self.world.clone();
        let own = self.sockets.get_mut(&s).ok_or(Errno::EBADF)?;
        let kind = own.socket.kind();
        if !kind.stream {
            return Err(Errno::EOPNOTSUPP);
        }
        if own.socket.is_listening() {
            return Err(Errno::EBUSY);
        }
        if to.domain != u32::from(kind.family) || own.given.is_some() {
            return Err(Errno::EBADF);
        }
        let taken = Arc::new(AtomicBool::new(false));
        let flag = taken.clone();
        let on_taken = Box::new(move || {
            flag.store(true, Ordering::SeqCst);
            signal.nudge();
        });
        given
            .given
            .give((me, s), to, own.socket.clone(), on_taken)?;
        own.given = Some(taken);
        Ok(CallReply::ok(0))
    }

    fn take(&mut self, s: i64, client: &[u8]) -> Result<CallReply, Errno> {
        let giver = ClientId::parse(client)?;
        self.check_room()?;
        let socket = self.world.given.take(&self.me, &giver, s)?;
        Ok(CallReply::ok(self.add(socket)?))
    }

    fn own(&self, s: i64) -> Result<&TaskSocket, Errno> {
        self.sockets.get(&s).ok_or(Errno::EBADF)
    }

    /// The lowest free number; EMFILE if all are used.
    fn check_room(&self) -> Result<i64, Errno> {
        let mut free = (0..self.maxsoc).filter(|n| !self.sockets.contains_key(n));
        free.next().ok_or(Errno::EMFILE)
    }

    /// One of its sockets.
    pub fn socket(&self, s: i64) -> Option<&Socket> {
        self.sockets.get(&s).map(|own| &*own.socket)
    }

    /// Ends the connections that a worker has copies of: calls that wait there
    /// return. Sockets that another task has taken stay open.
    pub fn end_copies(&self) {
        for own in self.sockets.values() {
            if Arc::strong_count(&own.socket) == 1 {
                // On an unconnected socket no call waits.
                let _ = own.socket.shutdown(2);
            }
        }
    }

    fn add(&mut self, socket: Arc<Socket>) -> Result<i64, Errno> {
        let number = self.check_room()?;
        let own = TaskSocket {
            socket,
            given: None,
            partners: Vec::new(),
        };
        self.sockets.insert(number, own);
        Ok(number)
    }
}

impl Drop for TaskSockets {
    fn drop(&mut self) {
        self.end();
    }
}

/// The name of a task without one: its number and a letter, `C` for a program
/// and `L` for a listener.
pub fn task_name(number: u64, letter: u8) -> [u8; 8] {
    let mut name = [0; 8];
    let digits = format!("{:07}", number % 10_000_000);
    name[..7].copy_from_slice(digits.as_bytes());
    name[7] = letter;
    name
}
