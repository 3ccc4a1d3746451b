//! The loop by itself, with a port of no region.

use super::*;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

mod random;

/// A port of no region.
struct TestPort {
    event: OwnedFd,
    woken: Mutex<Vec<Waker>>,
    /// How often it was polled without a sleep.
    polls: AtomicUsize,
}

impl TestPort {
    fn open(&self) -> bool {
        let woken = std::mem::take(&mut *self.woken.lock().unwrap());
        let any = !woken.is_empty();
        woken.into_iter().for_each(Waker::wake);
        any
    }
}

impl RegionPort for TestPort {
    fn event(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }

    fn rest(&self) -> bool {
        !self.open()
    }

    fn rested(&self) {
        self.open();
    }

    fn poll_completions(&self) {
        self.polls.fetch_add(1, Ordering::Relaxed);
        self.open();
    }

    fn wake(&self, waker: Waker) {
        self.woken.lock().unwrap().push(waker);
        // SAFETY: eight bytes to a live descriptor.
        unsafe { libc::write(self.event.as_raw_fd(), [1u64].as_ptr().cast(), 8) };
    }
}

fn door() -> Arc<TestPort> {
    // SAFETY: a fresh descriptor.
    let event = unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, libc::EFD_NONBLOCK)) };
    Arc::new(TestPort {
        event,
        woken: Mutex::default(),
        polls: AtomicUsize::new(0),
    })
}

fn reactor() -> Rc<EpollReactor> {
    EpollReactor::new(door()).unwrap()
}

/// Ends a loop, also when a future that has it fails.
struct Ends(Rc<EpollReactor>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Runs a future in a loop, to its end.
fn run<F: Future<Output = ()> + 'static>(make: impl FnOnce(Rc<EpollReactor>) -> F) {
    let reactor = reactor();
    let (future, ends) = (make(reactor.clone()), Ends(reactor.clone()));
    let done = Rc::new(Cell::new(false));
    let is_done = done.clone();
    reactor.spawn(async move {
        let _ends = ends;
        future.await;
        is_done.set(true);
    });
    reactor.run();
    assert!(done.get(), "the future to run has failed");
}

#[test]
fn a_socket_is_read_to_its_end_in_pieces_however_they_come() {
    run(|reactor| async move {
        let (own, mut client) = UnixStream::pair().unwrap();
        own.set_nonblocking(true).unwrap();
        let socket = reactor.register(own.as_fd()).unwrap();
        let client = std::thread::spawn(move || {
            for n in 0..100u8 {
                client.write_all(&[n; 5]).unwrap();
                if n % 10 == 0 {
                    std::thread::yield_now();
                }
            }
        });
        let (mut all, mut piece) = (Vec::new(), [0; 64]);
        loop {
            poll_fn(|cx| socket.poll_readable(cx)).await;
            match socket.read(piece.len(), || (&own).read(&mut piece)) {
                Ok(0) => break,
                Ok(count) => all.extend_from_slice(&piece[..count]),
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
            }
        }
        client.join().unwrap();
        let sent: Vec<u8> = (0..100).flat_map(|n| [n; 5]).collect();
        assert_eq!(all, sent);
    });
}

#[test]
fn who_cannot_write_more_waits_until_the_client_has_read() {
    run(|reactor| async move {
        let (own, mut client) = UnixStream::pair().unwrap();
        own.set_nonblocking(true).unwrap();
        let socket = reactor.register(own.as_fd()).unwrap();
        let mut left: &[u8] = &vec![7; 4 << 20];
        let client = std::thread::spawn(move || {
            let mut all = Vec::new();
            client.read_to_end(&mut all).unwrap();
            all.len()
        });
        while !left.is_empty() {
            poll_fn(|cx| socket.poll_writable(cx)).await;
            match socket.write(left.len(), || (&own).write(left)) {
                Ok(count) => left = &left[count..],
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
            }
        }
        drop((socket, own));
        assert_eq!(client.join().unwrap(), 4 << 20);
    });
}

