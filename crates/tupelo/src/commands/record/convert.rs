//! `tupelo record decode` and `tupelo record encode`.
//!
//! The codec's streams do the work: memory does not grow with the number of records.
//! Records follow each other directly, or with `--rdw` each after a four-byte record
//! descriptor word. Without it, the length of a variable record comes from its own
//! counters.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;

use copybook::codec::stream::{StreamFraming, decode_lines, encode_lines};
use copybook::codec::{
    RedefinesChoice, RecordCodec, CodecOptions, InvalidPolicy, LongRecord, SourceMachine, NumberForm, RedefinesRule, ShortRecord, BlankTrimming,
};
use copybook::codepage::CodePage;
use miette::{Context, IntoDiagnostic, Result, miette};

use super::source::CopybookSource;
use crate::Outcome;

/// Convert records to JSON, one object a line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo record decode ACCOUNT.cpy accounts.bin --code-page cp037 -o accounts.jsonl")]
pub struct DecodeArgs {
    #[command(flatten)]
    common: ConvertOptions,
    /// Treatment of bytes that a field's type does not allow.
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
    common: ConvertOptions,
}

#[derive(Debug, clap::Args)]
struct ConvertOptions {
    #[command(flatten)]
    source: CopybookSource,
    /// What to convert; standard input when absent.
    input: Option<PathBuf>,
    /// Where to write; standard output when absent.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// The record, when the copybook has several.
    #[arg(long)]
    record: Option<String>,
    /// Code page of the records: ascii, utf-8, latin-1, cp037, cp1047 … With an
    /// EBCDIC page COMP-5 is big-endian, and floats are hexadecimal.
    #[arg(long, default_value = "ascii")]
    code_page: String,
    /// Records are of variable length, each after a record descriptor word.
    #[arg(long)]
    rdw: bool,
    /// The description of redefined storage that is used, as `ITEM=NAME`; `all` for every one
    /// with valid data. May be given several times.
    #[arg(long, value_name = "ITEM=NAME")]
    redefines: Vec<String>,
    /// The value of another field chooses the description of redefined
    /// storage: `ITEM:FIELD:VALUE=NAME,VALUE=NAME,*=NAME`, where `*` is any
    /// other value. May be given several times.
    #[arg(long, value_name = "ITEM:FIELD:CASES")]
    redefines_by: Vec<String>,
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

impl ConvertOptions {
    fn options(&self) -> Result<CodecOptions> {
        let code_page = CodePage::by_name(&self.code_page).into_diagnostic()?;
        let mut options = CodecOptions {
            code_page,
            // Records in EBCDIC come from a mainframe, and so do their numbers.
            machine: if code_page.is_ebcdic() {
                SourceMachine::Mainframe
            } else {
                SourceMachine::Here
            },
            ..CodecOptions::default()
        };
        for rule in &self.redefines {
            if rule == "all" {
                options.other_redefines = RedefinesChoice::AllValid;
                continue;
            }
            let (item, name) = rule
                .split_once('=')
                .ok_or_else(|| miette!("--redefines {rule}: write ITEM=NAME, or all"))?;
            options.redefines.push(RedefinesRule {
                item: item.to_owned(),
                choice: RedefinesChoice::Named(name.to_owned()),
            });
        }
        for rule in &self.redefines_by {
            options.redefines.push(by_value(rule).ok_or_else(|| {
                miette!(
                    "--redefines-by {rule}: write ITEM:FIELD:VALUE=NAME, with more VALUE=NAME \
                     after commas and *=NAME for any other value"
                )
            })?);
        }
        Ok(options)
    }

    /// Without descriptor words, counters in the records determine their length.
    fn framing(&self, codec: &RecordCodec) -> StreamFraming {
        match (self.rdw, codec.is_variable()) {
            (true, _) => StreamFraming::Rdw,
            (false, true) => StreamFraming::SelfDescribing,
            (false, false) => StreamFraming::Fixed(codec.max_len()),
        }
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

/// Reads `ITEM:FIELD:VALUE=NAME,VALUE=NAME,*=NAME`.
fn by_value(rule: &str) -> Option<RedefinesRule> {
    let (item, rest) = rule.split_once(':')?;
    let (field, list) = rest.split_once(':')?;
    let (mut cases, mut otherwise) = (Vec::new(), None);
    for case in list.split(',') {
        let (value, name) = case.split_once('=')?;
        if value == "*" {
            otherwise = Some(name.to_owned());
        } else {
            cases.push((value.to_owned(), name.to_owned()));
        }
    }
    Some(RedefinesRule {
        item: item.to_owned(),
        choice: RedefinesChoice::ByValue {
            field: field.to_owned(),
            cases,
            otherwise,
        },
    })
}

/// Records to JSON lines.
pub fn decode(args: DecodeArgs) -> Result<Outcome> {
    let layout = args.common.source.record(args.common.record.as_deref())?;
    let mut options = args.common.options()?;
    options.invalid = match args.invalid {
        InvalidData::Error => InvalidPolicy::Error,
        InvalidData::Null => InvalidPolicy::Null,
        InvalidData::Raw => InvalidPolicy::Raw,
    };
    if args.numbers_as_text {
        options.numbers = NumberForm::Text;
    }
    if args.keep_blanks {
        options.trim = BlankTrimming::Keep;
    }
    options.omit_empty = args.omit_empty;
    if args.common.rdw {
        // The word has the length of the record: fields after its end are absent, and
        // unused entries of a table may follow.
        options.short_record = ShortRecord::Absent;
        options.long_record = LongRecord::Slack;
    }
    let codec = RecordCodec::build(&layout, &options).into_diagnostic()?;
    let (input, output) = (args.common.reader()?, args.common.writer()?);
    decode_lines(&codec, args.common.framing(&codec), input, output).into_diagnostic()?;
    Ok(Outcome::Clean)
}

/// JSON lines to records.
pub fn encode(args: EncodeArgs) -> Result<Outcome> {
    let layout = args.common.source.record(args.common.record.as_deref())?;
    let codec = RecordCodec::build(&layout, &args.common.options()?).into_diagnostic()?;
    let (input, output) = (args.common.reader()?, args.common.writer()?);
    encode_lines(&codec, args.common.framing(&codec), input, output).into_diagnostic()?;
    Ok(Outcome::Clean)
}

/// Large enough that the time of system calls is negligible.
const BUFFER_BYTES: usize = 256 << 10;
