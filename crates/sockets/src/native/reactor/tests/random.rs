//! Connections that are opened, written, half-closed, reset, ended and broken
//! in any order, compared with what a client may expect: its own bytes, in
//! order, and all of them if its connection was not ended.

use std::net::{Shutdown, TcpListener, TcpStream};

use proptest::prelude::*;

use super::*;

/// The next step of a connection.
#[derive(Debug, Clone, Copy)]
enum Step {
    Open,
    Write(usize, usize),
    Read(usize, usize),
    HalfClose(usize),
    Reset(usize),
    Abort(usize),
    Break(usize),
    /// So many tasks end.
    Tasks(usize),
    /// The loop continues.
    Go,
}

/// The tasks that connections wait for.
#[derive(Default)]
struct Tasks {
    wakers: RefCell<Vec<Waker>>,
    /// The tasks end at once.
    brief: Cell<bool>,
}

struct Client {
    tcp: Option<TcpStream>,
    sent: usize,
    got: usize,
    half_closed: bool,
    /// The connection was ended: the received bytes are a part of the sent ones.
    ended: bool,
    server: SpawnedFuture,
    breaks: Rc<Cell<bool>>,
}

struct ReactorModel {
    reactor: Rc<EpollReactor>,
    listener: TcpListener,
    tasks: Rc<Tasks>,
    /// One more for each connection that is served.
    served: Rc<()>,
    clients: Vec<Client>,
}

