//! The memory of this process that clients use, and its bound.
//!
//! Clients control the memory of request bodies that are not complete and of
//! answers that are not read. Each connection has an account of it; all
//! accounts together stay below one limit. A request that needs more than is left waits
//! for a moment, in which the slowest clients are closed (see `conn`), or is refused.
//!
//! Invariant: nothing is counted that is not held by a [`ReservedMemory`].

use super::share::{AnswerShare, BudgetShare};
use bytes::Bytes;
use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Bytes up to which a body is small. A quarter of the limit is kept for
/// small bodies, so that large bodies never shut out ordinary requests.
pub(crate) const SMALL: usize = 64 << 10;
/// Bytes by which the use must have fallen before free memory is returned to the system.
const WORTH_TRIMMING: usize = 8 << 20;
/// The bound of idle connections' buffers, which vary with clients that pause.
const MANY_BUFFERS: usize = 32 << 20;
/// Bytes that a connection uses after its first bytes, about.
const CONNECTION: usize = 28 << 10;
/// Blocks from this size on are the kernel's again as soon as they are freed.
#[cfg(target_env = "gnu")]
const MAPPED_FROM: libc::c_int = 1 << 20;

/// The memory of all connections of a gateway.
#[derive(Debug)]
pub(crate) struct GatewayMemory {
    limit: usize,
    held: AtomicUsize,
    /// Connections there are.
    connections: AtomicUsize,
    /// Most that was in use since free memory was returned to the system.
    peak: AtomicUsize,
    /// Bytes that requests wait for.
    wanted: AtomicUsize,
    waiting: Mutex<Vec<Waker>>,
    /// Bytes of buffers that connections gave back since the last trimming.
    freed: AtomicUsize,
}

impl GatewayMemory {
    pub fn new(limit: usize) -> GatewayMemory {
        GatewayMemory {
            limit,
            held: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            wanted: AtomicUsize::new(0),
            waiting: Mutex::default(),
            freed: AtomicUsize::new(0),
        }
    }

    /// Bytes held now.
    pub fn held(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// Bytes that requests wait for; 0 while there is enough.
    pub fn wanted(&self) -> usize {
        self.wanted.load(Relaxed)
    }

    /// Bytes in use, with what connections take by themselves.
    fn used(&self) -> usize {
        self.held() + self.connections.load(Relaxed) * CONNECTION
    }

    fn take(&self, bytes: usize) -> bool {
        let bound = if bytes <= SMALL {
            self.limit
        } else {
            self.limit / 4 * 3
        };
        let taken = self.held.fetch_update(Relaxed, Relaxed, |held| {
            // A request larger than the bound has it alone.
            let alone = bytes > bound && held <= self.limit / 4;
            (alone || held + bytes <= bound).then_some(held + bytes)
        });
        if taken.is_ok() {
            let used = self.used();
            // Nearly always it is not, and a look is cheaper.
            if used > self.peak.load(Relaxed) {
                self.peak.fetch_max(used, Relaxed);
            }
        }
        taken.is_ok()
    }

    fn give(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Relaxed);
        if self.wanted() > 0 {
            let waiting = std::mem::take(&mut *self.lock());
            waiting.into_iter().for_each(Waker::wake);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Waker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes bytes that were released in addition to accounted ones.
    pub fn freed(&self, bytes: usize) {
        if bytes > 0 {
            self.freed.fetch_add(bytes, Relaxed);
        }
    }

    /// True when much memory was used and has not been returned yet.
    pub fn wants_trimming(&self) -> bool {
        let (used, peak) = (self.used(), self.peak.load(Relaxed));
        used <= peak / 2 && peak - used >= WORTH_TRIMMING
            || self.freed.load(Relaxed) >= MANY_BUFFERS
    }

    /// Returns free memory to the system after much of it was used.
    pub fn trim(&self) {
        let (used, peak) = (self.used(), self.peak.load(Relaxed));
        let taken = |used| self.peak.compare_exchange(peak, used, Relaxed, Relaxed);
        if self.wants_trimming() && taken(used).is_ok() {
            self.freed.store(0, Relaxed);
            // SAFETY: a plain call; the allocator takes its own locks.
            #[cfg(target_env = "gnu")]
            unsafe {
                libc::malloc_trim(0)
            };
        }
    }
}

/// Configures the allocator to return large blocks to the system as soon as
/// they are freed.
pub(crate) fn return_large_blocks() {
    // SAFETY: plain calls that set two numbers of the allocator. Its own
    // threshold would grow with the largest block ever freed, and a single
    // large answer would be kept for ever.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 32 * MAPPED_FROM);
    }
}

/// The memory of one connection.
#[derive(Debug)]
pub(crate) struct ConnectionAccount {
    memory: Arc<GatewayMemory>,
    held: AtomicUsize,
    answers: AtomicUsize,
}

impl ConnectionAccount {
    pub fn new(memory: Arc<GatewayMemory>) -> Arc<ConnectionAccount> {
        memory.connections.fetch_add(1, Relaxed);
        memory.peak.fetch_max(memory.used(), Relaxed);
        Arc::new(ConnectionAccount {
            memory,
            held: AtomicUsize::new(0),
            answers: AtomicUsize::new(0),
        })
    }

