//! Files of the machine: standard input and output, lines of a job, and files
//! in one of three formats, read, written, added to and rewritten in sequence.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::rc::Rc;

use crate::conversion::{LineBytes, RecordConversion};
use crate::dd::{RecordFormat, RecordSource};

/// Writes to standard output, where the program's own lines go too.
pub type PrintFunction = fn(&[u8]);

/// The printer control before and after a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineAdvance {
    /// No ADVANCING.
    None,
    /// BEFORE ADVANCING that many lines.
    Before(u32),
    /// AFTER ADVANCING that many lines.
    After(u32),
    /// BEFORE ADVANCING PAGE.
    BeforePage,
    /// AFTER ADVANCING PAGE.
    AfterPage,
}

/// The default record format of a file whose DD has none, and the conversion of its
/// records.
#[derive(Clone)]
pub struct FileFraming {
    /// The format of the program's organisation.
    pub default: RecordFormat,
    /// Between the file's code page and the program's.
    pub conversion: Option<Rc<RecordConversion>>,
}

/// A record that was read.
#[derive(Debug, PartialEq, Eq)]
pub struct ReadRecord {
    /// Its bytes, at most as many as the longest record has.
    pub bytes: Vec<u8>,
    /// Whether the record was longer, or ended before its fixed length.
    pub misfit: bool,
}

/// An open file of the machine.
pub enum PlainFile {
    /// Read.
    Input(PlainInput),
    /// Written.
    Output(PlainOutput),
    /// Read and rewritten.
    Update(PlainUpdate),
}

/// Sources that are read in sequence.
pub struct PlainInput {
    waiting: VecDeque<RecordSource>,
    current: Option<Stream>,
    framed: FileFraming,
}

/// The source that is read.
struct Stream {
    reader: Box<dyn BufRead>,
    format: RecordFormat,
    conversion: Option<Rc<RecordConversion>>,
}

/// The target of written records.
pub struct PlainOutput {
    sink: OutputSink,
    format: RecordFormat,
    conversion: Option<Rc<RecordConversion>>,
    /// The line has no end yet.
    is_line_open: bool,
    is_begun: bool,
}

enum OutputSink {
    File(BufWriter<File>),
    Print(PrintFunction),
    Nowhere,
}

/// A file whose records are replaced by others of the same length.
pub struct PlainUpdate {
    file: File,
    format: RecordFormat,
    conversion: Option<Rc<RecordConversion>>,
    /// Offset of the next record.
    next: u64,
    /// Offset and length of the last record.
    last: Option<(u64, usize)>,
}

impl PlainInput {
    /// Opens the first source; an error if it is not there.
    pub fn open(sources: &[RecordSource], framed: FileFraming) -> io::Result<Self> {
        for source in sources {
            if let RecordSource::File { path, .. } = source {
                let found = std::fs::metadata(path)?;
                if found.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
            }
        }
        let mut input = PlainInput {
            waiting: sources.iter().cloned().collect(),
            current: None,
            framed,
        };
        input.step()?;
        Ok(input)
    }

    fn step(&mut self) -> io::Result<bool> {
        let mut conversion = None;
        let (reader, format): (Box<dyn BufRead>, RecordFormat) = match self.waiting.pop_front() {
            None => {
                self.current = None;
                return Ok(false);
            }
            Some(RecordSource::File { path, format }) => {
                conversion.clone_from(&self.framed.conversion);
                (
                    Box::new(BufReader::new(File::open(path)?)),
                    format.unwrap_or(self.framed.default),
                )
            }
            Some(RecordSource::Lines(text)) => (
                Box::new(Cursor::new(text.into_bytes())),
                RecordFormat::Lines,
            ),
            Some(RecordSource::Input) => {
                (Box::new(BufReader::new(io::stdin())), RecordFormat::Lines)
            }
            Some(RecordSource::Store(_) | RecordSource::Output | RecordSource::Dummy) => {
                (Box::new(io::empty()), RecordFormat::Lines)
            }
        };
        self.current = Some(Stream {
            reader,
            format,
            conversion,
        });
        Ok(true)
    }

    /// The next record; `None` at the end.
    pub fn read(&mut self, max: usize) -> io::Result<Option<ReadRecord>> {
        while let Some(stream) = &mut self.current {
            let conversion = stream.conversion.as_deref();
            if let Some(taken) = take(&mut stream.reader, stream.format, conversion, max)? {
                return Ok(Some(taken));
            }
            self.step()?;
        }
        Ok(None)
    }
}

