//! epoll and a timerfd: waits for sockets, or until an absolute time with a
//! precision of a few microseconds.

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};
use std::io;
use std::mem::MaybeUninit;

/// The epoll and timer of one thread.
pub struct Poller {
    epoll: OwnedFd,
    timer: OwnedFd,
    armed: u64,
    ready: Vec<ReadySocket>,
}

/// A socket that is ready.
#[derive(Clone, Copy, Debug)]
pub struct ReadySocket {
    /// The token it was registered with.
    pub token: u64,
    /// Reading will not block; it may return the end or an error.
    pub readable: bool,
    /// Writing will not block.
    pub writable: bool,
}

impl Poller {
    /// A new epoll with its timer.
    pub fn new() -> io::Result<Poller> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let timer = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK,
        )?;
        let flags = EventFlags::IN | EventFlags::ET;
        epoll::add(&epoll, &timer, EventData::new_u64(TIMER), flags)?;
        Ok(Poller {
            epoll,
            timer,
            armed: u64::MAX,
            ready: Vec::with_capacity(BATCH),
        })
    }

    /// Watches a socket for reading, and for writing if `writing`.
    pub fn add(&self, fd: impl AsFd, token: u64, writing: bool) -> io::Result<()> {
        Ok(epoll::add(
            &self.epoll,
            fd,
            EventData::new_u64(token),
            flags(writing),
        )?)
    }

    /// Changes whether a socket is watched for writing.
    pub fn change(&self, fd: impl AsFd, token: u64, writing: bool) -> io::Result<()> {
        Ok(epoll::modify(
            &self.epoll,
            fd,
            EventData::new_u64(token),
            flags(writing),
        )?)
    }

    /// Waits for sockets until `until` (monotonic ns; `u64::MAX` for no limit).
    /// Returns the number of ready sockets; 0 when the time is reached.
    pub fn wait(&mut self, until: u64) -> io::Result<usize> {
        if until != self.armed {
            let spec = Itimerspec {
                it_interval: timespec(0),
                it_value: timespec(if until == u64::MAX { 0 } else { until.max(1) }),
            };
            timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &spec)?;
            self.armed = until;
        }
        self.collect(None)
    }

    /// Polls sockets without waiting.
    pub fn peek(&mut self) -> io::Result<usize> {
        self.collect(Some(&timespec(0)))
    }

    /// One of the sockets that the last call reported as ready.
    pub fn ready(&self, index: usize) -> ReadySocket {
        self.ready[index]
    }

    fn collect(&mut self, timeout: Option<&Timespec>) -> io::Result<usize> {
        self.ready.clear();
        let mut room = [const { MaybeUninit::<Event>::uninit() }; BATCH];
        match epoll::wait(&self.epoll, &mut room[..], timeout) {
            Ok((events, _)) => {
                for event in events {
                    match event.data.u64() {
                        // An expired timer fires once for each setting.
                        TIMER => self.armed = u64::MAX,
                        _ => self.ready.push(ReadySocket::from(&*event)),
                    }
                }
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(self.ready.len())
    }
}

impl From<&Event> for ReadySocket {
    fn from(event: &Event) -> ReadySocket {
        let flags = event.flags;
        let broken = EventFlags::ERR | EventFlags::HUP;
        ReadySocket {
            token: event.data.u64(),
            readable: flags.intersects(EventFlags::IN | EventFlags::RDHUP | broken),
            writable: flags.intersects(EventFlags::OUT | broken),
        }
    }
}

fn flags(writing: bool) -> EventFlags {
    if writing {
        EventFlags::IN | EventFlags::RDHUP | EventFlags::OUT
    } else {
        EventFlags::IN | EventFlags::RDHUP
    }
}

fn timespec(ns: u64) -> Timespec {
    Timespec {
        tv_sec: (ns / 1_000_000_000) as i64,
        tv_nsec: (ns % 1_000_000_000) as _,
    }
}

/// The timer's token; sockets use smaller ones.
const TIMER: u64 = u64::MAX;
/// The maximum number of events for one call.
const BATCH: usize = 256;