    /// Bytes it holds.
    pub fn held(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// Answers that its client has not read to the end.
    pub fn answers(&self) -> usize {
        self.answers.load(Relaxed)
    }

    /// Takes bytes if there are as many.
    pub fn hold(self: &Arc<ConnectionAccount>, bytes: usize) -> Option<ReservedMemory> {
        self.memory.take(bytes).then(|| {
            self.held.fetch_add(bytes, Relaxed);
            ReservedMemory {
                account: self.clone(),
                bytes,
                answer: false,
                share: AnswerShare::default(),
            }
        })
    }

    /// Takes bytes, or wants them until it is polled again or dropped.
    pub fn poll_hold(
        self: &Arc<ConnectionAccount>,
        wish: &mut MemoryRequest,
        cx: &mut Context<'_>,
    ) -> Poll<ReservedMemory> {
        if let Some(held) = self.hold(wish.bytes) {
            return Poll::Ready(held);
        }
        if !wish.notified {
            wish.notified = true;
            self.memory.wanted.fetch_add(wish.bytes, Relaxed);
        }
        self.memory.lock().push(cx.waker().clone());
        // Memory that was released before the waker was registered woke no
        // request.
        self.hold(wish.bytes).map_or(Poll::Pending, Poll::Ready)
    }
}

impl Drop for ConnectionAccount {
    fn drop(&mut self) {
        self.memory.connections.fetch_sub(1, Relaxed);
    }
}

/// A request's wait for memory.
#[derive(Debug)]
pub(crate) struct MemoryRequest {
    account: Arc<ConnectionAccount>,
    bytes: usize,
    notified: bool,
}

impl MemoryRequest {
    pub fn new(account: Arc<ConnectionAccount>, bytes: usize) -> MemoryRequest {
        MemoryRequest {
            account,
            bytes,
            notified: false,
        }
    }
}

impl Drop for MemoryRequest {
    fn drop(&mut self) {
        if self.notified {
            self.account.memory.wanted.fetch_sub(self.bytes, Relaxed);
        }
    }
}

/// Memory that is accounted for until this is dropped.
#[derive(Debug)]
pub(crate) struct ReservedMemory {
    account: Arc<ConnectionAccount>,
    bytes: usize,
    answer: bool,
    /// Its part of what its connection may have at work.
    share: AnswerShare,
}

impl ReservedMemory {
    /// Accounts for another number of bytes from now on; false, and as it was,
    /// if there are not as many.
    pub fn resize(&mut self, bytes: usize) -> bool {
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            if !self.account.memory.take(more) {
                return false;
            }
            self.account.held.fetch_add(more, Relaxed);
        } else {
            self.account.held.fetch_sub(self.bytes - bytes, Relaxed);
            self.account.memory.give(self.bytes - bytes);
        }
        self.bytes = bytes;
        true
    }