/// One record of a stream, as the program sees it.
fn take(
    reader: &mut dyn BufRead,
    format: RecordFormat,
    conversion: Option<&RecordConversion>,
    max: usize,
) -> io::Result<Option<ReadRecord>> {
    let Some(conversion) = conversion else {
        return take_raw(reader, format, LineBytes::of(None), max);
    };
    let bytes = LineBytes::of(Some(conversion));
    let Some(mut taken) = take_raw(reader, format, bytes, max)? else {
        return Ok(None);
    };
    if format == RecordFormat::Lines {
        // The rest of the record after the line's end is blank.
        taken.bytes.resize(max, bytes.blank);
    }
    taken.bytes = conversion.inward(&taken.bytes)?;
    Ok(Some(taken))
}

/// Reads one record of a stream without conversion.
fn take_raw(
    reader: &mut dyn BufRead,
    format: RecordFormat,
    bytes: LineBytes,
    max: usize,
) -> io::Result<Option<ReadRecord>> {
    if format == RecordFormat::Lines {
        return line(reader, bytes.end, max);
    }
    let mut wanted = max;
    if format == RecordFormat::Rdw {
        let mut word = [0; 4];
        match fill(reader, &mut word)? {
            0 => return Ok(None),
            4 => {}
            _ => return Err(cut()),
        }
        wanted = usize::from(u16::from_be_bytes([word[0], word[1]]));
        wanted = wanted.checked_sub(4).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "a record descriptor word is less than 4",
            )
        })?;
    }
    let mut bytes = vec![0; wanted];
    let got = fill(reader, &mut bytes)?;
    if format == RecordFormat::Rdw && got < wanted {
        return Err(cut());
    }
    if got == 0 && format == RecordFormat::Fixed {
        return Ok(None);
    }
    bytes.truncate(got.min(max));
    Ok(Some(ReadRecord {
        misfit: got > max || format == RecordFormat::Fixed && got < wanted,
        bytes,
    }))
}

fn cut() -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "the file ends within a record",
    )
}

/// Reads a line without its end. Bytes beyond `max` are skipped.
fn line(reader: &mut dyn BufRead, end_byte: u8, max: usize) -> io::Result<Option<ReadRecord>> {
    let mut bytes = Vec::new();
    let (mut is_any, mut misfit) = (false, false);
    loop {
        let here = reader.fill_buf()?;
        if here.is_empty() {
            break;
        }
        is_any = true;
        let end = here.iter().position(|b| *b == end_byte);
        let part = &here[..end.unwrap_or(here.len())];
        // One more than a record has, for the carriage return.
        let room = (max + 1).saturating_sub(bytes.len()).min(part.len());
        misfit |= room < part.len();
        bytes.extend_from_slice(&part[..room]);
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            break;
        }
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    misfit |= bytes.len() > max;
    bytes.truncate(max);
    Ok(is_any.then_some(ReadRecord { bytes, misfit }))
}

