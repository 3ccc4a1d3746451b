//! The records of a data set that LOAD reads, and those that it discards.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::ops::ControlFlow;
use std::path::Path;

use batch::{DdAllocation, FileFraming, PlainInput, RecordFormat, RecordSource};
use miette::{Context, IntoDiagnostic, Result, miette};
use store::{DiskReader, ReadStore, SeekKey};

use crate::app::Application;

/// Columns of a record in the job itself.
const CARD_BYTES: usize = 80;
/// Longest record.
const MOST_BYTES: usize = 64 << 10;

type EachRecord<'e> = dyn FnMut(&[u8]) -> ControlFlow<()> + 'e;

/// Passes each record of a DD to `each`, until it breaks.
pub fn each_record(app: &Application, dd: &DdAllocation, each: &mut EachRecord<'_>) -> Result<()> {
    for source in &dd.sources {
        let ended = match source {
            RecordSource::File { path, format } => {
                let read = sequential(source, *format, dd.record_bytes, each);
                read.wrap_err_with(|| format!("cannot read {}", path.display()))?
            }
            RecordSource::Input => sequential(source, None, None, each)?,
            RecordSource::Lines(text) => cards(text, dd.record_bytes, each),
            RecordSource::Store(name) => stored(app, name, each)?,
            RecordSource::Output | RecordSource::Dummy => ControlFlow::Continue(()),
        };
        if ended.is_break() {
            break;
        }
    }
    Ok(())
}

/// Records in the job: lines of 80 columns.
fn cards(text: &str, length: Option<u32>, each: &mut EachRecord<'_>) -> ControlFlow<()> {
    let length = length.map_or(CARD_BYTES, |length| CARD_BYTES.max(length as usize));
    for line in text.lines() {
        each(format!("{line:length$}").as_bytes())?;
    }
    ControlFlow::Continue(())
}

/// Records of a file of the machine. One that the end of the file cuts is passed as it is,
/// if all records have one length.
fn sequential(
    source: &RecordSource,
    format: Option<RecordFormat>,
    length: Option<u32>,
    each: &mut EachRecord<'_>,
) -> Result<ControlFlow<()>> {
    let default = if length.is_some() {
        RecordFormat::Fixed
    } else {
        RecordFormat::Rdw
    };
    let most = match (format.unwrap_or(default), length) {
        (RecordFormat::Fixed, Some(length)) => length.max(1) as usize,
        _ => MOST_BYTES,
    };
    let framing = FileFraming {
        default,
        conversion: None,
    };
    let sources = std::slice::from_ref(source);
    let mut input = PlainInput::open(sources, framing).into_diagnostic()?;
    while let Some(record) = input.read(most).into_diagnostic()? {
        if record.misfit && record.bytes.len() == MOST_BYTES {
            return Err(miette!("a record has more than {MOST_BYTES} bytes"));
        }
        if each(&record.bytes).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The records of a file of the store.
fn stored(app: &Application, name: &str, each: &mut EachRecord<'_>) -> Result<ControlFlow<()>> {
    let mut reader = DiskReader::open(&app.store_path(), &app.store_options()).into_diagnostic()?;
    let name = name.parse().into_diagnostic()?;
    let file = reader.find(&name).into_diagnostic()?;
    let file = file.ok_or_else(|| miette!("{name} is not a file of the store"))?;
    let mut ended = ControlFlow::Continue(());
    let scanned = reader.scan(file.id, SeekKey::First, &mut |view| {
        ended = each(view.record);
        ended
    });
    scanned.into_diagnostic()?;
    Ok(ended)
}

/// The data set of discarded records, in the format of the input.
pub struct DiscardWriter {
    file: Option<BufWriter<Box<dyn Write>>>,
    format: RecordFormat,
}

impl DiscardWriter {
    /// Over a DD; without one, discarded records are only counted.
    pub fn open(dd: Option<&DdAllocation>, format: RecordFormat) -> Result<DiscardWriter> {
        let mut own = format;
        let file: Option<Box<dyn Write>> = match dd.and_then(|dd| dd.sources.first()) {
            Some(RecordSource::File { path, format }) => {
                own = format.unwrap_or(own);
                Some(Box::new(create(path, dd.is_some_and(|dd| dd.append))?))
            }
            Some(RecordSource::Output) => {
                own = RecordFormat::Lines;
                Some(Box::new(std::io::stdout()))
            }
            Some(RecordSource::Store(name)) => {
                return Err(miette!("discarded records cannot be written to {name} of the store"));
            }
            _ => None,
        };
        Ok(DiscardWriter {
            file: file.map(BufWriter::new),
            format: own,
        })
    }

    /// Writes a record.
    pub fn write(&mut self, record: &[u8]) -> Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let written = match self.format {
            RecordFormat::Fixed => file.write_all(record),
            RecordFormat::Lines => file.write_all(&[record, b"\n"].concat()),
            RecordFormat::Rdw => {
                let length = u16::try_from(record.len() + 4).unwrap_or(u16::MAX);
                let [high, low] = length.to_be_bytes();
                file.write_all(&[&[high, low, 0, 0], record].concat())
            }
        };
        written.into_diagnostic()
    }

    /// All records are written.
    pub fn finish(&mut self) -> Result<()> {
        match self.file.as_mut().map(Write::flush) {
            Some(Err(error)) if error.kind() != ErrorKind::BrokenPipe => {
                Err(error).into_diagnostic()
            }
            _ => Ok(()),
        }
    }
}

fn create(path: &Path, appends: bool) -> Result<File> {
    let mut options = File::options();
    options.create(true).write(true);
    options.append(appends).truncate(!appends);
    let file = options.open(path).into_diagnostic();
    file.wrap_err_with(|| format!("cannot write {}", path.display()))
}
