//! Random layouts and messages.

use crate::generate;
use proptest::prelude::*;
use soap::xml::NamespaceScopes;
use soap::{MessageLayout, XmlCodec, XmlOptions};

fn compiled(seed: u64) -> Option<(MessageLayout, XmlCodec)> {
    let copybook = generate::copybook(seed);
    let (structure, _) = soap::wsdl::structure_of(&copybook, "message", "urn:m").ok()?;
    let codec = XmlCodec::build(&structure, &XmlOptions::default()).ok()?;
    Some((structure, codec))
}

/// The JSON codec of the same record makes one whose every item has a value.
fn initial(structure: &MessageLayout) -> Vec<u8> {
    let layouts = copybook::parse(&structure.copybook, &Default::default()).unwrap();
    let codec = copybook::RecordCodec::build(&layouts[0], &Default::default()).unwrap();
    let mut area = vec![0; codec.max_len()];
    codec.initialise(&mut area).unwrap();
    // Counters without a VALUE are zero, which a table may not allow.
    let counters = layouts[0].fields.iter().filter_map(|f| f.occurs.as_ref());
    for occurs in counters {
        if let Some(item) = occurs.depending_on.and_then(|id| codec.item(id)) {
            let most = occurs.max.min(9).max(occurs.min);
            let _ = codec.set_item(item, &most.to_string(), &mut area, 0);
        }
    }
    match codec.finish(&mut area) {
        Ok(length) => area[..length].to_vec(),
        Err(_) => Vec::new(),
    }
}

#[test]
fn records_of_generated_layouts_come_back_as_they_were() {
    let mut compared = 0;
    for seed in 0..400 {
        let Some((structure, codec)) = compiled(seed) else {
            continue;
        };
        let record = initial(&structure);
        let mut text = Vec::new();
        if codec.decode(&record, &mut text).is_err() {
            continue;
        }
        let text = String::from_utf8(text).unwrap();
        let made = codec.encode(&text, NamespaceScopes::new());
        let made =
            made.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}\n{}", structure.copybook));
        assert_eq!(
            made.record, record,
            "seed {seed}\n{text}\n{}",
            structure.copybook
        );
        let mut again = Vec::new();
        codec.decode(&made.record, &mut again).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), text, "seed {seed}");
        compared += 1;
    }
    assert!(compared > 200, "{compared} layouts were compared");
}

proptest! {
    #[test]
    fn bytes_that_can_be_shown_are_read_back_with_the_same_meaning(
        seed in 0u64..300,
        bytes in proptest::collection::vec(any::<u8>(), 0..600),
    ) {
        let Some((_, codec)) = compiled(seed) else { return Ok(()) };
        let mut text = Vec::new();
        let mut record = bytes;
        record.resize(codec.max_len(), b'0');
        if codec.decode(&record, &mut text).is_ok() {
            let text = String::from_utf8(text).unwrap();
            let made = match codec.encode(&text, NamespaceScopes::new()) {
                Ok(made) => made,
                // The bytes of a binary number hold more than its picture says.
                Err(error) => {
                    prop_assert!(error.to_string().contains("too large"), "{}", error);
                    return Ok(());
                }
            };
            let mut again = Vec::new();
            codec.decode(&made.record, &mut again).unwrap();
            prop_assert_eq!(String::from_utf8(again).unwrap(), text);
        }
    }

    #[test]
    fn no_message_panics(
        seed in 0u64..100,
        text in "(<message xmlns='urn:m'>|</message>|<F_1>|</F_1>|<F_2/>|<F_3>|</F_3>|<F_4>|</F_4>|1|-|x| |&lt;|<|>|é){0,30}",
    ) {
        let Some((_, codec)) = compiled(seed) else { return Ok(()) };
        let _ = codec.encode(&text, NamespaceScopes::new());
        let _ = codec.encode(&format!("<message xmlns='urn:m'>{text}</message>"), NamespaceScopes::new());
    }

    #[test]
    fn no_description_panics(text in "(<d:definitions xmlns:d='http://schemas.xmlsoap.org/wsdl/' xmlns:x='http://www.w3.org/2001/XMLSchema'>|</d:definitions>|<d:types>|</d:types>|<x:schema>|</x:schema>|<x:element name='a' type='x:int'/>|<d:message name='m'>|</d:message>|<d:binding type='p' name='b'/>|<x:complexType|/>|>| name='a'| ref='a'|x){0,25}") {
        let _ = soap::wsdl::to_copybooks(&text, &|_| None, &Default::default());
    }
}