#[test]
fn a_future_that_another_thread_wakes_goes_on_in_its_own() {
    run(|_| async {
        let own = std::thread::current().id();
        let (asked, mut woken) = (Arc::new(AtomicBool::new(false)), 0);
        poll_fn(|cx| {
            assert_eq!(std::thread::current().id(), own);
            if asked.load(Ordering::SeqCst) {
                return Poll::Ready(());
            }
            woken += 1;
            let (waker, asked) = (cx.waker().clone(), asked.clone());
            std::thread::spawn(move || {
                asked.store(true, Ordering::SeqCst);
                waker.wake();
            });
            Poll::Pending
        })
        .await;
        assert_eq!(woken, 1);
    });
}

#[test]
fn a_future_that_another_has_begun_runs_though_nothing_else_happens() {
    let reactor = reactor();
    let (begun, ended) = (reactor.clone(), reactor.clone());
    reactor.spawn(async move {
        begun.spawn(async move { ended.end() });
        std::future::pending::<()>().await;
    });
    reactor.run();
}

#[test]
fn what_takes_too_long_is_given_up_and_what_does_not_is_had() {
    run(|reactor| async move {
        let short = Duration::from_millis(1);
        let never = std::future::pending::<()>();
        assert_eq!(reactor.within(short, never).await, None);
        let long = Duration::from_secs(60);
        assert_eq!(reactor.within(long, reactor.sleep(short)).await, Some(()));
        assert!(reactor.timers.borrow().is_empty());
    });
}

#[test]
fn a_future_that_panics_or_is_ended_leaves_the_others_alone() {
    run(|reactor| async move {
        let held = Rc::new(());
        let (of_one, of_other) = (held.clone(), held.clone());
        reactor.spawn(async move {
            let _held = of_one;
            panic!("on purpose");
        });
        let other = reactor.spawn(async move {
            let _held = of_other;
            std::future::pending::<()>().await;
        });
        reactor.sleep(Duration::from_millis(1)).await;
        assert_eq!(Rc::strong_count(&held), 2);
        reactor.abort(other);
        assert_eq!(Rc::strong_count(&held), 1);
        // Its place is another's by now.
        let another = held.clone();
        reactor.spawn(async move {
            let _held = another;
            std::future::pending::<()>().await;
        });
        reactor.abort(other);
        assert_eq!(Rc::strong_count(&held), 2);
    });
}

/// The bytes that one connection reads which always has data, while another waits whose
/// client sends when the first has read ten bytes.
fn read_before_another_has_its_turn(ends_turns: bool) -> usize {
    const BYTES: usize = 10_000;
    let seen = Rc::new(Cell::new(0));
    let reported = seen.clone();
    run(move |reactor| async move {
        let (flooded, mut floods) = UnixStream::pair().unwrap();
        let (own, mut asks) = UnixStream::pair().unwrap();
        flooded.set_nonblocking(true).unwrap();
        own.set_nonblocking(true).unwrap();
        floods.write_all(&[b'\n'; BYTES]).unwrap();
        let read = Rc::new(Cell::new(0));
        let (count, inner) = (read.clone(), reactor.clone());
        reactor.spawn(async move {
            let socket = inner.register(flooded.as_fd()).unwrap();
            while count.get() < BYTES {
                poll_fn(|cx| socket.poll_readable(cx)).await;
                if socket.read(1, || (&flooded).read(&mut [0])).is_ok() {
                    count.set(count.get() + 1);
                    if count.get() == 10 {
                        asks.write_all(b"?").unwrap();
                    }
                    if ends_turns {
                        inner.end_turn();
                    }
                }
            }
        });
        let socket = reactor.register(own.as_fd()).unwrap();
        poll_fn(|cx| socket.poll_readable(cx)).await;
        reported.set(read.get());
    });
    seen.get()
}

#[test]
fn who_reads_without_end_gives_way_to_the_others() {
    let read = read_before_another_has_its_turn(false);
    let most = 10 + 2 * TURN as usize;
    assert!((10..=most).contains(&read), "{read}");
    let read = read_before_another_has_its_turn(true);
    assert!((10..=12).contains(&read), "{read}");
}

#[test]
fn workers_that_were_given_work_are_woken_though_the_loop_has_ended() {
    let door = door();
    let reactor = EpollReactor::new(door.clone()).unwrap();
    let end = reactor.clone();
    reactor.spawn(async move { end.end() });
    reactor.run();
    assert_eq!(door.polls.load(Ordering::Relaxed), 1);
}