    /// Bytes that it accounts for.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds what another holds of the same account.
    pub fn join(&mut self, mut other: ReservedMemory) {
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// An answer's memory takes its part of the connection's share with it.
    pub fn with(mut self, share: BudgetShare) -> ReservedMemory {
        self.share = share.made(self.bytes);
        self
    }

    /// An answer that is accounted for until its last byte is written.
    pub fn answer(mut self, bytes: Vec<u8>) -> Bytes {
        self.answer = true;
        self.account.answers.fetch_add(1, Relaxed);
        Bytes::from_owner(Answer { bytes, _held: self })
    }
}

impl Drop for ReservedMemory {
    fn drop(&mut self) {
        if self.answer {
            self.account.answers.fetch_sub(1, Relaxed);
        }
        self.account.held.fetch_sub(self.bytes, Relaxed);
        self.account.memory.give(self.bytes);
    }
}

struct Answer {
    bytes: Vec<u8>,
    _held: ReservedMemory,
}

impl Drop for Answer {
    fn drop(&mut self) {
        keep(std::mem::take(&mut self.bytes));
    }
}

thread_local! {
    /// Buffers of answers that were written.
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Buffers that a door keeps for the next answers: those that the allocator would
/// have to search for. Smaller ones it has at hand, larger ones are few.
const KEPT: usize = 64;
const KEPT_BYTES: RangeInclusive<usize> = (1 << 10)..=(16 << 10);

/// An empty buffer with room for so many bytes.
pub(crate) fn buffer(bytes: usize) -> Vec<u8> {
    let spare = || SPARE.with_borrow_mut(Vec::pop);
    let kept = KEPT_BYTES.contains(&bytes).then(spare).flatten();
    kept.filter(|kept| kept.capacity() >= bytes)
        .unwrap_or_else(|| Vec::with_capacity(bytes))
}

/// Keeps a buffer for a next answer, if it is worth it.
fn keep(mut buffer: Vec<u8>) {
    if KEPT_BYTES.contains(&buffer.capacity()) {
        buffer.clear();
        // A thread that ends keeps nothing any more.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < KEPT {
                spare.push(buffer);
            }
        });
    }
}

impl AsRef<[u8]> for Answer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(limit: usize) -> Arc<ConnectionAccount> {
        ConnectionAccount::new(Arc::new(GatewayMemory::new(limit)))
    }

    #[test]
    fn a_quarter_is_kept_for_what_is_small() {
        let account = account(4 << 20);
        let large: Vec<ReservedMemory> = (0..4).filter_map(|_| account.hold(1 << 20)).collect();
        assert_eq!(large.len(), 3);
        let small: Vec<ReservedMemory> = (0..20).filter_map(|_| account.hold(SMALL)).collect();
        assert_eq!(small.len(), 16);
        assert_eq!(account.memory.held(), 4 << 20);
        drop((large, small));
        assert_eq!((account.held(), account.memory.held()), (0, 0));
    }

    #[test]
    fn what_is_larger_than_the_limit_is_served_alone() {
        let account = account(1 << 20);
        let small = account.hold(SMALL).unwrap();
        let large = account.hold(8 << 20).unwrap();
        assert!(account.hold(1).is_none());
        drop((small, large));
        assert_eq!(account.memory.held(), 0);
    }

    #[test]
    fn an_answer_is_held_until_its_last_slice_goes() {
        let account = account(1 << 20);
        let bytes = account.hold(5).unwrap().answer(b"hello".to_vec());
        let tail = bytes.slice(4..);
        drop(bytes);
        assert_eq!((account.answers(), account.held()), (1, 5));
        drop(tail);
        assert_eq!((account.answers(), account.held()), (0, 0));
    }

    #[test]
    fn a_buffer_of_an_answer_that_was_written_is_there_for_the_next() {
        let account = account(1 << 20);
        let mut bytes = buffer(2_000);
        bytes.extend_from_slice(&[b'x'; 2_000]);
        let at = bytes.as_ptr();
        drop(account.hold(2_000).unwrap().answer(bytes));
        let next = buffer(1_500);
        assert_eq!((next.as_ptr(), next.len()), (at, 0));
        drop(account.hold(0).unwrap().answer(next));
        assert!(buffer(3_000).capacity() >= 3_000);
    }

    #[test]
    fn who_waits_is_woken_by_what_is_given_back() {
        let account = account(1 << 20);
        let mut held = account.hold(SMALL * 12).unwrap();
        let mut wish = MemoryRequest::new(account.clone(), SMALL * 2);
        let mut cx = Context::from_waker(Waker::noop());
        assert!(account.poll_hold(&mut wish, &mut cx).is_pending());
        assert_eq!(account.memory.wanted(), SMALL * 2);
        assert!(!held.resize(SMALL * 16));
        assert!(held.resize(SMALL));
        assert!(account.memory.lock().is_empty());
        assert!(account.poll_hold(&mut wish, &mut cx).is_ready());
        drop(wish);
        assert_eq!(account.memory.wanted(), 0);
    }
}
