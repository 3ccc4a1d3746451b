//! Records to XML and back, against the XML library alone.
//!
//! The peer is the crate `quick-xml` under the same documents: it reads every
//! event of them with its text, or writes them from events that are there
//! already, and converts nothing. Both run in this process on one thread; MB/s
//! count bytes of XML.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, anyhow};
use quick_xml::events::Event;
use quick_xml::{Reader, Writer};
use soap::xml::NamespaceScopes;
use soap::{XmlCodec, XmlOptions};

use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, alternate};

/// The benches of web services.
pub const BENCHES: &[BenchEntry] = &[BenchEntry {
    name: "web-soap-codec",
    about: "record to XML and back, one thread, against quick-xml alone",
    run: codec,
}];

fn codec(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let (structure, _) = soap::wsdl::structure_of(COPYBOOK, "customer", "urn:bench")
        .map_err(|finding| anyhow::anyhow!("{finding}"))?;
    let codec = XmlCodec::build(&structure, &XmlOptions::default())?;
    let documents: Vec<String> = (0..DOCUMENTS).map(document).collect();
    let mut records = Vec::new();
    for text in &documents {
        records.push(codec.encode(text, NamespaceScopes::new())?.record);
    }
    let megabytes = documents.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    let mut out = Vec::with_capacity(1 << 16);
    let mut written = Vec::with_capacity(1 << 16);
    let events = events(&documents[0])?;
    let one = documents[0].len() as f64 * DOCUMENTS as f64 / 1e6;
    let (ours, theirs) = alternate(
        setting.rounds,
        || {
            timed(megabytes, || {
                for record in &records {
                    out.clear();
                    codec.decode(black_box(record), &mut out)?;
                    black_box(&out);
                }
                Ok(())
            })
        },
        || {
            let speed = timed(one, || {
                for _ in 0..DOCUMENTS {
                    written.clear();
                    let mut writer = Writer::new(&mut written);
                    for event in &events {
                        writer.write_event(black_box(event.borrow()))?;
                    }
                    black_box(&written);
                }
                Ok(())
            });
            Ok(Some(speed?))
        },
    )?;
    let to_xml = BudgetRow::judged(
        "web-soap-codec",
        "record to XML",
        (ours, "MB/s"),
        ("quick-xml", theirs),
        RowBound::RatioAtLeast(0.5),
    );
    let mut area = vec![0; codec.max_len()];
    let (ours, theirs) = alternate(
        setting.rounds,
        || {
            timed(megabytes, || {
                for text in &documents {
                    let mut none = Vec::new();
                    codec.encode_into(
                        black_box(text),
                        NamespaceScopes::new(),
                        &mut area,
                        &mut none,
                    )?;
                    black_box(&area);
                }
                Ok(())
            })
        },
        || {
            let speed = timed(megabytes, || {
                for text in &documents {
                    black_box(read(black_box(text))?);
                }
                Ok(())
            });
            Ok(Some(speed?))
        },
    )?;
    let to_record = BudgetRow::judged(
        "web-soap-codec",
        "XML to record",
        (ours, "MB/s"),
        ("quick-xml", theirs),
        RowBound::RatioAtLeast(0.5),
    );
    Ok(vec![to_xml, to_record])
}

/// MB/s of some runs.
fn timed(megabytes: f64, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    for _ in 0..RUNS {
        run()?;
    }
    Ok(megabytes * f64::from(RUNS) / start.elapsed().as_secs_f64())
}

/// Every event with its text. Returns the characters of it.
fn read(text: &str) -> Result<usize> {
    let mut reader = Reader::from_str(text);
    let mut characters = 0;
    loop {
        match reader.read_event()? {
            Event::Start(start) => characters += start.name().0.len(),
            Event::Text(piece) => characters += piece.xml10_content()?.len(),
            Event::Eof => return Ok(characters),
            _ => {}
        }
    }
}

fn events(text: &str) -> Result<Vec<Event<'_>>> {
    let mut reader = Reader::from_str(text);
    let mut all = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return Ok(all),
            Ok(event) => all.push(event),
            Err(error) => return Err(anyhow!(error)),
        }
    }
}

/// A customer with twenty orders.
fn document(number: u32) -> String {
    let mut text = String::from("<customer xmlns=\"urn:bench\">");
    let _ = write!(
        text,
        "<CUST_NO>{number}</CUST_NO><CUST_NAME>Customer {number} of the bench</CUST_NAME>\
         <STREET>{number} Long Street</STREET><CITY>Hursley</CITY><COUNTRY>GB</COUNTRY>\
         <CREDIT>{}.{:02}</CREDIT>",
        number * 7,
        number % 100
    );
    for k in 0..20 {
        let _ = write!(
            text,
            "<ORDERED><ITEM>ITEM-{:05}</ITEM><QTY>{}</QTY><PRICE>{}.99</PRICE>\
             <SHIPPED>2026-11-{:02}</SHIPPED></ORDERED>",
            number + k,
            k + 1,
            (number + k) % 9000,
            k % 28 + 1
        );
    }
    text + "</customer>"
}

const COPYBOOK: &str = "
       01  CUSTOMER.
           05  CUST-NO    PIC 9(8).
           05  CUST-NAME  PIC X(40).
           05  STREET     PIC X(40).
           05  CITY       PIC X(30).
           05  COUNTRY    PIC X(2).
           05  CREDIT     PIC S9(9)V99 COMP-3.
           05  ORDERED    OCCURS 20.
               10  ITEM     PIC X(12).
               10  QTY      PIC S9(4) COMP.
               10  PRICE    PIC S9(7)V99 COMP-3.
               10  SHIPPED  PIC X(10).
";
/// Different documents, so that branches are not learnt by heart.
const DOCUMENTS: u32 = 500;
/// Passes over them in a round.
const RUNS: u32 = 10;
