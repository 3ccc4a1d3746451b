//! The dispatch thread: mid-task calls, timers and deaths.
//!
//! The thread owns port 0. It sleeps in epoll until something is due: an alarm of the
//! kernel, to the microsecond, or the limits of tasks and workers, a few times
//! a second while there is something to limit. It looks every millisecond or two only
//! while a task is queued after another, and for a little while after. An idle
//! region wakes no thread.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

use super::SharedRegion;
use super::clock::now_ns;
use super::disk::DiskReserve;
use super::kernel_host::become_dispatch;
use super::process::{Order, StartedProcess, describe};
use super::token::TokenWatch;
use super::wakes::{become_answering, wake_answered};

/// Milliseconds between two looks at the limits.
const COARSE_MS: u64 = 50;
/// Nanoseconds between two looks at tasks that are queued after others, while
/// tasks end in time: a look costs as much as a few brief programs.
const LOOK_NS: u64 = 1_000_000;
const EASY_LOOK_NS: u64 = 2 * LOOK_NS;
/// Looks without anything queued after which the thread rests.
const CALM_TICKS: u32 = 20;
/// Milliseconds that idle workers have to end by themselves at the end.
const FAREWELL_MS: u64 = 1_000;
/// Marks port 0 among the events.
const PORT_EVENT: u64 = u64::MAX;

/// The dispatch thread's own state.
pub struct DispatchThread {
    shared: Arc<SharedRegion>,
    epoll: OwnedFd,
    started: Receiver<StartedProcess>,
    children: HashMap<u64, StartedProcess>,
    next_child: u64,
}

impl DispatchThread {
    /// Watches port 0.
    pub fn new(shared: Arc<SharedRegion>, started: Receiver<StartedProcess>) -> io::Result<Self> {
        // SAFETY: the result is checked.
        let raw = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        let dispatch = DispatchThread {
            // SAFETY: a fresh descriptor.
            epoll: unsafe { OwnedFd::from_raw_fd(raw) },
            shared,
            started,
            children: HashMap::new(),
            next_child: 0,
        };
        // Edge-triggered: the eventfd is never read, every write is an edge.
        let edge = (libc::EPOLLIN | libc::EPOLLET) as u32;
        dispatch.watch(dispatch.shared.page.event(0), edge, PORT_EVENT)?;
        Ok(dispatch)
    }

    /// The thread.
    pub fn run(mut self) {
        become_dispatch();
        become_answering();
        let (mut calm, mut pause, mut token) = (0, LOOK_NS, TokenWatch::default());
        let mut disk = DiskReserve::new(&self.shared.config);
        let mut coarse_at = now_ns() + COARSE_MS * 1_000_000;
        while !self.shared.is_stopping() {
            let fine = self.shared.fine.load(Ordering::SeqCst);
            if !self.poll_port() && self.shared.page.prepare_sleep(0) {
                self.sleep_until(self.next_look(fine.then_some(pause), coarse_at));
            }
            let now = now_ns();
            self.shared.take_alarms(now);
            wake_answered();
            if fine {
                let shared = &self.shared;
                shared.with(|core, cx| {
                    pause = if core.fine_tick(cx) {
                        EASY_LOOK_NS
                    } else {
                        LOOK_NS
                    };
                    calm = if core.wants_fine_tick() { 0 } else { calm + 1 };
                    // Under the lock: a wish that comes later finds it unset.
                    if calm > CALM_TICKS {
                        calm = 0;
                        shared.fine.store(false, Ordering::SeqCst);
                    }
                });
            }
            if now >= coarse_at {
                coarse_at = now + COARSE_MS * 1_000_000;
                token.check_holder(&self.shared);
                self.shared.with(|core, cx| core.coarse_tick(cx));
                if let Some(is_short) = disk.check(now) {
                    self.shared.disk_changed(is_short);
                }
                self.shared.inboxes.open_all();
                if let Some(port) = self.shared.terminal_port.left() {
                    self.shared.drain(port);
                }
            }
            wake_answered();
        }
        self.end();
    }

    /// Takes calls and completions at port 0; true when there were some.
    fn poll_port(&self) -> bool {
        let shared = &self.shared;
        shared.page.awake(0);
        let mut any = false;
        shared.page.drain(0, |worker| {
            any = true;
            shared.serve_call(worker);
            shared.with(|core, cx| core.poll_completions(cx, worker, Some(0)));
        });
        wake_answered();
        any
    }

