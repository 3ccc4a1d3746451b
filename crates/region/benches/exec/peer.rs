//! The bare peers: what two processes with shared memory can do at best.
//!
//! [`ServerProcess::round_trips`] is a futex ping-pong: one word each way, both sides
//! asleep in between. [`ServerProcess::ring`] is a ring that works in batches: the
//! asking side keeps a number of requests outstanding, the other side runs an
//! empty program with two clock reads for each and wakes no thread before all
//! requests are done, and a side sleeps only when it finds nothing to do.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const SLOTS: usize = 64;

/// A child process that serves on a shared page.
pub struct ServerProcess {
    page: &'static SharedPage,
    child: libc::pid_t,
}

/// Figures of a run of the ring.
pub struct RingRun {
    /// Requests served.
    pub requests: u64,
    /// CPU time of both sides.
    pub cpu: Duration,
}

#[repr(C)]
struct SharedPage {
    ask: CacheLine<AtomicU32>,
    answer: CacheLine<AtomicU32>,
    head: CacheLine<AtomicU64>,
    tail: CacheLine<AtomicU64>,
    server_sleeps: CacheLine<AtomicU32>,
    client_sleeps: CacheLine<AtomicU32>,
    slots: [CacheLine<RequestSlot>; SLOTS],
}

#[repr(C, align(64))]
struct CacheLine<T>(T);

#[repr(C)]
struct RequestSlot {
    request: AtomicU64,
    started: AtomicU64,
    ended: AtomicU64,
}

const STOP: u32 = u32::MAX;

impl ServerProcess {
    /// A peer for ping-pong.
    pub fn ping_pong() -> ServerProcess {
        ServerProcess::start(serve_ping)
    }

    /// A peer for the ring.
    pub fn ring_server() -> ServerProcess {
        ServerProcess::start(serve_ring)
    }

    /// The time of `n` round trips.
    pub fn round_trips(&self, n: u32) -> Duration {
        let first = self.page.answer.0.load(Ordering::SeqCst);
        let start = Instant::now();
        for i in 1..=n {
            let turn = first + i;
            self.page.ask.0.store(turn, Ordering::SeqCst);
            wake(&self.page.ask.0);
            while self.page.answer.0.load(Ordering::SeqCst) != turn {
                wait(&self.page.answer.0, turn - 1);
            }
        }
        start.elapsed()
    }

    /// Sends requests through the ring for a while, `outstanding` at once.
    pub fn ring(&self, outstanding: u64, time: Duration) -> RingRun {
        let page = self.page;
        let cpu = || own_cpu() + process_cpu(self.child);
        let cpu_before = cpu();
        let first = page.tail.0.load(Ordering::SeqCst);
        let mut sent = page.head.0.load(Ordering::SeqCst);
        let start = Instant::now();
        loop {
            let done = page.tail.0.load(Ordering::SeqCst);
            if start.elapsed() >= time {
                break;
            }
            if sent - done >= outstanding {
                page.client_sleeps.0.store(1, Ordering::SeqCst);
                if page.tail.0.load(Ordering::SeqCst) == done {
                    wait(&page.client_sleeps.0, 1);
                }
                page.client_sleeps.0.store(0, Ordering::SeqCst);
                continue;
            }
            while sent - done < outstanding {
                let slot = &page.slots[sent as usize % SLOTS].0;
                slot.request.store(sent, Ordering::Relaxed);
                sent += 1;
            }
            page.head.0.store(sent, Ordering::SeqCst);
            if page.server_sleeps.0.load(Ordering::SeqCst) != 0
                && page.server_sleeps.0.swap(0, Ordering::SeqCst) != 0
            {
                wake(&page.server_sleeps.0);
            }
        }
        while page.tail.0.load(Ordering::SeqCst) != sent {
            std::thread::yield_now();
        }
        RingRun {
            requests: sent - first,
            cpu: cpu() - cpu_before,
        }
    }

    fn start(serve: fn(&SharedPage)) -> ServerProcess {
        // SAFETY: a fresh anonymous mapping, large enough for the page, whose
        // zeros are valid atomics. The child of the fork runs `serve` alone,
        // which allocates nothing and makes futex and clock calls only.
        unsafe {
            let memory = libc::mmap(
                std::ptr::null_mut(),
                std::mem::size_of::<SharedPage>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(memory, libc::MAP_FAILED);
            let page: &'static SharedPage = &*memory.cast::<SharedPage>();
            let child = libc::fork();
            assert!(child >= 0);
            if child == 0 {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                serve(page);
                libc::_exit(0);
            }
            ServerProcess { page, child }
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // SAFETY: our own child.
        unsafe {
            libc::kill(self.child, libc::SIGKILL);
            libc::waitpid(self.child, std::ptr::null_mut(), 0);
        }
    }
}

fn serve_ping(page: &SharedPage) {
    let mut last = 0;
    loop {
        let turn = page.ask.0.load(Ordering::SeqCst);
        if turn == STOP {
            return;
        }
        if turn == last {
            wait(&page.ask.0, last);
            continue;
        }
        last = turn;
        page.answer.0.store(turn, Ordering::SeqCst);
        wake(&page.answer.0);
    }
}

fn serve_ring(page: &SharedPage) {
    let mut done = 0;
    loop {
        if page.head.0.load(Ordering::SeqCst) == done {
            page.server_sleeps.0.store(1, Ordering::SeqCst);
            if page.head.0.load(Ordering::SeqCst) == done {
                wait(&page.server_sleeps.0, 1);
            }
            page.server_sleeps.0.store(0, Ordering::SeqCst);
            continue;
        }
        let asked = page.head.0.load(Ordering::SeqCst);
        while done < asked {
            let slot = &page.slots[done as usize % SLOTS].0;
            slot.started
                .store(clock(libc::CLOCK_MONOTONIC), Ordering::Relaxed);
            std::hint::black_box(slot.request.load(Ordering::Relaxed));
            slot.ended
                .store(clock(libc::CLOCK_MONOTONIC), Ordering::Relaxed);
            done += 1;
        }
        page.tail.0.store(done, Ordering::SeqCst);
        if page.client_sleeps.0.load(Ordering::SeqCst) != 0
            && page.client_sleeps.0.swap(0, Ordering::SeqCst) != 0
        {
            wake(&page.client_sleeps.0);
        }
    }
}

/// CPU time of this process.
pub fn own_cpu() -> Duration {
    Duration::from_nanos(clock(libc::CLOCK_PROCESS_CPUTIME_ID))
}

/// CPU time of another process; zero when it is gone.
pub fn process_cpu(pid: libc::pid_t) -> Duration {
    let mut id = 0;
    // SAFETY: the clock id is written by the call.
    match unsafe { libc::clock_getcpuclockid(pid, &mut id) } {
        0 => Duration::from_nanos(clock(id)),
        _ => Duration::ZERO,
    }
}

fn clock(id: libc::clockid_t) -> u64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the timespec is written by the call.
    unsafe { libc::clock_gettime(id, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

fn wait(word: &AtomicU32, expected: u32) {
    // SAFETY: a futex wait on a live word, without a timeout.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            expected,
            std::ptr::null::<libc::timespec>(),
        );
    }
}

fn wake(word: &AtomicU32) {
    // SAFETY: a futex wake on a live word.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1);
    }
}
