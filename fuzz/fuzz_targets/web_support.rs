//! What web support reads of clients and of people: templates with their
//! commands, form fields in either encoding, URIMAP paths and URLs, and the
//! requests and answers that lie in a worker's memory. Never a panic; what is
//! made is bounded, and a map that is found fits the path.
#![no_main]

use libfuzzer_sys::fuzz_target;
use web::document::{Document, InsertedPart, TemplateTable};
use web::{UriMaps, fields, parse_url};

const MAPS: &str = "\
DEFINE URIMAP(ALL) GROUP(G) PATH(/a/*) PROGRAM(P)
DEFINE URIMAP(ONE) GROUP(G) PATH(/a/b) PROGRAM(P)
DEFINE URIMAP(HOST) GROUP(G) HOST(h.example) PATH(/*) PROGRAM(P)
";

fuzz_target!(|bytes: &[u8]| {
    let Some((&kind, bytes)) = bytes.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(bytes);
    match kind % 5 {
        0 => {
            let templates = TemplateTable::default()
                .with("A", bytes)
                .with("B", b"<!--#include template=A-->&x;");
            let mut document = Document::default();
            let _ = document.symbols.set_list(bytes, b'&', false);
            let _ = document.insert(InsertedPart::Template("B"), &templates, None, None);
            let _ = document.insert(InsertedPart::From(bytes), &templates, None, None);
            // What a task has read of one that is in a queue.
            let csd = cics::csd::parse("DEFINE DOCTEMPLATE(D) GROUP(G) TDQUEUE(LINE)");
            let nowhere = std::path::Path::new("nowhere");
            let (queued, _) = TemplateTable::load(&csd.doctemplates, nowhere, nowhere);
            let read = [b"D\0", bytes].concat();
            let queued = queued.with_read([&*read].into_iter());
            let _ = document.insert(InsertedPart::Template("D"), &queued, None, None);
            assert!(document.size() <= (49 << 20) + bytes.len());
            let again = document.tagged();
            let mut copy = Document::default();
            copy.insert(InsertedPart::From(&again), &TemplateTable::default(), None, None)
                .expect("what was retrieved can be inserted");
            assert_eq!(copy.data(None), document.data(None));
        }
        1 => {
            let (media, body) = text.split_once('\n').unwrap_or((&text, ""));
            if let Ok(found) = fields::parse_form(media, body.as_bytes()) {
                assert!(found.len() <= fields::MOST);
            }
            fields::parse_query(bytes);
        }
        2 => {
            let (path, definitions) = text.split_once('\n').unwrap_or((&text, MAPS));
            let csd = cics::csd::parse(definitions);
            let maps = UriMaps::new(&csd.urimaps);
            if let Some(found) = maps.find("S", true, "h.example:80", path) {
                let own = found.path.strip_suffix('*');
                assert!(own.map_or(found.path == path, |own| path.starts_with(own)));
            }
        }
        3 => {
            if let Some(said) = webtask::AnalyzerOutput::parse(bytes) {
                assert_eq!(webtask::AnalyzerOutput::parse(&said.emit()), Some(said));
            }
            let _ = webtask::stage::made_by_hand(bytes);
            let _ = webtask::stage::unescape(bytes);
            if let Some(answer) = webtask::CompleteAnswer::parse(bytes) {
                let again = [answer.emit_head(), answer.body.clone()].concat();
                assert_eq!(webtask::CompleteAnswer::parse(&again), Some(answer));
            }
            if let Some(request) = webtask::Request::parse(bytes) {
                let given = link::CommandOperands::new(u128::MAX);
                let mut reading = webtask::ReadPosition::default();
                for number in cics::command::all().map(|row| row.number) {
                    let _ = request.serve(bytes, &mut reading, number, &given);
                }
            }
        }
        _ => {
            if let Some(url) = parse_url(&text) {
                assert!(!url.host.is_empty() && url.path.starts_with('/'));
            }
        }
    }
});
