//! The record that the codec's benchmarks move: a customer of 740 bytes, names
//! and addresses, zoned and packed amounts, binary identifiers, a small table.

use copybook::{CodecOptions, ParseOptions, RecordCodec, RecordLayout};

/// The copybook.
pub const CUSTOMER: &str = include_str!("customer.cpy");

/// Its layout.
pub fn layout() -> RecordLayout {
    let mut layouts = copybook::parse(CUSTOMER, &ParseOptions::default()).expect("it parses");
    layouts.remove(0)
}

/// `count` different records, one after the other, in the options' code page.
pub fn records(options: &CodecOptions, count: usize) -> Vec<u8> {
    let codec = RecordCodec::build(&layout(), options).expect("it compiles");
    let mut out = Vec::new();
    let mut area = vec![0; codec.max_len()];
    for n in 0..count {
        let json = customer(n as u64);
        let len = codec.encode(json.as_bytes(), &mut area).expect("it fits");
        out.extend_from_slice(&area[..len]);
    }
    out
}

/// The JSON text of one customer, its members in the order of the copybook.
pub fn customer(n: u64) -> String {
    // From a seed, so that every run moves the same bytes.
    let mut random = base::SeededRandom::new(n);
    let mut next = move |below: u64| random.below(below);
    let pick = |k: u64, words: &[&str]| words[k as usize % words.len()].to_string();
    let lines: Vec<String> = (0..5)
        .map(|_| {
            format!(
                r#"{{"ORDER-NO":{},"ORDER-DATE":{},"ORDER-AMOUNT":{}.{:02},"ORDER-STATUS":"{}","ORDER-TEXT":"{}"}}"#,
                next(1_000_000_000),
                20_000_101 + next(300_000),
                next(9_999_999),
                next(100),
                pick(next(4), &["OPEN", "PAID", "LATE", "VOID"]),
                pick(next(3), &["Garden chairs, set of four", "Ladder", "Paint and brushes"]),
            )
        })
        .collect();
    format!(
        concat!(
            r#"{{"CUST-ID":{},"CUST-KEY":"{:08}","#,
            r#""NAME":{{"TITLE":"{}","FIRST-NAME":"{}","LAST-NAME":"{}"}},"#,
            r#""ADDRESS":{{"STREET":"{} {}","CITY":"{}","REGION":"{}","POSTCODE":"{:05}","COUNTRY":"{}"}},"#,
            r#""PHONE":"+1 555 {:07}","EMAIL":"{}.{}@example.com","#,
            r#""BIRTH-DATE":{},"OPENED":{},"CREDIT-LIMIT":{},"BALANCE":{}{}.{:02},"#,
            r#""INTEREST":{}.{:04},"SCORE":{},"VISITS":{},"POINTS":{},"FLAGS":"{}","#,
            r#""ORDER-COUNT":5,"ORDERS":[{}],"REMARKS":"{}"}}"#
        ),
        next(1_000_000_000),
        next(100_000_000),
        pick(next(3), &["Ms", "Mr", "Dr"]),
        pick(
            next(5),
            &["Ada", "Grace", "Edsger", "Barbara", "Jean-Baptiste"]
        ),
        pick(
            next(5),
            &[
                "Lovelace",
                "Hopper",
                "Dijkstra",
                "Liskov",
                "Vanderbilt-Harrington"
            ]
        ),
        1 + next(900),
        pick(
            next(3),
            &["Main Street", "Old Mill Road", "Upper Thames Embankment"]
        ),
        pick(
            next(4),
            &["Tupelo", "Springfield", "Newcastle upon Tyne", "Bern"]
        ),
        pick(next(3), &["Mississippi", "Ohio", "Tyne and Wear"]),
        next(100_000),
        pick(next(3), &["US", "GB", "CH"]),
        next(10_000_000),
        pick(next(3), &["ada", "grace", "edsger"]),
        pick(next(3), &["lovelace", "hopper", "dijkstra"]),
        19_300_101 + next(700_000),
        20_000_101 + next(240_000),
        next(1_000_000),
        if next(4) == 0 { "-" } else { "" },
        next(9_999_999),
        next(100),
        next(20),
        next(10_000),
        next(1000),
        next(10_000),
        next(1_000_000_000),
        pick(next(3), &["YNYNNNNN", "NNNNNNNN", "YYYY"]),
        lines.join(","),
        pick(
            next(3),
            &[
                "Prefers to be called in the afternoon.",
                "",
                "Moved twice within a year; check the address before sending anything heavy.",
            ],
        ),
    )
}
