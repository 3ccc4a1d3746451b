//! The region page: doorbells of the ports and the QR token.
//!
//! One memfd a region, mapped by the region and by every worker. A *port*
//! receives completions: an eventfd and a doorbell with a `sleeping` word and a
//! bitmap of worker numbers. A worker sets its bit, and writes the eventfd only
//! when the port's owner sleeps; so a busy owner costs no system call. A wild
//! store can lose a bit; the owner recovers by a slow full scan of its own
//! slots.
//!
//! Invariant: any bytes are a valid page, and nothing in it is needed to start
//! a worker: every worker can write all of it.
//!
//! If the region's settings ask for it the page is followed by an area that
//! all workers share, for the CWA and GETMAIN SHARED. The area is at the same address in
//! each, so that it may contain pointers into itself.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::layout::CacheLine;
use crate::map::{PAGE, SharedMapping, sealed_memfd};
use crate::qr::{QR_OFFSET, QrToken};

/// Ports of a region; port 0 belongs to its dispatch thread.
pub const PORTS: usize = 32;
/// Most workers that a region may have.
pub const MAX_WORKERS: usize = 1024;

const WORDS: usize = MAX_WORKERS / 64;
const DOORBELL_OFFSET: usize = PAGE;
const PAGE_BYTES: usize = DOORBELL_OFFSET + PORTS * std::mem::size_of::<RegionDoorbell>();
const REGION_BYTES: usize = PAGE_BYTES.div_ceil(PAGE) * PAGE;

#[repr(C, align(64))]
struct RegionDoorbell {
    /// 1 while the owner sleeps or is about to.
    sleeping: CacheLine<AtomicU32>,
    bits: CacheLine<[AtomicU64; WORDS]>,
}

/// The region page and the ports' eventfds, on either side.
pub struct RegionPage {
    map: SharedMapping,
    events: Vec<OwnedFd>,
    /// Holders of the QR token that died, as this side counted them. Not in the
    /// page, which every worker can write.
    deaths: AtomicU64,
    /// Words of a doorbell that the workers there were so far have bits in: with
    /// a few workers it is one of sixteen.
    words: AtomicUsize,
    shared: Option<SharedArea>,
}

/// The area that all workers share, where a worker has it.
pub struct SharedArea {
    address: usize,
    bytes: usize,
}

/// The offset of the count of changes of files' switches.
const FILES_OFFSET: usize = 64;

/// The address of the shared area in workers: far from where Linux puts programs,
/// heaps, stacks and libraries on machines with addresses of 47 bits or more.
const SHARED_ADDRESS: usize = 0x5000_0000_0000;

impl RegionPage {
    /// Makes the page, its eventfds and the QR token.
    pub fn create() -> io::Result<Self> {
        RegionPage::create_with(0)
    }

    /// As [`RegionPage::create`], with an area of so many bytes that all
    /// workers share.
    pub fn create_with(shared_bytes: usize) -> io::Result<Self> {
        let bytes = REGION_BYTES + shared_bytes.next_multiple_of(PAGE);
        let map = SharedMapping::new(sealed_memfd(c"tupelo-region", bytes)?)?;
        let events = (0..PORTS).map(|_| eventfd()).collect::<io::Result<_>>()?;
        Ok(RegionPage::new(map, events, None))
    }

    /// Maps a page that was made elsewhere.
    pub fn open(page: OwnedFd, events: Vec<OwnedFd>) -> io::Result<Self> {
        let map = SharedMapping::new(page)?;
        if map.bytes() < REGION_BYTES || events.len() != PORTS {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let shared = match map.bytes() - REGION_BYTES {
            0 => None,
            bytes => Some(SharedArea::map(map.fd(), bytes)?),
        };
        Ok(RegionPage::new(map, events, shared))
    }

    fn new(map: SharedMapping, events: Vec<OwnedFd>, shared: Option<SharedArea>) -> Self {
        RegionPage {
            map,
            events,
            deaths: AtomicU64::new(0),
            words: AtomicUsize::new(0),
            shared,
        }
    }

    /// The memfd and the eventfds, in the order that [`RegionPage::open`]
    /// takes them.
    pub fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        std::iter::once(self.map.fd()).chain(self.events.iter().map(|e| e.as_fd()))
    }

    /// Address and bytes of the area that all workers share, in a worker of a
    /// region that has one.
    pub fn shared(&self) -> Option<(usize, usize)> {
        self.shared.as_ref().map(|s| (s.address, s.bytes))
    }

    /// Counts the changes of files' switches since the region's start: a worker
    /// that sees another number asks the region again.
    pub fn file_changes(&self) -> u32 {
        self.changes().load(Ordering::Acquire)
    }

    /// A file's switches have changed.
    pub fn count_file_change(&self) {
        self.changes().fetch_add(1, Ordering::Release);
    }

    fn changes(&self) -> &AtomicU32 {
        // SAFETY: an atomic, after the header and before the QR token.
        unsafe { self.map.get::<AtomicU32>(FILES_OFFSET) }
    }

