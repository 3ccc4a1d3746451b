//! `tupelo record decode` and `tupelo record encode`.
//!
//! Records stream: memory does not grow with the number of them. Fixed-length
//! records stand one after the other; with `--rdw` each stands behind a
//! four-byte record descriptor word (length including the word, two zeros).

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;

use copybook::codec::{Choice, Codec, CodecOptions, Invalid, NumberForm, RedefinesRule, Trim};
use copybook::codepage::CodePage;
use miette::{Context, IntoDiagnostic, Result, bail, miette};

use super::source::Source;
use crate::Outcome;

/// Convert records to JSON, one object a line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo record decode ACCOUNT.cpy accounts.bin --code-page cp037 -o accounts.jsonl")]
pub struct DecodeArgs {
    #[command(flatten)]
    common: Common,
    /// What becomes of bytes that a field's type does not allow.
    #[arg(long, value_enum, default_value = "error")]
    invalid: InvalidData,
    /// Numbers as JSON strings.
    #[arg(long)]
    numbers_as_text: bool,
    /// Keep the blanks that pad text.
    #[arg(long)]
    keep_blanks: bool,
    /// Leave out empty text.
    #[arg(long)]
    omit_empty: bool,
}

/// Convert JSON objects, one a line, to records.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo record encode ACCOUNT.cpy accounts.jsonl --code-page cp037 -o accounts.bin")]
pub struct EncodeArgs {
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct Common {
    #[command(flatten)]
    source: Source,
    /// What to convert; standard input when absent.
    input: Option<PathBuf>,
    /// Where to write; standard output when absent.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// The record, when the copybook has several.
    #[arg(long)]
    record: Option<String>,
    /// Code page of the records: ascii, utf-8, latin-1, cp037, cp1047 …
    #[arg(long, default_value = "ascii")]
    code_page: String,
    /// Records are of variable length behind record descriptor words.
    #[arg(long)]
    rdw: bool,
    /// Which description of redefined storage counts, as `ITEM=NAME`; `all`
    /// for every one whose data are valid. May be given several times.
    #[arg(long, value_name = "ITEM=NAME")]
    redefines: Vec<String>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum InvalidData {
    /// Stop, and name the field, its offset and its bytes.
    Error,
    /// Write null.
    Null,
    /// Write the bytes in hexadecimal.
    Raw,
}

impl Common {
    fn options(&self) -> Result<CodecOptions> {
        let mut options = CodecOptions {
            code_page: CodePage::by_name(&self.code_page).into_diagnostic()?,
            ..CodecOptions::default()
        };
        for rule in &self.redefines {
            if rule == "all" {
                options.other_redefines = Choice::AllValid;
                continue;
            }
            let (item, name) = rule
                .split_once('=')
                .ok_or_else(|| miette!("--redefines {rule}: write ITEM=NAME, or all"))?;
            options.redefines.push(RedefinesRule {
                item: item.to_owned(),
                choice: Choice::Named(name.to_owned()),
            });
        }
        Ok(options)
    }

    fn reader(&self) -> Result<Box<dyn BufRead>> {
        Ok(match &self.input {
            Some(path) => Box::new(BufReader::with_capacity(
                BUFFER_BYTES,
                File::open(path)
                    .into_diagnostic()
                    .wrap_err_with(|| format!("cannot read {}", path.display()))?,
            )),
            None => Box::new(BufReader::with_capacity(BUFFER_BYTES, io::stdin().lock())),
        })
    }

    fn writer(&self) -> Result<Box<dyn Write>> {
        Ok(match &self.output {
            Some(path) => Box::new(BufWriter::with_capacity(
                BUFFER_BYTES,
                File::create(path)
                    .into_diagnostic()
                    .wrap_err_with(|| format!("cannot write {}", path.display()))?,
            )),
            None => Box::new(BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock())),
        })
    }
}

/// Records to JSON lines.
pub fn decode(args: DecodeArgs) -> Result<Outcome> {
    let layout = args.common.source.record(args.common.record.as_deref())?;
    let mut options = args.common.options()?;
    options.invalid = match args.invalid {
        InvalidData::Error => Invalid::Error,
        InvalidData::Null => Invalid::Null,
        InvalidData::Raw => Invalid::Raw,
    };
    if args.numbers_as_text {
        options.numbers = NumberForm::Text;
    }
    if args.keep_blanks {
        options.trim = Trim::Keep;
    }
    options.omit_empty = args.omit_empty;
    let codec = Codec::build(&layout, &options).into_diagnostic()?;
    let mut input = args.common.reader()?;
    let mut output = args.common.writer()?;
    let mut record = vec![0; layout.length as usize];
    let mut json = Vec::new();
    let mut number = 0u64;
    while let Some(bytes) = next_record(&mut input, &mut record, args.common.rdw, number + 1)? {
        number += 1;
        json.clear();
        codec
            .decode(&record[..bytes], &mut json)
            .map_err(|e| miette!("record {number}: {e}"))?;
        json.push(b'\n');
        output.write_all(&json).into_diagnostic()?;
    }
    output.flush().into_diagnostic()?;
    Ok(Outcome::Clean)
}

/// The next record's length in `record`; `None` at the end.
fn next_record(
    input: &mut dyn BufRead,
    record: &mut Vec<u8>,
    rdw: bool,
    number: u64,
) -> Result<Option<usize>> {
    if !rdw {
        let got = fill(input, record)?;
        return match got {
            0 => Ok(None),
            got if got == record.len() => Ok(Some(got)),
            got => bail!(
                "record {number}: only {got} of {} bytes are left; is this the right copybook?",
                record.len()
            ),
        };
    }
    let mut word = [0; 4];
    match fill(input, &mut word)? {
        0 => return Ok(None),
        4 => {}
        got => bail!("record {number}: only {got} bytes are left where its descriptor word should be"),
    }
    let total = usize::from(u16::from_be_bytes([word[0], word[1]]));
    if total < 4 || word[2..] != [0, 0] {
        bail!("record {number}: {word:02x?} is not a record descriptor word");
    }
    record.resize(total - 4, 0);
    let got = fill(input, record)?;
    if got != total - 4 {
        bail!("record {number}: only {got} of {} bytes are left", total - 4);
    }
    Ok(Some(got))
}

fn fill(input: &mut dyn BufRead, into: &mut [u8]) -> Result<usize> {
    let mut got = 0;
    while got < into.len() {
        match input.read(&mut into[got..]).into_diagnostic()? {
            0 => break,
            n => got += n,
        }
    }
    Ok(got)
}

/// JSON lines to records.
pub fn encode(args: EncodeArgs) -> Result<Outcome> {
    let layout = args.common.source.record(args.common.record.as_deref())?;
    let codec = Codec::build(&layout, &args.common.options()?).into_diagnostic()?;
    let mut input = args.common.reader()?;
    let mut output = args.common.writer()?;
    let mut record = vec![0; layout.length as usize];
    let mut line = Vec::new();
    let mut number = 0u64;
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).into_diagnostic()? == 0 {
            break;
        }
        number += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let bytes = codec
            .encode(&line, &mut record)
            .map_err(|e| miette!("line {number}: {e}"))?;
        if args.common.rdw {
            let total = u16::try_from(bytes + 4)
                .map_err(|_| miette!("line {number}: {bytes} bytes do not fit a record descriptor word"))?;
            output.write_all(&total.to_be_bytes()).into_diagnostic()?;
            output.write_all(&[0, 0]).into_diagnostic()?;
        }
        output.write_all(&record[..bytes]).into_diagnostic()?;
    }
    output.flush().into_diagnostic()?;
    Ok(Outcome::Clean)
}

/// Large enough that system calls do not count.
const BUFFER_BYTES: usize = 256 << 10;
