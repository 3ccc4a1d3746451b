//! Records to JSON and back by the `copybook-codec` library: the peer of the
//! copybook benches, as a program that reads, converts and writes as ours does.

use copybook_codec::options::{Codepage, RecordFormat};
use copybook_codec::{DecodeOptions, EncodeOptions, decode_file_to_jsonl, encode_jsonl_to_file};
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, what, copybook, from, to] = &arguments[..] else {
        return Err("decode|encode COPYBOOK FROM TO".into());
    };
    let schema = copybook_core::parse_copybook(&fs::read_to_string(copybook)?)?;
    let input = BufReader::with_capacity(BUFFER_BYTES, File::open(from)?);
    let mut output = BufWriter::with_capacity(BUFFER_BYTES, File::create(to)?);
    let summary = match &what[..] {
        "decode" => {
            let options = DecodeOptions::new()
                .with_codepage(Codepage::CP037)
                .with_format(RecordFormat::Fixed);
            decode_file_to_jsonl(&schema, input, &mut output, &options)?
        }
        _ => {
            let options = EncodeOptions::new()
                .with_codepage(Codepage::CP037)
                .with_format(RecordFormat::Fixed);
            encode_jsonl_to_file(&schema, input, &mut output, &options)?
        }
    };
    output.flush()?;
    match summary.records_with_errors {
        0 => Ok(()),
        errors => Err(format!("{errors} records failed").into()),
    }
}

const BUFFER_BYTES: usize = 1 << 20;