    /// The QR token, for the region.
    pub fn qr(&self) -> QrToken<'_> {
        self.qr_of(MAX_WORKERS)
    }

    /// The QR token, for a worker.
    pub fn qr_of(&self, worker: usize) -> QrToken<'_> {
        // SAFETY: an atomic is valid for any bytes.
        let word = unsafe { self.map.get::<AtomicU32>(QR_OFFSET) };
        QrToken::new(word, worker, &self.deaths)
    }

    /// The port's eventfd: readable when the owner shall drain.
    pub fn event(&self, port: usize) -> BorrowedFd<'_> {
        self.events[port].as_fd()
    }

    /// From now on the bits of this worker are polled.
    pub fn admit(&self, worker: usize) {
        let words = worker / 64 + 1;
        self.words.fetch_max(words.min(WORDS), Ordering::SeqCst);
    }

    /// Notifies a port's owner that this worker has a completion.
    pub fn ring(&self, port: usize, worker: usize) {
        self.mark(port, worker);
        self.nudge(port);
    }

    /// Leaves word that this worker has news; [`RegionPage::nudge`] follows.
    pub fn mark(&self, port: usize, worker: usize) {
        if let (Some(bell), true) = (self.bell(port), worker < MAX_WORKERS) {
            bell.bits.0[worker / 64].fetch_or(1 << (worker % 64), Ordering::SeqCst);
        }
    }

    /// Wakes a port's owner if it sleeps.
    pub fn nudge(&self, port: usize) {
        let Some(bell) = self.bell(port) else {
            return;
        };
        if bell.sleeping.0.load(Ordering::SeqCst) != 0
            && bell.sleeping.0.swap(0, Ordering::SeqCst) != 0
        {
            self.notify(port);
        }
    }

    /// Writes the port's eventfd whatever its owner does.
    pub fn notify(&self, port: usize) {
        let mut count = 1u64.to_ne_bytes();
        let fd = self.events[port].as_raw_fd();
        // SAFETY: eight bytes of a local variable to and from an own
        // descriptor, which does not block.
        unsafe {
            let put = libc::write(fd, count.as_ptr().cast(), count.len());
            if put < 0 && io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock {
                // A wild write has filled the counter: it accepts no further
                // write until it is read.
                libc::read(fd, count.as_mut_ptr().cast(), count.len());
                count = 1u64.to_ne_bytes();
                libc::write(fd, count.as_ptr().cast(), count.len());
            }
        }
    }

    /// Calls `each` with every admitted worker whose bit is set and clears the bits.
    /// Returns whether there was one.
    pub fn drain(&self, port: usize, mut each: impl FnMut(usize)) -> bool {
        let Some(bell) = self.bell(port) else {
            return false;
        };
        let mut any = false;
        for (i, word) in self.bits(bell).iter().enumerate() {
            if word.load(Ordering::Relaxed) == 0 {
                continue;
            }
            let mut bits = word.swap(0, Ordering::SeqCst);
            any |= bits != 0;
            while bits != 0 {
                each(i * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
        any
    }

    /// Announces that the port's owner is about to sleep. When this returns
    /// false there is news already and the owner must drain instead.
    pub fn prepare_sleep(&self, port: usize) -> bool {
        let Some(bell) = self.bell(port) else {
            return true;
        };
        bell.sleeping.0.store(1, Ordering::SeqCst);
        let rings = |w: &AtomicU64| w.load(Ordering::SeqCst) != 0;
        if self.bits(bell).iter().any(rings) {
            bell.sleeping.0.store(0, Ordering::SeqCst);
            return false;
        }
        true
    }

    /// The port's owner is awake: its eventfd need not be written.
    pub fn awake(&self, port: usize) {
        if let Some(bell) = self.bell(port)
            && bell.sleeping.0.load(Ordering::Relaxed) != 0
        {
            bell.sleeping.0.store(0, Ordering::SeqCst);
        }
    }

    /// The words in which workers may have bits.
    fn bits<'b>(&self, bell: &'b RegionDoorbell) -> &'b [AtomicU64] {
        &bell.bits.0[..self.words.load(Ordering::SeqCst)]
    }

    fn bell(&self, port: usize) -> Option<&RegionDoorbell> {
        let at = DOORBELL_OFFSET + port * std::mem::size_of::<RegionDoorbell>();
        // SAFETY: the structure is atomics only.
        (port < PORTS).then(|| unsafe { self.map.get::<RegionDoorbell>(at) })
    }
}

impl SharedArea {
    fn map(fd: BorrowedFd<'_>, bytes: usize) -> io::Result<Self> {
        let wanted = SHARED_ADDRESS as *mut libc::c_void;
        // SAFETY: NOREPLACE refuses a range in which anything is mapped.
        let got = unsafe {
            libc::mmap(
                wanted,
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE,
                fd.as_raw_fd(),
                REGION_BYTES as libc::off_t,
            )
        };
        if got == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let area = SharedArea {
            address: got as usize,
            bytes,
        };
        if got == wanted {
            Ok(area)
        } else {
            // Dropping it takes the mapping back.
            Err(io::ErrorKind::AddrInUse.into())
        }
    }
}

