//! The layout that commands use is the one that programs are compiled with: the
//! copybook, laid out by the rules of COBOL, gives the same offsets.

use bms::{MapLayout, OccursForm, cobol_copybook, parse};
use proptest::prelude::*;

/// Offsets of the data of each named field: by the copybook's input record, and
/// by the layout. Repetitions and groups count by their first.
fn compare(source: &str) {
    let parsed = parse(source);
    assert!(!parsed.has_errors(), "{source}\n{:#?}", parsed.diagnostics);
    let set = &parsed.sets[0];
    let text = cobol_copybook(set, OccursForm::Assembler);
    let records = copybook::parse(&text, &copybook::ParseOptions::default())
        .unwrap_or_else(|e| panic!("{text}\n{e}"));
    for map in &set.maps {
        let layout = MapLayout::new(map);
        for (suffix, kept) in [("I", map.mode.has_input()), ("O", map.mode.has_output())] {
            let name = format!("{}{suffix}", map.name);
            let found = records
                .iter()
                .find(|r| r.fields[0].name.as_deref() == Some(&name));
            let Some(record) = found else {
                assert!(
                    !kept || layout.symbolic_bytes == 0,
                    "{name} is missing\n{text}"
                );
                continue;
            };
            assert_eq!(
                record.length as usize, layout.symbolic_bytes,
                "{name}\n{text}"
            );
            for field in &layout.fields {
                let (Some(at), Some(name)) = (field.symbolic, &field.name) else {
                    continue;
                };
                let id = record.find(&format!("{name}{suffix}")).unwrap();
                let item = &record[id];
                if field.shift == 0 {
                    assert_eq!(
                        item.offset as usize,
                        at + layout.data_start(),
                        "{name}\n{text}"
                    );
                    assert_eq!(item.length as usize, field.data_bytes(), "{name}\n{text}");
                }
            }
        }
    }
}

fn field_operands() -> impl Strategy<Value = String> {
    (
        0u16..30,
        prop::option::of(1u16..5),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(length, occurs, named, unprotected)| {
            let occurs = occurs.map(|n| format!(",OCCURS={n}")).unwrap_or_default();
            let length = if named { length + 1 } else { length };
            let attrb = if unprotected { ",ATTRB=UNPROT" } else { "" };
            format!("{}|LENGTH={length}{attrb}{occurs}", u8::from(named))
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn offsets_of_copybook_and_layout_are_equal(
        fields in prop::collection::vec(field_operands(), 0..12),
        mode in prop::sample::select(vec!["INOUT", "OUT", "IN"]),
        attributes in prop::sample::select(vec!["", ",DSATTS=COLOR", ",EXTATT=YES", ",DSATTS=(COLOR,HILIGHT,OUTLINE)"]),
        prefix in any::<bool>(),
    ) {
        let prefix = if prefix { ",TIOAPFX=YES" } else { "" };
        let mut source = format!("S        DFHMSD TYPE=MAP,LANG=COBOL,MODE={mode}{prefix}\n");
        source.push_str(&format!("M        DFHMDI SIZE=(24,80){attributes},CTRL=FREEKB\n"));
        for (index, field) in fields.iter().enumerate() {
            let (named, operands) = field.split_once('|').unwrap();
            let name = if named == "1" { format!("FLD{index}") } else { String::new() };
            source.push_str(&format!("{name:<8} DFHMDF POS=({},1),{operands}\n", index + 1));
        }
        source.push_str("         DFHMSD TYPE=FINAL\n");
        compare(&source);
    }
}

#[test]
fn a_group_has_the_offsets_of_its_copybook() {
    compare(
        "S        DFHMSD TYPE=MAP,LANG=COBOL,MODE=INOUT,TIOAPFX=YES,DSATTS=COLOR\n\
         M        DFHMDI SIZE=(24,80)\n\
         DAY      DFHMDF POS=(1,1),LENGTH=2,GRPNAME=DATE\n\
         MON      DFHMDF POS=(1,3),LENGTH=2,GRPNAME=DATE\n\
         NEXT     DFHMDF POS=(1,6),LENGTH=9\n         DFHMSD TYPE=FINAL\n",
    );
}