/// Reads until the buffer is full or the stream ends; how many bytes there were.
fn fill(reader: &mut (impl Read + ?Sized), into: &mut [u8]) -> io::Result<usize> {
    let mut at = 0;
    while at < into.len() {
        match reader.read(&mut into[at..]) {
            Ok(0) => break,
            Ok(n) => at += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(at)
}

impl PlainOutput {
    /// Opens the target of written records.
    pub fn open(
        source: &RecordSource,
        framed: FileFraming,
        append: bool,
        print: PrintFunction,
    ) -> io::Result<Self> {
        let mut conversion = None;
        let (sink, format) = match source {
            RecordSource::File { path, format } => {
                let mut options = OpenOptions::new();
                options.write(true).create(true);
                options.append(append).truncate(!append);
                let file = BufWriter::new(options.open(path)?);
                conversion = framed.conversion;
                (OutputSink::File(file), format.unwrap_or(framed.default))
            }
            RecordSource::Output => (OutputSink::Print(print), RecordFormat::Lines),
            RecordSource::Dummy => (OutputSink::Nowhere, RecordFormat::Lines),
            RecordSource::Store(_) | RecordSource::Lines(_) | RecordSource::Input => {
                return Err(io::ErrorKind::Unsupported.into());
            }
        };
        Ok(PlainOutput {
            sink,
            format,
            conversion,
            is_line_open: false,
            is_begun: append,
        })
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.sink {
            OutputSink::File(file) => file.write_all(bytes),
            OutputSink::Print(print) => {
                print(bytes);
                Ok(())
            }
            OutputSink::Nowhere => Ok(()),
        }
    }

    /// Writes a record.
    pub fn write(&mut self, record: &[u8], advance: LineAdvance) -> io::Result<()> {
        let converted = self.conversion.as_ref().map(|c| c.outward(record));
        let converted = converted.transpose()?;
        let record = converted.as_deref().unwrap_or(record);
        match self.format {
            RecordFormat::Fixed => return self.put(record),
            RecordFormat::Rdw => {
                let length = u16::try_from(record.len() + 4).map_err(|_| {
                    io::Error::new(io::ErrorKind::InvalidInput, "the record is too long")
                })?;
                let [high, low] = length.to_be_bytes();
                self.put(&[high, low, 0, 0])?;
                return self.put(record);
            }
            RecordFormat::Lines => {}
        }
        let blank = self.line_bytes().blank;
        let end = record
            .iter()
            .rposition(|b| *b != blank)
            .map_or(0, |at| at + 1);
        match advance {
            LineAdvance::After(0) if self.is_line_open => self.put(b"\r")?,
            LineAdvance::After(lines) => {
                // The first line of a page needs no advance.
                let lines = lines.saturating_sub(u32::from(!self.is_begun));
                self.lines(lines, self.is_line_open || !self.is_begun)?;
            }
            LineAdvance::AfterPage => {
                self.end_line()?;
                if self.is_begun {
                    self.put(b"\x0c")?;
                }
            }
            _ => self.end_line()?,
        }
        self.put(&record[..end])?;
        self.is_begun = true;
        self.is_line_open = true;
        match advance {
            LineAdvance::None => self.lines(1, true)?,
            LineAdvance::Before(lines) if lines > 0 => self.lines(lines, true)?,
            LineAdvance::BeforePage => {
                self.lines(1, true)?;
                self.put(b"\x0c")?;
            }
            // Lines that the program displays may follow.
            LineAdvance::After(_) | LineAdvance::AfterPage
                if matches!(self.sink, OutputSink::Print(_)) =>
            {
                self.end_line()?;
            }
            LineAdvance::Before(_) | LineAdvance::After(_) | LineAdvance::AfterPage => {}
        }
        Ok(())
    }

    /// Advances by this many lines. At the beginning of a line it is one less,
    /// because the previous line has ended.
    fn lines(&mut self, lines: u32, is_within: bool) -> io::Result<()> {
        let ends = if is_within {
            lines
        } else {
            lines.saturating_sub(1)
        };
        let end = [self.line_bytes().end];
        for _ in 0..ends {
            self.put(&end)?;
        }
        if ends > 0 {
            self.is_line_open = false;
        }
        Ok(())
    }

    fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_line_open) {
            self.put(&[self.line_bytes().end])?;
        }
        Ok(())
    }

    fn line_bytes(&self) -> LineBytes {
        LineBytes::of(self.conversion.as_deref())
    }

    /// Ends the last line and has everything written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.end_line()?;
        match &mut self.sink {
            OutputSink::File(file) => file.flush(),
            OutputSink::Print(_) | OutputSink::Nowhere => Ok(()),
        }
    }
}

impl PlainUpdate {
    /// Opens a file whose records can be replaced; lines cannot.
    pub fn open(
        path: &Path,
        format: Option<RecordFormat>,
        framed: FileFraming,
    ) -> io::Result<Self> {
        let format = format.unwrap_or(framed.default);
        if format == RecordFormat::Lines {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(PlainUpdate {
            file,
            format,
            conversion: framed.conversion,
            next: 0,
            last: None,
        })
    }

    /// The next record; `None` at the end.
    pub fn read(&mut self, max: usize) -> io::Result<Option<ReadRecord>> {
        self.last = None;
        self.file.seek(SeekFrom::Start(self.next))?;
        let mut reader = BufReader::new(&mut self.file);
        let taken = take(&mut reader, self.format, self.conversion.as_deref(), max)?;
        let after_record = reader.stream_position()?;
        if let Some(taken) = &taken {
            let prefix = if self.format == RecordFormat::Rdw {
                4
            } else {
                0
            };
            self.last = Some((self.next + prefix, taken.bytes.len()));
            self.next = after_record;
        }
        Ok(taken)
    }

    /// Puts a record in the place of the last one. Returns `false` if its length is
    /// another.
    pub fn rewrite(&mut self, record: &[u8]) -> io::Result<bool> {
        let converted = self.conversion.as_ref().map(|c| c.outward(record));
        let converted = converted.transpose()?;
        let record = converted.as_deref().unwrap_or(record);
        match self.last {
            Some((at, length)) if length == record.len() => {
                self.file.seek(SeekFrom::Start(at))?;
                self.file.write_all(record)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