impl Drop for SharedArea {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and its address is no longer used.
        unsafe { libc::munmap(self.address as *mut libc::c_void, self.bytes) };
    }
}

fn eventfd() -> io::Result<OwnedFd> {
    // SAFETY: the result is checked.
    let raw = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
    if raw < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(raw) })
}

const _: () = assert!(FILES_OFFSET + 64 <= QR_OFFSET && QR_OFFSET + 1024 <= PAGE);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_is_drained_once_and_spoils_the_next_sleep() {
        let page = RegionPage::create().unwrap();
        page.admit(700);
        assert!(page.prepare_sleep(3));
        page.awake(3);
        page.ring(3, 700);
        assert!(!page.prepare_sleep(3));
        let mut seen = Vec::new();
        assert!(page.drain(3, |w| seen.push(w)));
        assert_eq!(seen, [700]);
        assert!(!page.drain(3, |_| {}));
        assert!(page.prepare_sleep(3));
    }

    #[test]
    fn what_one_worker_writes_in_the_shared_area_is_there_for_the_next_at_its_address() {
        let page = RegionPage::create_with(5_000).unwrap();
        assert_eq!(page.shared(), None);
        let open = || {
            let mut fds = page
                .descriptors()
                .map(|fd| fd.try_clone_to_owned().unwrap());
            let own = fds.next().unwrap();
            RegionPage::open(own, fds.collect()).unwrap()
        };
        let first = open();
        let (address, bytes) = first.shared().unwrap();
        assert_eq!(bytes, 2 * PAGE);
        // SAFETY: the last byte of the area.
        unsafe { ((address + bytes - 1) as *mut u8).write(7) };
        drop(first);
        let second = open();
        assert_eq!(second.shared(), Some((address, bytes)));
        // SAFETY: as above.
        assert_eq!(unsafe { ((address + bytes - 1) as *const u8).read() }, 7);
    }

    #[test]
    fn only_a_sleeping_owner_is_written_to() {
        let page = RegionPage::create().unwrap();
        let readable = || {
            let mut poll = libc::pollfd {
                fd: page.event(1).as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: one valid pollfd.
            unsafe { libc::poll(&mut poll, 1, 0) == 1 }
        };
        page.ring(1, 5);
        assert!(!readable());
        page.drain(1, |_| {});
        assert!(page.prepare_sleep(1));
        page.ring(1, 5);
        assert!(readable());
    }

    #[test]
    fn an_eventfd_that_was_written_full_still_wakes_its_owner() {
        let page = RegionPage::create().unwrap();
        let full = (u64::MAX - 1).to_ne_bytes();
        let fd = page.event(2).as_raw_fd();
        // SAFETY: eight bytes to a live descriptor.
        let put = unsafe { libc::write(fd, full.as_ptr().cast(), 8) };
        assert_eq!(put, 8);
        page.notify(2);
        let mut count = [0u8; 8];
        // SAFETY: room for eight bytes.
        let got = unsafe { libc::read(fd, count.as_mut_ptr().cast(), 8) };
        assert_eq!((got, u64::from_ne_bytes(count)), (8, 1));
    }

    #[test]
    fn a_page_of_any_bytes_is_opened_and_works() {
        for byte in [0u8, 0xFF, 0x5A] {
            let page = RegionPage::create().unwrap();
            // SAFETY: the page is the test's own, all of it.
            unsafe { std::ptr::write_bytes(page.map.at(0), byte, REGION_BYTES) };
            let mut fds = page
                .descriptors()
                .map(|fd| fd.try_clone_to_owned().unwrap());
            let memory = fds.next().unwrap();
            let again = RegionPage::open(memory, fds.collect()).unwrap();
            let (_, word) = again.qr().holder();
            page.qr().take_away(word, false);
            again.qr_of(5).take().unwrap();
            page.admit(MAX_WORKERS - 1);
            page.drain(4, |_| {});
            again.ring(4, 9);
            let mut rung = Vec::new();
            page.drain(4, |worker| rung.push(worker));
            assert_eq!(rung, [9]);
        }
    }

    #[test]
    fn bits_of_workers_that_were_not_admitted_are_ignored() {
        let page = RegionPage::create().unwrap();
        page.ring(3, 64);
        assert!(page.prepare_sleep(3));
        page.admit(63);
        assert!(!page.drain(3, |_| {}));
        page.admit(64);
        assert!(!page.prepare_sleep(3));
        let mut workers = Vec::new();
        page.drain(3, |worker| workers.push(worker));
        assert_eq!(workers, [64]);
    }

    #[test]
    fn numbers_out_of_range_ring_nothing() {
        let page = RegionPage::create().unwrap();
        page.admit(usize::MAX);
        page.ring(PORTS, 0);
        page.ring(0, MAX_WORKERS);
        assert!(!page.drain(0, |_| {}));
    }
}
