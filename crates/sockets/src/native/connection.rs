//! A connection that messages come on: read one, run the program, answer it,
//! continue.
//!
//! One message is at work at a time, so answers come in the order of messages,
//! and a client that does not take them is not read any further.

use std::future::{Future, poll_fn};
use std::ops::{Deref, DerefMut, Range};
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::{Duration, Instant};

use region::{ContainerType, StartCode, StartRefusal, Task, TaskOutcome, TaskReply, TaskRequest};

use super::area::{CharacterPages, MessageArea};
use super::framing::{FrameFormat, FrameStart};
use super::limits::ConnectionPhase;
use super::memory::{READ_BYTES, ReservedBytes};
use super::sessions::SessionPart;
use super::socket::Socket;
use super::thread::{AnswerConnection, ConnectionWatch, ReceiverThread};
use crate::stream::Stream;

/// Why a connection ends before its client has ended it.
enum EndReason {
    /// The client has disconnected.
    Gone,
    /// No more is to be begun.
    Stopped,
    /// Something is wrong: what.
    Wrong(String),
}

/// Serves a connection to its end, and its sender's with it.
pub async fn serve(
    thread: Rc<ReceiverThread>,
    watched: Rc<ConnectionWatch>,
    own: AnswerConnection,
    part: Option<SessionPart<AnswerConnection>>,
) {
    let mut own = ClosingConnection(own);
    let served = own.served.clone();
    let _known = RegisteredConnection(&thread, &watched);
    let (framing, characters) = served.receiver.dialect(own.ebcdic);
    let sender = match &part {
        None => None,
        Some(part) => {
            thread.enters(&watched, ConnectionPhase::Pairing);
            match other(part, &own).await {
                Some(sender) => Some(ClosingConnection(sender)),
                None => return,
            }
        }
    };
    let mut connection = Connection {
        thread: &thread,
        watched: &watched,
        framing,
        characters,
        sender,
    };
    match connection.run(&mut own).await {
        Ok(()) | Err(EndReason::Gone | EndReason::Stopped) => {}
        Err(EndReason::Wrong(why)) => {
            served.counts.failed.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(
                receiver = %served.receiver.transid,
                connection = watched.number,
                client = %own.client,
                "a connection was closed: {why}"
            );
        }
    }
}

/// The other connection, as soon as it is open. Returns `None` when this one is reset.
/// A client that only sends nothing more may wait for its answers.
async fn other(
    part: &SessionPart<AnswerConnection>,
    own: &AnswerConnection,
) -> Option<AnswerConnection> {
    let mut sender = pin!(part.sender());
    poll_fn(|cx| match sender.as_mut().poll(cx) {
        Poll::Ready(sender) => Poll::Ready(Some(sender)),
        Poll::Pending => own.stream.tcp().poll_gone(cx).map(|()| None),
    })
    .await
}

/// A connection that takes its leave, however it ends.
struct ClosingConnection(AnswerConnection);

impl Deref for ClosingConnection {
    type Target = AnswerConnection;

    fn deref(&self) -> &AnswerConnection {
        &self.0
    }
}

impl DerefMut for ClosingConnection {
    fn deref_mut(&mut self) -> &mut AnswerConnection {
        &mut self.0
    }
}

impl Drop for ClosingConnection {
    fn drop(&mut self) {
        self.0.stream.take_leave();
    }
}

/// A connection registered with its thread, until it ends.
struct RegisteredConnection<'c>(&'c ReceiverThread, &'c ConnectionWatch);

impl Drop for RegisteredConnection<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.1.failed();
        }
        self.0.forget(self.1);
    }
}

struct Connection<'c> {
    thread: &'c Rc<ReceiverThread>,
    watched: &'c ConnectionWatch,
    framing: &'c FrameFormat,
    characters: &'c CharacterPages,
    /// The connection for answers; `None` when they use the same one.
    sender: Option<ClosingConnection>,
}

