//! Compressed captures are recognised by their first bytes, not by name.
//!
//! gzip and zstd, with several members or frames in sequence, as capture programs
//! append them. Decoding is streaming: nothing is written to disk and memory does
//! not depend on the file's size.

use super::read_full;
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// A boxed source of bytes.
type ByteSource<'a> = Box<dyn Read + Send + 'a>;

/// `source` as it would be uncompressed, and the name of the compression.
pub(super) fn open<'a>(
    mut source: ByteSource<'a>,
) -> io::Result<(ByteSource<'a>, Option<&'static str>)> {
    let mut head = vec![0; 4];
    let (filled, error) = read_full(&mut source, &mut head);
    if let Some(error) = error {
        return Err(error);
    }
    head.truncate(filled);
    let whole = Cursor::new(head.clone()).chain(source);
    Ok(match head[..] {
        [0x1f, 0x8b, ..] => (Box::new(MultiGzDecoder::new(whole)), Some("gzip")),
        [0x28, 0xb5, 0x2f, 0xfd] => (
            Box::new(ZstdReader {
                input: Some(Box::new(BufReader::with_capacity(INPUT_BYTES, whole))),
                frame: None,
            }),
            Some("zstd"),
        ),
        _ => (Box::new(whole), None),
    })
}

/// Frames of zstd, in sequence.
struct ZstdReader<'a> {
    /// The source between two frames.
    input: Option<Box<dyn BufRead + Send + 'a>>,
    /// The frame being decoded, with the source inside.
    frame: Option<Box<StreamingDecoder<Box<dyn BufRead + Send + 'a>, FrameDecoder>>>,
}

impl Read for ZstdReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                let read = frame.read(buffer)?;
                if read > 0 || buffer.is_empty() {
                    return Ok(read);
                }
                self.input = self.frame.take().map(|frame| frame.into_inner());
            }
            let Some(mut input) = self.input.take() else {
                return Ok(0);
            };
            if input.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.frame = match StreamingDecoder::new(input) {
                Ok(frame) => Some(Box::new(frame)),
                Err(error) => return Err(io::Error::other(error)),
            };
        }
    }
}

/// Bytes of compressed data read at one time.
const INPUT_BYTES: usize = 128 * 1024;
