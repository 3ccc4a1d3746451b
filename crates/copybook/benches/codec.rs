//! Records to JSON text and back, one thread; throughput counts record bytes.

mod dataset;

use copybook::{CodePage, CodecOptions, RecordCodec};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Enough different records that branches are not learnt by heart, few enough
/// to stay in the second-level cache.
const RECORDS: usize = 256;

fn options(page: &str) -> CodecOptions {
    CodecOptions {
        code_page: CodePage::by_name(page).expect("a known page"),
        ..CodecOptions::default()
    }
}

#[divan::bench(args = ["ASCII", "UTF-8", "037"])]
fn record_decode(bencher: Bencher<'_, '_>, page: &str) {
    let options = options(page);
    let codec = RecordCodec::build(&dataset::layout(), &options).expect("it compiles");
    let records = dataset::records(&options, RECORDS);
    let mut out = Vec::with_capacity(4096);
    bencher
        .counter(BytesCount::new(records.len()))
        .bench_local(|| {
            for record in black_box(&records).chunks_exact(codec.max_len()) {
                out.clear();
                codec.decode(record, &mut out).expect("valid");
                black_box(&out);
            }
        });
}

#[divan::bench(args = ["ASCII", "UTF-8", "037"])]
fn record_encode(bencher: Bencher<'_, '_>, page: &str) {
    let options = options(page);
    let codec = RecordCodec::build(&dataset::layout(), &options).expect("it compiles");
    let texts: Vec<String> = (0..RECORDS as u64).map(dataset::customer).collect();
    let mut area = vec![0; codec.max_len()];
    bencher
        .counter(BytesCount::new(RECORDS * codec.max_len()))
        .bench_local(|| {
            for json in black_box(&texts) {
                codec.encode(json.as_bytes(), &mut area).expect("it fits");
                black_box(&area);
            }
        });
}

#[divan::bench(args = ["ASCII", "UTF-8", "037"])]
fn long_text_decode(bencher: Bencher<'_, '_>, page: &str) {
    let layout = copybook::parse(
        "       01  BODY.\n           05  TEXT-DATA PIC X(131072).\n",
        &copybook::ParseOptions::default(),
    )
    .expect("it parses")
    .remove(0);
    let options = options(page);
    let codec = RecordCodec::build(&layout, &options).expect("it compiles");
    let letter = options.code_page.byte_of('A').expect("it has letters");
    let record = vec![letter; codec.max_len()];
    let mut out = Vec::with_capacity(200_000);
    bencher
        .counter(BytesCount::new(record.len()))
        .bench_local(|| {
            out.clear();
            codec.decode(black_box(&record), &mut out).expect("valid");
            black_box(&out);
        });
}