impl Connection<'_> {
    /// Serves message after message, until the client sends no more.
    async fn run(&mut self, own: &mut AnswerConnection) -> Result<(), EndReason> {
        let mut held = self.thread.memory.empty();
        let mut searched = 0;
        loop {
            let (mut from, mut empty) = (0, 0);
            let needed = loop {
                let skipped = self.framing.empty(&held[from..]);
                from += skipped;
                empty += skipped;
                let found = self.framing.first(&held[from..], searched);
                match found.map_err(|e| EndReason::Wrong(e.to_string()))? {
                    FrameStart::Message { data, next } => {
                        searched = 0;
                        let data = from + data.start..from + data.end;
                        from += next;
                        self.message(own, &held, data).await?;
                        if self.thread.is_ending(&own.served) {
                            return Err(EndReason::Stopped);
                        }
                    }
                    FrameStart::More {
                        searched: seen,
                        needed,
                    } => {
                        searched = seen;
                        break needed;
                    }
                }
            };
            if empty > 0 && empty == from {
                // The bytes do not complete a message: other connections run
                // first.
                self.thread.reactor.end_turn();
            }
            held.drain(..from);
            if from > 0 {
                held.settle();
            }
            if !self.read(own, &mut held, needed).await? {
                return if held.is_empty() {
                    Ok(())
                } else {
                    Err(EndReason::Wrong(
                        "the client ended the connection within a message".into(),
                    ))
                };
            }
        }
    }

    /// Reads what there is; false at the end.
    async fn read(
        &self,
        own: &mut AnswerConnection,
        held: &mut ReservedBytes,
        needed: usize,
    ) -> Result<bool, EndReason> {
        // Thousands that wait for a message hold no memory for one.
        if held.is_empty() {
            held.release();
            self.thread.enters(self.watched, ConnectionPhase::Idle);
        } else if self.watched.phase() != ConnectionPhase::Message {
            // The limit counts from a message's first byte.
            self.thread.enters(self.watched, ConnectionPhase::Message);
        }
        let most = towards(self.framing, needed);
        let gone = |_| EndReason::Gone;
        let read = loop {
            own.stream.readable().await.map_err(gone)?;
            held.reserve(room(held.len(), most)).await;
            match own.stream.try_read_buf(held) {
                // The read before took all there was, to the last of its room.
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    if held.is_empty() {
                        held.release();
                    }
                }
                read => break read.map_err(gone)?,
            }
        };
        let counts = &own.served.counts;
        counts.bytes_in.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read > 0)
    }

    /// Runs the program with a message, and sends its answer.
    async fn message(
        &self,
        own: &AnswerConnection,
        held: &ReservedBytes,
        data: Range<usize>,
    ) -> Result<(), EndReason> {
        let message = &held[data];
        self.thread.enters(self.watched, ConnectionPhase::Running);
        let receiver = &own.served.receiver;
        let setting = &self.thread.setting;
        let trace = &setting.trace;
        let began = trace.is_on().then(Instant::now);
        let request = self.request(own, message.len());
        let mut task = match setting.region.begin(&setting.port, request).await {
            Ok(task) => task,
            Err(refusal) => self.begin_later(own, message.len(), refusal).await?,
        };
        let number = task.number();
        fill(&mut task, &receiver.area, message, self.characters)?;
        let reply = task.run().await;
        own.served.counts.messages.fetch_add(1, Ordering::Relaxed);
        if let TaskOutcome::Abend(abend) = reply.outcome() {
            let why = format!("{} abended with {}", receiver.program, abend.code());
            return Err(EndReason::Wrong(why));
        }
        let answered = self.answer(own, reply).await;
        if matches!(answered, Err(EndReason::Gone)) {
            let counts = &own.served.counts;
            counts.unanswered.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(began) = began {
            let us = began.elapsed().as_micros() as u64;
            let what = format!("MESSAGE {} BYTES", message.len());
            trace.message((number, receiver.transid), self.watched.number, what, us);
        }
        answered
    }

    /// Sends what a program has left.
    async fn answer(&self, own: &AnswerConnection, reply: TaskReply) -> Result<(), EndReason> {
        let area = &own.served.receiver.area;
        let left = match area {
            MessageArea::Commarea { .. } => reply.commarea(),
            MessageArea::Container { answer, .. } => reply.container(answer).unwrap_or_default(),
        };
        let answer = area.answer(left);
        let answer = answer.map_err(|e| EndReason::Wrong(e.to_string()))?;
        let unsent = self.send(own, answer)?;
        drop(reply);
        self.send_rest(own, &unsent).await
    }

    /// A task for a message of so many bytes.
    fn request(&self, own: &AnswerConnection, bytes: usize) -> TaskRequest {
        let receiver = &own.served.receiver;
        TaskRequest {
            transid: receiver.transid,
            program: receiver.program,
            userid: self.thread.setting.user,
            start_code: StartCode::StartData,
            expected_bytes: receiver.area.bytes(bytes),
            ..TaskRequest::default()
        }
    }

    /// Asks again and again while the region is full; the client is not read
    /// meanwhile.
    async fn begin_later(
        &self,
        own: &AnswerConnection,
        bytes: usize,
        refusal: StartRefusal,
    ) -> Result<Task, EndReason> {
        let setting = &self.thread.setting;
        let (mut refusal, mut pause) = (refusal, SHORTEST_PAUSE);
        loop {
            match refusal {
                StartRefusal::ShuttingDown => return Err(EndReason::Stopped),
                refusal if refusal.is_temporary() => {}
                refusal => return Err(EndReason::Wrong(refusal.to_string())),
            }
            own.served.counts.held_up.fetch_add(1, Ordering::Relaxed);
            if self.thread.is_ending(&own.served) {
                return Err(EndReason::Stopped);
            }
            self.thread.reactor.sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            let request = self.request(own, bytes);
            match setting.region.begin(&setting.port, request).await {
                Ok(task) => return Ok(task),
                Err(again) => refusal = again,
            }
        }
    }

    /// Sends as much of an answer as possible without waiting; returns the
    /// rest.
    fn send(&self, own: &AnswerConnection, answer: &[u8]) -> Result<Vec<u8>, EndReason> {
        // A program that has nothing to say sends nothing.
        if answer.is_empty() {
            return Ok(Vec::new());
        }
        let mut scratch = self.thread.scratch.borrow_mut();
        scratch.clear();
        let framed = self.framing.emit(answer, &mut scratch);
        framed.map_err(|e| EndReason::Wrong(e.to_string()))?;
        let text = self.framing.answer_in(&scratch, answer.len());
        self.characters.to_client(&mut scratch[text]);
        let counts = &own.served.counts;
        counts
            .bytes_out
            .fetch_add(scratch.len() as u64, Ordering::Relaxed);
        let sent = match self.out(own).try_write(&scratch) {
            Ok(sent) => sent,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => 0,
            Err(_) => return Err(EndReason::Gone),
        };
        let unsent = scratch[sent..].to_vec();
        if scratch.capacity() > KEPT_BYTES {
            *scratch = Vec::new();
        }
        Ok(unsent)
    }

    async fn send_rest(&self, own: &AnswerConnection, mut unsent: &[u8]) -> Result<(), EndReason> {
        let out = self.out(own);
        if unsent.is_empty() && !out.has_unsent_output() {
            return Ok(());
        }
        // The limit is the whole answer's.
        self.thread.enters(self.watched, ConnectionPhase::Writing);
        while !unsent.is_empty() || out.has_unsent_output() {
            out.writable().await.map_err(|_| EndReason::Gone)?;
            match out.try_write(unsent) {
                Ok(sent) => unsent = &unsent[sent..],
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => return Err(EndReason::Gone),
            }
        }
        Ok(())
    }

    fn out<'o>(&'o self, own: &'o AnswerConnection) -> &'o Stream<Socket> {
        self.sender
            .as_ref()
            .map_or(&own.stream, |sender| &sender.stream)
    }
}

