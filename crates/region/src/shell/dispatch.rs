//! The dispatch thread: mid-task calls, timers and deaths.
//!
//! It owns port 0. It sleeps in epoll and looks at the limits a few times a
//! second; it looks every millisecond only while a task is queued behind
//! another, and for a little while after.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

use super::Shared;
use super::clock::now_ns;
use super::process::{Order, Started, describe};

/// Milliseconds between two looks at the limits.
const COARSE_MS: u64 = 50;
/// Looks without anything queued after which the thread rests.
const CALM_TICKS: u32 = 20;
/// Milliseconds that idle workers have to end by themselves at the end.
const FAREWELL_MS: u64 = 1_000;
/// Marks port 0 among the events.
const PORT_EVENT: u64 = u64::MAX;

/// The dispatch thread's own state.
pub struct Dispatch {
    shared: Arc<Shared>,
    epoll: OwnedFd,
    started: Receiver<Started>,
    children: HashMap<u64, Started>,
    next_child: u64,
}

impl Dispatch {
    /// Watches port 0.
    pub fn new(shared: Arc<Shared>, started: Receiver<Started>) -> io::Result<Self> {
        // SAFETY: the result is checked.
        let raw = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        let dispatch = Dispatch {
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
        let mut calm = 0;
        let mut coarse_at = now_ns() + COARSE_MS * 1_000_000;
        while !self.shared.is_stopping() {
            let fine = self.shared.fine.load(Ordering::SeqCst);
            if !self.hear() && self.shared.page.prepare_sleep(0) {
                let left = coarse_at.saturating_sub(now_ns()).div_ceil(1_000_000);
                self.sleep(if fine { 1 } else { left.min(COARSE_MS) as i32 });
            }
            let now = now_ns();
            if fine {
                let shared = &self.shared;
                shared.with(|core, links, out| {
                    core.fine_tick(now, links, out);
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
                self.shared
                    .with(|core, links, out| core.coarse_tick(now, links, out));
                self.shared.tick_files(now);
            }
        }
        self.end();
    }

    /// Hears calls and completions at port 0; true when there were some.
    fn hear(&self) -> bool {
        let shared = &self.shared;
        shared.page.awake(0);
        let mut any = false;
        shared.page.drain(0, |worker| {
            any = true;
            shared.serve_call(worker);
            shared.with(|core, links, out| core.hear(now_ns(), links, worker, Some(0), out));
        });
        any
    }

    fn sleep(&mut self, timeout_ms: i32) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 32];
        // SAFETY: room for 32 events.
        let n = unsafe {
            libc::epoll_wait(self.epoll.as_raw_fd(), events.as_mut_ptr(), 32, timeout_ms)
        };
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
        if let Some(link) = self.shared.lock().links.get(worker) {
            link.pid.store(0, Ordering::Relaxed);
        }
        let (clean, how) = match started.child.wait() {
            Ok(status) => describe(status),
            Err(error) => (false, error.to_string()),
        };
        if !clean {
            tracing::warn!(worker, how, "a worker process ended");
        }
        self.shared.worker_gone();
        self.shared
            .with(|core, links, out| core.dead(now_ns(), links, worker, clean, &how, out));
    }

    /// Lets the workers end by themselves for a moment, then ends them.
    fn end(&mut self) {
        for link in self.shared.lock().links.all() {
            link.side.retire();
        }
        self.adopt();
        let deadline = now_ns() + FAREWELL_MS * 1_000_000;
        while !self.children.is_empty() && now_ns() < deadline {
            self.sleep(10);
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
