//! The output queue of a stream: headers and PIUs in order, written with as few
//! calls and copies as possible.
//!
//! Small pieces are gathered in one buffer; a large PIU keeps its own and is
//! written from where the node put it.

use std::collections::VecDeque;
use std::io::{self, IoSlice, Write};

/// Pieces up to this many bytes are copied together.
const SMALL_BYTES: usize = 1024;
/// A gathered buffer beyond this size takes no more pieces.
const GATHER_BYTES: usize = 32 * 1024;
/// Pieces given to one call.
const SLICES: usize = 64;

/// Bytes that wait to be written.
#[derive(Debug, Default)]
pub struct TxQueue {
    pieces: VecDeque<QueuedPiece>,
    /// Bytes of the first piece that are written.
    written: usize,
    bytes: usize,
}

#[derive(Debug)]
struct QueuedPiece {
    data: Vec<u8>,
    gathers: bool,
}

impl TxQueue {
    /// Bytes that wait.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// A buffer for small appends; call [`TxQueue::gathered`] with the number
    /// of bytes.
    pub fn gather(&mut self) -> &mut Vec<u8> {
        let open = self
            .pieces
            .back()
            .is_some_and(|piece| piece.gathers && piece.data.len() < GATHER_BYTES);
        if !open {
            self.pieces.push_back(QueuedPiece {
                data: Vec::with_capacity(SMALL_BYTES),
                gathers: true,
            });
        }
        let at = self.pieces.len() - 1;
        &mut self.pieces[at].data
    }

    /// Counts bytes appended to [`TxQueue::gather`].
    pub fn gathered(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Appends `data`, copied when it is small.
    pub fn push(&mut self, data: Vec<u8>) {
        self.bytes += data.len();
        if data.len() <= SMALL_BYTES {
            self.gather().extend_from_slice(&data);
        } else {
            self.pieces.push_back(QueuedPiece {
                data,
                gathers: false,
            });
        }
    }

    /// Writes until nothing is left or the stream accepts no more. Returns
    /// `true` if nothing is left.
    pub fn write_to(&mut self, stream: &mut impl Write) -> io::Result<bool> {
        while self.bytes > 0 {
            let wrote = match self.write_once(stream) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(wrote) => wrote,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.advance(wrote);
        }
        Ok(true)
    }

    fn write_once(&mut self, stream: &mut impl Write) -> io::Result<usize> {
        let mut slices = [IoSlice::new(&[]); SLICES];
        let mut count = 0;
        for (slice, piece) in slices.iter_mut().zip(&self.pieces) {
            let skip = if count == 0 { self.written } else { 0 };
            *slice = IoSlice::new(&piece.data[skip..]);
            count += 1;
        }
        stream.write_vectored(&slices[..count])
    }

    fn advance(&mut self, mut wrote: usize) {
        self.bytes -= wrote;
        while wrote > 0 {
            let Some(first) = self.pieces.front() else {
                return;
            };
            let left = first.data.len() - self.written;
            if wrote < left {
                self.written += wrote;
                return;
            }
            wrote -= left;
            self.written = 0;
            self.pieces.pop_front();
        }
        if self.bytes == 0 {
            self.pieces.clear();
            self.written = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A stream that accepts a few bytes at a time and sometimes none.
    struct ShortWriter(Vec<u8>, usize);

    impl Write for ShortWriter {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            self.1 += 1;
            if self.1.is_multiple_of(3) {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let taken = data.len().min(self.1 * 37 % 2000 + 1);
            self.0.extend_from_slice(&data[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    proptest! {
        #[test]
        fn bytes_leave_in_the_order_they_came(sizes in prop::collection::vec((any::<bool>(), 0usize..4000), 0..40)) {
            let (mut queue, mut stream) = (TxQueue::default(), ShortWriter(Vec::new(), 0));
            let mut expected = Vec::new();
            for (at, (gather, size)) in sizes.into_iter().enumerate() {
                let data = vec![at as u8; size];
                expected.extend_from_slice(&data);
                if gather {
                    queue.gather().extend_from_slice(&data);
                    queue.gathered(size);
                } else {
                    queue.push(data);
                }
                let _ = queue.write_to(&mut stream).unwrap();
            }
            while !queue.write_to(&mut stream).unwrap() {}
            prop_assert_eq!(stream.0, expected);
            prop_assert_eq!(queue.len(), 0);
        }
    }
}