/// The most bytes of the message that is being read. The place of a delimiter
/// is not known in advance.
fn towards(framing: &FrameFormat, needed: usize) -> usize {
    if framing.is_delimited() {
        framing.longest()
    } else {
        needed
    }
}

/// Room for so many bytes and more, towards a message of `most`. A length is
/// only a claim: what has come earns as much again.
fn room(there: usize, most: usize) -> usize {
    most.min(there * 2).max(there + 1).max(READ_BYTES)
}

/// Puts a message where the program finds it.
fn fill(
    task: &mut Task,
    area: &MessageArea,
    message: &[u8],
    characters: &CharacterPages,
) -> Result<(), EndReason> {
    let put = |into: &mut [u8]| area.put(message, characters, into);
    let bytes = area.bytes(message.len());
    type Sure = std::convert::Infallible;
    let done = match area {
        MessageArea::Commarea { .. } => task.set_whole_commarea(bytes, |into| {
            put(into);
            Ok::<(), Sure>(())
        }),
        MessageArea::Container { message: name, .. } => {
            task.put_container(name, ContainerType::Bit, bytes, |into| {
                put(into);
                Ok::<usize, Sure>(bytes)
            })
        }
    };
    done.map_err(|error| EndReason::Wrong(error.to_string()))
}

/// More than this is not kept for the next answer.
const KEPT_BYTES: usize = 64 << 10;
/// The pauses between two requests for a task.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::framing::Frame;

    /// The number of reads for a message of this many bytes whose client is always
    /// faster.
    fn reads(frame: Frame, bytes: usize, before: &[u8]) -> usize {
        let framing = FrameFormat {
            frame,
            max_bytes: 1 << 20,
        };
        let (mut there, mut searched, mut reads) = (Vec::new(), 0, 0);
        loop {
            let more = match framing.first(&there, searched).unwrap() {
                FrameStart::Message { .. } => return reads,
                FrameStart::More {
                    searched: seen,
                    needed,
                } => {
                    searched = seen;
                    room(there.len(), towards(&framing, needed)) - there.len()
                }
            };
            reads += 1;
            assert!(reads < 100, "{framing:?}");
            let whole = [before, &vec![b'x'; bytes][..], b"\n"].concat();
            let end = (there.len() + more).min(whole.len());
            there.extend_from_slice(&whole[there.len()..end]);
        }
    }

    #[test]
    fn a_long_message_takes_few_reads_whatever_ends_it() {
        let bytes = 1_000_000;
        assert_eq!(reads(Frame::Delimiter(b"\n"[..].into()), bytes, b""), 9);
        let length = Frame::Length {
            bytes: 4,
            inclusive: false,
            little: false,
        };
        let before = (bytes as u32).to_be_bytes();
        assert_eq!(reads(length, bytes, &before), 9);
        let fixed = Frame::Fixed { bytes, pad: b' ' };
        assert_eq!(reads(fixed, bytes, b""), 9);
    }

    #[test]
    fn a_length_alone_takes_no_memory() {
        assert_eq!(room(0, 2), READ_BYTES);
        assert_eq!(room(4, 1 << 20), READ_BYTES);
        assert_eq!(room(READ_BYTES, 1 << 20), 2 * READ_BYTES);
        assert_eq!(room(READ_BYTES, READ_BYTES + 7), READ_BYTES + 7);
        assert_eq!(room(READ_BYTES, READ_BYTES), READ_BYTES + 1);
    }
}
