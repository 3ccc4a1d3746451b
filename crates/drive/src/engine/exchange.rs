//! One request on the wire: connecting, writing, reading, and what ends it.

use super::client::{Client, ClientPhase, TargetConnection, Token};
use super::life::ClientLife;
use super::record::RequestFailure;
use super::worker::Worker;
use crate::clock;
use crate::http1::FeedResult;
use crate::message::ReplyEnd;
use crate::net::{ReadySocket, Stream, connect, why_not};
use crate::plan::RequestStep;
use rustix::fd::AsFd;
use std::io;

impl Worker<'_> {
    /// Sends the client's request when all connections that it needs are open.
    pub(super) fn send_when_connected(&mut self, c: usize) {
        let plan = self.plan;
        let client = &self.clients[c];
        let step = &plan.populations[client.life.population].steps[client.life.step];
        for target in [step.target, step.reply_target] {
            if self.clients[c].conns[target].stream.is_none()
                && let Err(error) = self.open(c, target)
            {
                return self.fail(c, RequestFailure::Connect, &why_not(&error));
            }
        }
        let client = &mut self.clients[c];
        if client.conns[step.target].connecting || client.conns[step.reply_target].connecting {
            return;
        }
        let keep = !step.captures.is_empty() || step.checks.iter().any(|k| k.needs_body());
        let reply = &mut client.conns[step.reply_target];
        match &step.reply {
            ReplyEnd::Http { no_body } => reply.response.start(*no_body, keep),
            ReplyEnd::Framed(_) => reply.frame.start(),
            ReplyEnd::Turn { .. }
            | ReplyEnd::Confirmation
            | ReplyEnd::Screen(_)
            | ReplyEnd::None => {}
        }
        self.write_on(c);
    }

    /// Opens one of a client's connections.
    pub(super) fn open(&mut self, c: usize, conn: usize) -> io::Result<()> {
        let client = &mut self.clients[c];
        let target = &self.plan.populations[client.life.population].targets[conn];
        let source = match target.sources.len() {
            0 => None,
            n => Some(target.sources[client.life.number as usize % n]),
        };
        let slot = &mut client.conns[conn];
        slot.close();
        slot.began = clock::now();
        let fd = connect(target.address, source, &target.knobs)?;
        let stream = Stream::new(fd, target.tls.as_ref(), &target.knobs)?;
        let token = Token {
            client: c,
            conn,
            generation: slot.generation,
        };
        self.poller.add(stream.as_fd(), token.pack(), true)?;
        slot.stream = Some(stream);
        slot.connecting = true;
        slot.watching_write = true;
        Ok(())
    }

    /// Handles a ready socket of the client.
    pub(super) fn handle_socket(&mut self, c: usize, conn: usize, ready: ReadySocket) {
        if self.clients[c].conns[conn].connecting {
            return self.handle_connected(c, conn);
        }
        if ready.writable && self.clients[c].conns[conn].watching_write {
            if self.clients[c].phase == ClientPhase::Writing {
                self.write_on(c);
            } else {
                self.flush_tls(c, conn);
            }
        }
        if ready.readable {
            self.read_all(c, conn);
        }
    }

    fn handle_connected(&mut self, c: usize, conn: usize) {
        let client = &mut self.clients[c];
        let slot = &mut client.conns[conn];
        let error = slot.stream.as_ref().and_then(Stream::connect_error);
        if let Some(error) = error {
            slot.close();
            if client.phase == ClientPhase::Connecting {
                self.fail(c, RequestFailure::Connect, &why_not(&error));
            }
            return;
        }
        slot.connecting = false;
        let took = clock::now() - slot.began;
        let life = &client.life;
        self.ledger
            .note_connect(life.population, life.measured, took);
        self.flush_tls(c, conn);
        if !self.send_opening(c, conn) {
            return;
        }
        if self.clients[c].phase == ClientPhase::Connecting {
            self.send_when_connected(c);
        }
    }

    /// Sends the opening message of a new connection, for which a new socket
    /// has room. Returns `false` if the connection failed.
    fn send_opening(&mut self, c: usize, conn: usize) -> bool {
        let plan = self.plan;
        let client = &mut self.clients[c];
        let population = client.life.population;
        let Some(opening) = &plan.populations[population].targets[conn].opening else {
            return true;
        };
        let mut bytes = Vec::new();
        let iteration = client.life.iteration;
        let mut scope = client.life.scope(plan);
        // Connections opened before the run belong to the first iteration.
        scope.iteration = iteration.wrapping_add(1).saturating_sub(1);
        opening
            .render(&mut scope, &mut self.scratch, &mut bytes)
            .expect("only headers can hold values that cannot be sent");
        let slot = &mut client.conns[conn];
        let written = slot.stream.as_mut().map(|stream| stream.write(&bytes));
        if let Some(Ok(n)) = written
            && n == bytes.len()
        {
            self.ledger.interval.populations[population].whole.bytes_out += n as u64;
            return true;
        }
        if client.phase.in_flight() {
            self.fail(
                c,
                RequestFailure::Reset,
                "the opening message could not be written",
            )
        } else {
            slot.close()
        }
        false
    }

    /// Writes the rest of the client's request, piece by piece.
    pub(super) fn write_on(&mut self, c: usize) {
        let plan = self.plan;
        let measuring = self.measuring();
        let client = &mut self.clients[c];
        let step = &plan.populations[client.life.population].steps[client.life.step];
        client.phase = ClientPhase::Writing;
        loop {
            let total = client.out.bytes().len();
            if client.out.at == client.out.piece_end && client.out.at < total {
                let sizes = &step.writes.sizes;
                let size = sizes.get(client.out.piece).or(sizes.last()).copied();
                client.out.piece += 1;
                client.out.piece_end = size.map_or(total, |s| total.min(client.out.at + s.max(1)));
            }
            if client.out.at == total {
                break;
            }
            let bytes = &client.out.bytes()[client.out.at..client.out.piece_end];
            let Some(stream) = &mut client.conns[step.target].stream else {
                return self.fail(c, RequestFailure::Reset, "the connection is closed");
            };
            match stream.write(bytes) {
                Ok(n) => {
                    client.out.at += n;
                    let record = &mut self.ledger.interval.populations[client.life.population];
                    record.whole.bytes_out += n as u64;
                    if measuring {
                        record.measured.bytes_out += n as u64;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return self.watch(c, step.target, true);
                }
                Err(error) => {
                    return self.fail(c, RequestFailure::Reset, &error.to_string());
                }
            }
            let more = client.out.at < total;
            if more && client.out.at == client.out.piece_end && step.writes.pause_ns > 0 {
                client.phase = ClientPhase::Pausing;
                let at = clock::now() + step.writes.pause_ns;
                return self.wake_at(c, at);
            }
        }
        client.phase = ClientPhase::Waiting;
        self.flush_tls(c, step.target);
        if step.reply == ReplyEnd::None {
            self.complete_one_way(c, clock::now());
        }
    }

    /// Writes pending TLS records, and watches for writing if some remain.
    fn flush_tls(&mut self, c: usize, conn: usize) {
        let Some(stream) = &mut self.clients[c].conns[conn].stream else {
            return;
        };
        match stream.flush() {
            Ok(done) => self.watch(c, conn, !done),
            Err(error) => self.handle_broken(c, conn, &error),
        }
    }

    fn watch(&mut self, c: usize, conn: usize, writing: bool) {
        let slot = &mut self.clients[c].conns[conn];
        if slot.watching_write == writing {
            return;
        }
        slot.watching_write = writing;
        let token = Token {
            client: c,
            conn,
            generation: slot.generation,
        };
        if let Some(stream) = &slot.stream {
            let changed = self.poller.change(stream.as_fd(), token.pack(), writing);
            changed.expect("an open socket stays in its epoll");
        }
    }

    /// Reads until the socket is empty, or until a request is settled and
    /// nothing can be left.
    fn read_all(&mut self, c: usize, conn: usize) {
        let generation = self.clients[c].conns[conn].generation;
        loop {
            let slot = &mut self.clients[c].conns[conn];
            if slot.generation != generation {
                return;
            }
            let Some(stream) = &mut slot.stream else {
                return;
            };
            match stream.read(&mut self.buffer) {
                Ok(0) => return self.handle_end(c, conn),
                Ok(n) => {
                    let whole = stream.buffered() || n == self.buffer.len();
                    self.handle_bytes(c, conn, n);
                    if !whole {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return self.handle_broken(c, conn, &error),
            }
        }
        // Only TLS has records of its own to write here.
        self.flush_tls(c, conn);
    }

    /// Handles `n` bytes of the thread's buffer that came from this connection.
    fn handle_bytes(&mut self, c: usize, conn: usize, n: usize) {
        let plan = self.plan;
        let measuring = self.measuring();
        let client = &mut self.clients[c];
        let step = plan.populations[client.life.population]
            .steps
            .get(client.life.step);
        let record = &mut self.ledger.interval.populations[client.life.population];
        record.whole.bytes_in += n as u64;
        if measuring {
            record.measured.bytes_in += n as u64;
        }
        let awaited = matches!(
            client.phase,
            ClientPhase::Writing | ClientPhase::Pausing | ClientPhase::Waiting
        );
        let step = step.filter(|s| awaited && s.reply_target == conn);
        let Some(step) = step else {
            // No request is outstanding: these bytes must not become an
            // answer.
            return client.conns[conn].close();
        };
        let slot = &mut client.conns[conn];
        let bytes = &self.buffer[..n];
        let fed = match &step.reply {
            ReplyEnd::Http { .. } => match slot.response.feed(bytes) {
                Ok(FeedResult::More) => Ok(None),
                Ok(FeedResult::Done(used)) => Ok(Some(used)),
                Err(malformed) => Err(malformed.to_string()),
            },
            ReplyEnd::Framed(framing) => slot.frame.feed(framing, bytes).map_err(str::to_owned),
            ReplyEnd::Turn { .. }
            | ReplyEnd::Confirmation
            | ReplyEnd::Screen(_)
            | ReplyEnd::None => Ok(None),
        };
        match fed {
            Ok(None) => {}
            Ok(Some(used)) => {
                let clean = used == n && client.phase == ClientPhase::Waiting;
                self.complete_on(c, conn, clean);
            }
            Err(text) => self.fail(c, RequestFailure::Malformed, &text),
        }
    }

    /// Handles the end of the connection.
    fn handle_end(&mut self, c: usize, conn: usize) {
        let plan = self.plan;
        let client = &mut self.clients[c];
        let step = plan.populations[client.life.population]
            .steps
            .get(client.life.step);
        let concerned = step
            .filter(|s| client.phase.in_flight() && (s.reply_target == conn || s.target == conn));
        let Some(step) = concerned else {
            return client.conns[conn].close();
        };
        let slot = &mut client.conns[conn];
        let complete = conn == step.reply_target
            && match &step.reply {
                ReplyEnd::Http { .. } => slot.response.handle_close(),
                ReplyEnd::Framed(framing) => {
                    *framing == crate::message::MessageFraming::Close && slot.frame.begun()
                }
                ReplyEnd::Turn { .. }
                | ReplyEnd::Confirmation
                | ReplyEnd::Screen(_)
                | ReplyEnd::None => false,
            };
        if complete {
            return self.complete_on(c, conn, false);
        }
        let begun = slot.response.begun() || slot.frame.begun();
        let text = if begun {
            "closed before the end of the answer"
        } else {
            "closed without an answer"
        };
        self.fail(c, RequestFailure::Closed, text);
    }

    fn handle_broken(&mut self, c: usize, conn: usize, error: &io::Error) {
        let client = &mut self.clients[c];
        if !client.phase.in_flight() {
            return client.conns[conn].close();
        }
        let failure = match error.kind() {
            io::ErrorKind::InvalidData => RequestFailure::Tls,
            io::ErrorKind::UnexpectedEof => RequestFailure::Closed,
            _ => RequestFailure::Reset,
        };
        self.fail(c, failure, &error.to_string());
    }

    fn complete_on(&mut self, c: usize, conn: usize, clean: bool) {
        let client: &mut Client = &mut self.clients[c];
        if !clean {
            client.conns[conn].response.spoil();
            client.conns[conn].frame.spoil();
        }
        self.complete(c, clock::now());
    }
}

/// Whether the answer passes every check. Also takes captures.
pub(super) fn examine(step: &RequestStep, reply: &TargetConnection, life: &mut ClientLife) -> bool {
    let (body, size) = match &step.reply {
        ReplyEnd::Http { .. } => (reply.response.body(), reply.response.body_bytes()),
        _ => (reply.frame.bytes(), reply.frame.bytes().len() as u64),
    };
    let header = |name: &str| reply.response.header(name).map(<[u8]>::to_vec);
    life.examine(step, (status(step, reply), body, size), header)
}

/// The answer's status; 0 on a raw socket.
pub(super) fn status(step: &RequestStep, reply: &TargetConnection) -> u16 {
    match step.reply {
        ReplyEnd::Http { .. } => reply.response.status(),
        _ => 0,
    }
}

/// Whether the connection may carry another request.
pub(super) fn reusable(step: &RequestStep, reply: &TargetConnection) -> bool {
    match &step.reply {
        ReplyEnd::Http { .. } => reply.response.keep_alive(),
        ReplyEnd::Framed(_) => !reply.frame.spoiled(),
        ReplyEnd::Turn { .. } | ReplyEnd::Confirmation | ReplyEnd::Screen(_) | ReplyEnd::None => {
            true
        }
    }
}
