//! XML to a record many times over, for a profiler: `speed [ROUNDS] [peer]`.
//! With `peer` the XML library alone reads the same documents. The benchmark
//! that compares the two is `cargo xtask bench web-soap-codec`.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use quick_xml::Reader;
use quick_xml::events::Event;
use soap::xml::Scopes;
use soap::{XmlCodec, XmlOptions};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let rounds: u32 = arguments.next().map_or(Ok(10), |text| text.parse())?;
    let peer = arguments.next().is_some();
    let (structure, _) = soap::wsdl::structure_of(COPYBOOK, "customer", "urn:bench")?;
    let codec = XmlCodec::build(&structure, &XmlOptions::default())?;
    let documents: Vec<String> = (0..50).map(document).collect();
    let bytes: usize = documents.iter().map(String::len).sum();
    let mut area = vec![0; codec.max_len()];
    let start = Instant::now();
    for _ in 0..rounds {
        for text in &documents {
            if peer {
                black_box(read(black_box(text))?);
                continue;
            }
            let mut none = Vec::new();
            codec.encode_into(black_box(text), Scopes::new(), &mut area, &mut none)?;
            black_box(&area);
        }
    }
    let megabytes = bytes as f64 * f64::from(rounds) / 1e6;
    println!("{:.1} MB/s", megabytes / start.elapsed().as_secs_f64());
    Ok(())
}

/// Every event with its text; gives the characters of it.
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
