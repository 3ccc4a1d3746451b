//! Files of the machine: standard input and output, lines of a job, and files
//! in one of three formats, read, written, added to and rewritten in sequence.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::dd::{Format, Source};

/// Writes to standard output, where the program's own lines go too.
pub type Print = fn(&[u8]);

/// What goes before and after a record on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
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

/// A record that was read.
#[derive(Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its bytes, no more than the longest record has.
    pub bytes: Vec<u8>,
    /// Whether it was longer, or ended before a fixed length.
    pub misfit: bool,
}

/// An open file of the machine.
pub enum Plain {
    /// Read.
    Input(Input),
    /// Written.
    Output(Output),
    /// Read and rewritten.
    Update(Update),
}

/// Sources that are read one after the other.
pub struct Input {
    waiting: VecDeque<Source>,
    current: Option<(Box<dyn BufRead>, Format)>,
    default: Format,
}

/// Where records are written.
pub struct Output {
    sink: Sink,
    format: Format,
    /// The line has no end yet.
    is_line_open: bool,
    is_begun: bool,
}

enum Sink {
    File(BufWriter<File>),
    Print(Print),
    Nowhere,
}

/// A file of which records are replaced by others of their length.
pub struct Update {
    file: File,
    format: Format,
    /// Where the next record begins.
    next: u64,
    /// Where the last one's bytes are, and how many.
    last: Option<(u64, usize)>,
}

impl Input {
    /// Opens the first source; an error if it is not there.
    pub fn open(sources: &[Source], default: Format) -> io::Result<Self> {
        for source in sources {
            if let Source::File { path, .. } = source {
                let found = std::fs::metadata(path)?;
                if found.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
            }
        }
        let mut input = Input {
            waiting: sources.iter().cloned().collect(),
            current: None,
            default,
        };
        input.step()?;
        Ok(input)
    }

    fn step(&mut self) -> io::Result<bool> {
        let (reader, format): (Box<dyn BufRead>, Format) = match self.waiting.pop_front() {
            None => {
                self.current = None;
                return Ok(false);
            }
            Some(Source::File { path, format }) => (
                Box::new(BufReader::new(File::open(path)?)),
                format.unwrap_or(self.default),
            ),
            Some(Source::Lines(text)) => (Box::new(Cursor::new(text.into_bytes())), Format::Lines),
            Some(Source::Input) => (Box::new(BufReader::new(io::stdin())), Format::Lines),
            Some(Source::Store(_) | Source::Output | Source::Dummy) => {
                (Box::new(io::empty()), Format::Lines)
            }
        };
        self.current = Some((reader, format));
        Ok(true)
    }

    /// The next record; `None` at the end.
    pub fn read(&mut self, max: usize) -> io::Result<Option<Taken>> {
        while let Some((reader, format)) = &mut self.current {
            if let Some(taken) = take(reader, *format, max)? {
                return Ok(Some(taken));
            }
            self.step()?;
        }
        Ok(None)
    }
}

/// One record of a stream.
fn take(reader: &mut dyn BufRead, format: Format, max: usize) -> io::Result<Option<Taken>> {
    if format == Format::Lines {
        return line(reader, max);
    }
    let mut wanted = max;
    if format == Format::Rdw {
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
                "a record descriptor word says less than 4",
            )
        })?;
    }
    let mut bytes = vec![0; wanted];
    let got = fill(reader, &mut bytes)?;
    if format == Format::Rdw && got < wanted {
        return Err(cut());
    }
    if got == 0 && format == Format::Fixed {
        return Ok(None);
    }
    bytes.truncate(got.min(max));
    Ok(Some(Taken {
        misfit: got > max || format == Format::Fixed && got < wanted,
        bytes,
    }))
}

fn cut() -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "the file ends within a record",
    )
}