    /// When the thread must look again if nothing wakes it before.
    fn next_look(&self, fine: Option<u64>, coarse_at: u64) -> u64 {
        let alarm = self.shared.alarm.load(Ordering::SeqCst);
        let limits = match fine {
            Some(pause) => now_ns() + pause,
            None => self.shared.rest_until().unwrap_or(coarse_at),
        };
        alarm.min(limits)
    }

    /// Sleeps until something happens, or until an instant; `u64::MAX` is
    /// never.
    fn sleep_until(&mut self, at: u64) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 32];
        let left = at.saturating_sub(now_ns());
        let time = libc::timespec {
            tv_sec: (left / 1_000_000_000) as libc::time_t,
            tv_nsec: (left % 1_000_000_000) as libc::c_long,
        };
        let limit = match at {
            u64::MAX => std::ptr::null(),
            _ => &raw const time,
        };
        let room = events.len() as libc::c_int;
        // SAFETY: room for that many events, and a time that outlives the call.
        let mut n = unsafe {
            let (epoll, to) = (self.epoll.as_raw_fd(), events.as_mut_ptr());
            let no_mask: *const libc::sigset_t = std::ptr::null();
            libc::syscall(libc::SYS_epoll_pwait2, epoll, to, room, limit, no_mask, 8)
        };
        if n < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ENOSYS) {
            // Before Linux 5.11: to the millisecond, and never early.
            let ms = match at {
                u64::MAX => -1,
                _ => left.div_ceil(1_000_000).min(60_000) as libc::c_int,
            };
            let (epoll, to) = (self.epoll.as_raw_fd(), events.as_mut_ptr());
            // SAFETY: room for that many events.
            n = unsafe { libc::epoll_wait(epoll, to, room, ms) }.into();
        }
        self.shared.page.awake(0);
        self.adopt();
        for event in &events[..n.max(0) as usize] {
            if event.u64 != PORT_EVENT {
                self.bury(event.u64);
            }
        }
    }

    /// Watches the processes that the spawner started.
    fn adopt(&mut self) {
        while let Ok(started) = self.started.try_recv() {
            let id = self.next_child;
            self.next_child += 1;
            if let Err(error) = self.watch(started.pidfd.as_fd(), libc::EPOLLIN as u32, id) {
                tracing::error!(%error, "a worker cannot be watched, so it is ended");
                self.shared.order(Order::Kill(started.worker));
            }
            self.children.insert(id, started);
        }
    }

    /// Takes the end of a process in.
    fn bury(&mut self, id: u64) {
        let Some(mut started) = self.children.remove(&id) else {
            return;
        };
        let worker = started.worker;
        // Once it is reaped, its number may be another process's.
        let link = self.shared.lock().links.get(worker).cloned();
        if let Some(link) = &link {
            link.pid.store(super::links::ENDED, Ordering::Relaxed);
            self.shared.end_guests(link);
            self.shared
                .act_failed(link, crate::api::WorkerRequestError::Gone);
        }
        let (clean, how) = match started.child.wait() {
            Ok(status) => describe(status),
            Err(error) => (false, error.to_string()),
        };
        if !clean {
            tracing::warn!(worker, how, "a worker process ended");
            link.iter().for_each(|l| self.shared.dead_rings.keep(l));
        }
        link.iter().for_each(|l| self.shared.past_counts.keep(l));
        link.iter().for_each(|l| self.shared.past_uses.keep(l));
        self.shared.token_of_dead(worker);
        self.shared.worker_ended();
        self.shared
            .with(|core, cx| core.dead(cx, worker, clean, &how));
    }

    /// Lets the workers end by themselves for a moment, then ends them.
    fn end(&mut self) {
        for link in self.shared.lock().links.all() {
            link.side.retire();
        }
        self.adopt();
        let deadline = now_ns() + FAREWELL_MS * 1_000_000;
        while !self.children.is_empty() && now_ns() < deadline {
            self.sleep_until(now_ns() + 10_000_000);
        }
        for started in self.children.values_mut() {
            let _ = started.child.kill();
            let _ = started.child.wait();
        }
        self.shared.order(Order::Stop);
    }

    fn watch(&self, fd: BorrowedFd<'_>, events: u32, id: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events, u64: id };
        // SAFETY: valid descriptors and event.
        let rc = unsafe {
            libc::epoll_ctl(
                self.epoll.as_raw_fd(),
                libc::EPOLL_CTL_ADD,
                fd.as_raw_fd(),
                &mut event,
            )
        };
        if rc < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}