impl Tasks {
    async fn run(&self) {
        let mut begun = false;
        poll_fn(|cx| {
            if begun || self.brief.get() {
                return Poll::Ready(());
            }
            begun = true;
            self.wakers.borrow_mut().push(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn end(&self, most: usize) {
        let ended: Vec<Waker> = {
            let mut wakers = self.wakers.borrow_mut();
            let count = most.min(wakers.len());
            wakers.drain(..count).collect()
        };
        ended.into_iter().for_each(Waker::wake);
    }
}

impl ReactorModel {
    fn open(&mut self) {
        let address = self.listener.local_addr().unwrap();
        let client = TcpStream::connect(address).unwrap();
        let (own, _) = self.listener.accept().unwrap();
        client.set_nonblocking(true).unwrap();
        own.set_nonblocking(true).unwrap();
        let breaks = Rc::new(Cell::new(false));
        let parts = (self.reactor.clone(), self.tasks.clone(), breaks.clone());
        let held = self.served.clone();
        let room = 1 + self.clients.len() * 7 % 50;
        let server = self.reactor.spawn(async move {
            let _held = held;
            echo(parts, own, room).await;
        });
        self.clients.push(Client {
            tcp: Some(client),
            sent: 0,
            got: 0,
            half_closed: false,
            ended: false,
            server,
            breaks,
        });
    }

    fn step(&mut self, step: Step) {
        let (Step::Write(n, _)
        | Step::Read(n, _)
        | Step::HalfClose(n)
        | Step::Reset(n)
        | Step::Abort(n)
        | Step::Break(n)) = step
        else {
            return match step {
                Step::Open if self.clients.len() < 24 => self.open(),
                Step::Tasks(count) => self.tasks.end(count),
                _ => {}
            };
        };
        let count = self.clients.len().max(1);
        let Some(client) = self.clients.get_mut(n % count) else {
            return;
        };
        match step {
            Step::Write(_, bytes) => client.write(bytes),
            Step::Read(_, bytes) => client.read(bytes),
            Step::HalfClose(_) => client.half_close(),
            Step::Reset(_) => client.reset(),
            Step::Abort(_) => {
                client.ended = true;
                self.reactor.abort(client.server);
            }
            _ => {
                client.ended = true;
                client.breaks.set(true);
            }
        }
    }

    /// Runs all that is left to its end.
    async fn finish(&mut self) {
        self.tasks.brief.set(true);
        self.tasks.end(usize::MAX);
        for client in &mut self.clients {
            client.half_close();
            let Some(tcp) = client.tcp.take() else {
                continue;
            };
            let registered = self.reactor.register(tcp.as_fd()).unwrap();
            let mut piece = [0; 512];
            loop {
                poll_fn(|cx| registered.poll_readable(cx)).await;
                match registered.read(piece.len(), || (&tcp).read(&mut piece)) {
                    Ok(0) => break,
                    Ok(count) => client.check(&piece[..count]),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => {
                        assert!(client.ended);
                        break;
                    }
                }
            }
            assert!(client.ended || client.got == client.sent);
        }
    }
}

impl Client {
    fn write(&mut self, bytes: usize) {
        let data: Vec<u8> = (self.sent..self.sent + bytes).map(|n| n as u8).collect();
        if let Some(mut tcp) = self.tcp.as_ref().filter(|_| !self.half_closed) {
            self.sent += tcp.write(&data).unwrap_or(0);
        }
    }

    fn read(&mut self, bytes: usize) {
        let mut data = vec![0; bytes];
        if let Some(mut tcp) = self.tcp.as_ref() {
            let count = tcp.read(&mut data).unwrap_or(0);
            self.check(&data[..count]);
        }
    }

    fn check(&mut self, data: &[u8]) {
        for byte in data {
            assert_eq!(*byte, self.got as u8);
            self.got += 1;
        }
        assert!(self.got <= self.sent);
    }

    fn half_close(&mut self) {
        if let Some(tcp) = &self.tcp {
            self.half_closed = true;
            // The connection may have been reset.
            let _ = tcp.shutdown(Shutdown::Write);
        }
    }

    fn reset(&mut self) {
        self.ended = true;
        let Some(tcp) = self.tcp.take() else {
            return;
        };
        let linger = libc::linger {
            l_onoff: 1,
            l_linger: 0,
        };
        let size = size_of::<libc::linger>() as libc::socklen_t;
        // SAFETY: an open socket and the option's own structure.
        let rc = unsafe {
            let value = (&raw const linger).cast();
            libc::setsockopt(
                tcp.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_LINGER,
                value,
                size,
            )
        };
        assert_eq!(rc, 0);
    }
}

/// Reads as a receiver does, waits for a task with each piece, and writes it.
async fn echo(
    (reactor, tasks, breaks): (Rc<EpollReactor>, Rc<Tasks>, Rc<Cell<bool>>),
    own: TcpStream,
    room: usize,
) {
    let socket = reactor.register(own.as_fd()).unwrap();
    let mut piece = vec![0; room];
    loop {
        poll_fn(|cx| socket.poll_readable(cx)).await;
        let count = match socket.read(room, || (&own).read(&mut piece)) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(_) => return,
        };
        tasks.run().await;
        if breaks.get() {
            std::panic::resume_unwind(Box::new("on purpose"));
        }
        let mut left = &piece[..count];
        while !left.is_empty() {
            match socket.write(left.len(), || (&own).write(left)) {
                Ok(count) => left = &left[count..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    poll_fn(|cx| socket.poll_writable(cx)).await;
                }
                Err(_) => return,
            }
        }
    }
}

/// Others have their turn.
async fn give_way() {
    let mut given = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut given, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let n = || 0usize..24;
    let step = prop_oneof![
        3 => Just(Step::Open),
        6 => (n(), 1usize..2000).prop_map(|(n, bytes)| Step::Write(n, bytes)),
        3 => (n(), 1usize..3000).prop_map(|(n, bytes)| Step::Read(n, bytes)),
        1 => n().prop_map(Step::HalfClose),
        1 => n().prop_map(Step::Reset),
        1 => n().prop_map(Step::Abort),
        1 => n().prop_map(Step::Break),
        6 => (1usize..9).prop_map(Step::Tasks),
        8 => Just(Step::Go),
    ];
    prop::collection::vec(step, 1..200)
}

fn play(steps: Vec<Step>) {
    run(|reactor| async move {
        let served = Rc::new(());
        let mut world = ReactorModel {
            reactor: reactor.clone(),
            listener: TcpListener::bind("127.0.0.1:0").unwrap(),
            tasks: Rc::default(),
            served: served.clone(),
            clients: Vec::new(),
        };
        for step in steps {
            match step {
                Step::Go => give_way().await,
                step => world.step(step),
            }
        }
        let finished = reactor.within(Duration::from_secs(60), world.finish());
        assert!(finished.await.is_some(), "a waiting future was not woken");
        // Connections that were reset, and not read since, have received the
        // event too.
        let all_over = async {
            while Rc::strong_count(&served) > 2 {
                reactor.sleep(Duration::from_millis(1)).await;
            }
        };
        let all_over = reactor.within(Duration::from_secs(60), all_over);
        assert!(all_over.await.is_some(), "a connection did not end");
        assert!(reactor.timers.borrow().is_empty());
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn clients_get_their_own_bytes_whatever_others_do(steps in steps()) {
        play(steps);
    }
}