/// A line without its end, however long: what is beyond `max` is passed over.
fn line(reader: &mut dyn BufRead, max: usize) -> io::Result<Option<Taken>> {
    let mut bytes = Vec::new();
    let (mut is_any, mut misfit) = (false, false);
    loop {
        let here = reader.fill_buf()?;
        if here.is_empty() {
            break;
        }
        is_any = true;
        let end = here.iter().position(|b| *b == b'\n');
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
    Ok(is_any.then_some(Taken { bytes, misfit }))
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

impl Output {
    /// Opens what records are written to.
    pub fn open(source: &Source, default: Format, append: bool, print: Print) -> io::Result<Self> {
        let (sink, format) = match source {
            Source::File { path, format } => {
                let mut options = OpenOptions::new();
                options.write(true).create(true);
                options.append(append).truncate(!append);
                let file = BufWriter::new(options.open(path)?);
                (Sink::File(file), format.unwrap_or(default))
            }
            Source::Output => (Sink::Print(print), Format::Lines),
            Source::Dummy => (Sink::Nowhere, Format::Lines),
            Source::Store(_) | Source::Lines(_) | Source::Input => {
                return Err(io::ErrorKind::Unsupported.into());
            }
        };
        Ok(Output {
            sink,
            format,
            is_line_open: false,
            is_begun: append,
        })
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.sink {
            Sink::File(file) => file.write_all(bytes),
            Sink::Print(print) => {
                print(bytes);
                Ok(())
            }
            Sink::Nowhere => Ok(()),
        }
    }

    /// Writes a record.
    pub fn write(&mut self, record: &[u8], advance: Advance) -> io::Result<()> {
        match self.format {
            Format::Fixed => return self.put(record),
            Format::Rdw => {
                let length = u16::try_from(record.len() + 4).map_err(|_| {
                    io::Error::new(io::ErrorKind::InvalidInput, "the record is too long")
                })?;
                let [high, low] = length.to_be_bytes();
                self.put(&[high, low, 0, 0])?;
                return self.put(record);
            }
            Format::Lines => {}
        }
        let end = record
            .iter()
            .rposition(|b| *b != b' ')
            .map_or(0, |at| at + 1);
        match advance {
            Advance::After(0) if self.is_line_open => self.put(b"\r")?,
            Advance::After(lines) => {
                // The first line of a page needs no advance.
                let lines = lines.saturating_sub(u32::from(!self.is_begun));
                self.lines(lines, self.is_line_open || !self.is_begun)?;
            }
            Advance::AfterPage => {
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
            Advance::None => self.lines(1, true)?,
            Advance::Before(lines) if lines > 0 => self.lines(lines, true)?,
            Advance::BeforePage => {
                self.lines(1, true)?;
                self.put(b"\x0c")?;
            }
            // Lines that the program displays may come next.
            Advance::After(_) | Advance::AfterPage if matches!(self.sink, Sink::Print(_)) => {
                self.end_line()?;
            }
            Advance::Before(_) | Advance::After(_) | Advance::AfterPage => {}
        }
        Ok(())
    }

    /// Goes on by so many lines. At the begin of a line that is one less, for
    /// the line before it has ended.
    fn lines(&mut self, lines: u32, is_within: bool) -> io::Result<()> {
        let ends = if is_within {
            lines
        } else {
            lines.saturating_sub(1)
        };
        for _ in 0..ends {
            self.put(b"\n")?;
        }
        if ends > 0 {
            self.is_line_open = false;
        }
        Ok(())
    }

    fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_line_open) {
            self.put(b"\n")?;
        }
        Ok(())
    }

    /// Ends the last line and has everything written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.end_line()?;
        match &mut self.sink {
            Sink::File(file) => file.flush(),
            Sink::Print(_) | Sink::Nowhere => Ok(()),
        }
    }
}

impl Update {
    /// Opens a file whose records can be replaced; lines cannot.
    pub fn open(path: &Path, format: Format) -> io::Result<Self> {
        if format == Format::Lines {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Update {
            file,
            format,
            next: 0,
            last: None,
        })
    }

    /// The next record; `None` at the end.
    pub fn read(&mut self, max: usize) -> io::Result<Option<Taken>> {
        self.last = None;
        self.file.seek(SeekFrom::Start(self.next))?;
        let mut reader = BufReader::new(&mut self.file);
        let taken = take(&mut reader, self.format, max)?;
        let behind = reader.stream_position()?;
        if let Some(taken) = &taken {
            let prefix = if self.format == Format::Rdw { 4 } else { 0 };
            self.last = Some((self.next + prefix, taken.bytes.len()));
            self.next = behind;
        }
        Ok(taken)
    }

    /// Puts a record in the place of the last one; false if its length is
    /// another.
    pub fn rewrite(&mut self, record: &[u8]) -> io::Result<bool> {
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
