//! Records of copybooks as objects.

use crate::world::{get, reported};

#[test]
fn fields_are_read_and_written_where_they_lie() {
    let reported = reported(get(
        "const Account = new Copybook('ACCOUNT');
         const a = Account.view();
         a.ACCOUNT_NUMBER = 10000001;
         a.ACCOUNT_HOLDER = 'Ada';
         a.ACCOUNT_BALANCE = -12.34;
         const again = Account.view(a.bytes);
         return [a.bytes.length, again.ACCOUNT_NUMBER, again.ACCOUNT_HOLDER, again.ACCOUNT_BALANCE]",
    ));
    assert_eq!(reported, r#"[80,10000001,"Ada",-12.34]"#);
}

#[test]
fn what_does_not_fit_is_a_range_error_that_names_field_and_picture() {
    for (write, wanted) in [
        ("ACCOUNT_NUMBER = 123456789", "ACCOUNT-NUMBER PIC 9(8)"),
        ("ACCOUNT_HOLDER = 'x'.repeat(99)", "ACCOUNT-HOLDER PIC X("),
        ("ACCOUNT_NUMBER = 'abc'", "ACCOUNT-NUMBER"),
        ("ACCOUNT_NUMBER = NaN", "not a number"),
        ("ACCOUNT_NUMBER = {}", "a field cannot contain object"),
        ("ACCOUNT_BALANCE = 1.234", "ACCOUNT-BALANCE"),
    ] {
        let reported = reported(get(&format!(
            "const a = new Copybook('ACCOUNT').view(); a.{write}"
        )));
        assert!(
            reported.contains("RangeError") && reported.contains(wanted),
            "{write}: {reported}"
        );
    }
}

#[test]
fn a_name_that_the_copybook_does_not_have_is_no_property() {
    for (write, wanted) in [
        (
            "new Copybook('ACCOUNT').view().ACCOUNT_HOLDR = 'Ada'",
            "TypeError: there is no field ACCOUNT_HOLDR; there are ACCOUNT_NUMBER, ACCOUNT_HOLDER,",
        ),
        (
            "new Copybook('WIDE').view().ROW[0].NAMES = 'a'",
            "TypeError: there is no field NAMES; there are NAME, CELL",
        ),
        (
            "Object.assign(new Copybook('VARYING').view(), { TAILS: 1 })",
            "TypeError: there is no field TAILS; there are COUNT_OF, ITEMS, TAIL",
        ),
    ] {
        let reported = reported(get(&format!("'use strict'; {write}")));
        assert!(reported.contains(wanted), "{write}: {reported}");
    }
    // Reading an unknown property gives undefined, as for any object.
    let reported = reported(get(
        "const a = new Copybook('ACCOUNT').view(); return [a.NOTHING === undefined, 'NOTHING' in a, Object.keys(a), `${a}`.length > 9, a instanceof Object]",
    ));
    assert_eq!(reported, "[true,false,[],true,true]");
}

#[test]
fn a_counter_stays_within_its_table() {
    let reported = reported(get(
        "const v = new Copybook('VARYING').from({ ITEMS: [{ CODE: 'A' }], TAIL: 'end' });
         const out = [];
         for (const n of [9, 10, '10', 10n, -1]) {
           try { v.COUNT_OF = n; out.push(v.COUNT_OF, v.ITEMS.length, v.TAIL); } catch (e) { out.push(`${e.name}: ${e.message}`); }
         }
         return out",
    ));
    let beyond = |n: &str| {
        format!(
            "\"RangeError: VARYING.COUNT-OF PIC 9(2): {n} is more than the 9 elements of its table\""
        )
    };
    assert!(reported.starts_with("[9,9,\"end\","), "{reported}");
    assert_eq!(reported.matches(&beyond("10")).count(), 3, "{reported}");
    assert_eq!(reported.matches("RangeError").count(), 4, "{reported}");
}

#[test]
fn a_record_becomes_json_and_comes_from_it_in_one_call() {
    let reported = reported(get(
        "const Account = new Copybook('ACCOUNT');
         const a = Account.from({ ACCOUNT_NUMBER: 7, ACCOUNT_HOLDER: 'Bob', ACCOUNT_BALANCE: 1.5 });
         return [JSON.parse(a.json()).ACCOUNT_HOLDER, a.toJSON().ACCOUNT_BALANCE, JSON.parse(JSON.stringify(a)).ACCOUNT_NUMBER]",
    ));
    assert_eq!(reported, r#"["Bob",1.5,7]"#);
}

#[test]
fn numbers_beyond_a_double_are_bigint_or_text() {
    let reported = reported(get("const w = new Copybook('WIDE').view();
         w.BIG = 123456789012345678n; w.EXACT = '1234567890123456.78'; w.SMALL = 5;
         return [typeof w.BIG, String(w.BIG), w.EXACT, w.SMALL]"));
    assert_eq!(
        reported,
        r#"["bigint","123456789012345678","1234567890123456.78",5]"#
    );
}

#[test]
fn a_number_that_may_not_be_the_one_that_was_meant_is_not_written() {
    for write in [
        "w.BIG = 123456789012345678",
        "w.EXACT = 123456789012345.67",
        "W.from({ BIG: 123456789012345678 })",
        "W.view().fromJSON({ EXACT: 1234567890123456.7 })",
        "V.from({ ROW: [{ SUM: 1 }, { SUM: 123456789012345678 }] })",
        "v.ROW = [{ SUM: 123456789012345678 }]",
        "v.ROW[0] = { SUM: 123456789012345678 }",
        "v.ROW[0].SUM = 123456789012345678",
        "v.PLAIN[1] = 123456789012345678",
        "v.PLAIN = [1, 123456789012345678]",
    ] {
        let reported = reported(get(&format!(
            "const W = new Copybook('WIDE'), V = new Copybook('WIDEROWS'), w = W.view(), v = V.view(); {write}"
        )));
        assert!(
            reported.contains("RangeError")
                && reported.contains("PIC S9(1")
                && reported.contains("BigInt"),
            "{write}: {reported}"
        );
    }
    let reported = reported(get(
        "const w = new Copybook('WIDE').from('{\"BIG\": 123456789012345678}');
         const out = [String(w.BIG)];
         for (const given of [1e17, 9007199254740991, -5, '123456789012345678']) { w.BIG = given; out.push(String(w.BIG)); }
         for (const given of [12.5, 123456789012.34, 5n, '1234567890123456.78']) { w.EXACT = given; out.push(w.EXACT); }
         return out",
    ));
    assert_eq!(
        reported,
        r#"["123456789012345678","100000000000000000","9007199254740991","-5","123456789012345678","12.50","123456789012.34","5.00","1234567890123456.78"]"#
    );
}

#[test]
fn a_table_has_the_methods_of_an_array_that_change_nothing() {
    let reported = reported(get(
        "const w = new Copybook('WIDE').view();
         w.ROW = [{ NAME: 'a', CELL: [3, 1, 2] }, { NAME: 'b' }, { NAME: 'c' }];
         const { CELL } = w.ROW[0];
         return [w.ROW.some((r) => r.NAME === 'b'), w.ROW.every((r) => r.NAME !== ''), w.ROW.findIndex((r) => r.NAME === 'c'),
                 CELL.includes(2), CELL.indexOf(2), CELL.slice(1), CELL.join('+'), CELL.toSorted(), [...CELL.entries()].length,
                 CELL.map((n, i) => n * i), CELL.reduce((a, n) => a + n), '0' in CELL, 7 in CELL, Symbol.toPrimitive in CELL,
                 CELL[''] ?? 'none']",
    ));
    assert_eq!(
        reported,
        r#"[true,true,2,true,2,[1,2],"3+1+2",[1,2,3],3,[0,1,4],6,true,false,false,"none"]"#
    );
}

#[test]
fn a_table_is_like_an_array() {
    let reported = reported(get(
        "const w = new Copybook('WIDE').view();
         w.ROW[0].NAME = 'a'; w.ROW[1].NAME = 'b'; w.ROW[1].CELL[2] = 9;
         const out = [w.ROW.length, w.ROW.map((r) => r.NAME), [...w.ROW[1].CELL], w.ROW.at(-1).NAME];
         try { w.ROW[1].CELL[3] = 1 } catch (e) { out.push(e.name) }
         return out",
    ));
    assert_eq!(reported, r#"[3,["a","b",""],[0,0,9],"","RangeError"]"#);
}

#[test]
fn storage_with_several_descriptions_is_read_by_each() {
    let reported = reported(get("const w = new Copybook('WIDE').view();
         w.DATE_TEXT = '20261122';
         return [w.DATE_PARTS.YEAR, w.DATE_PARTS.MONTH, w.DATE_PARTS.DAY]"));
    assert_eq!(reported, "[2026,11,22]");
}

#[test]
fn json_has_the_description_of_storage_that_the_script_names() {
    let reported = reported(get(
        "const parts = { DATE_TEXT: 'DATE_PARTS' };
         const P = new Copybook('WIDE', { redefines: parts });
         const p = P.view();
         p.DATE_PARTS.YEAR = 2026;
         const tries = [{ ROW: 'DATE_PARTS' }, { DATE_TEXT: 'ROW' }, { DATE_TEXT: 7 }, 5];
         const why = tries.map((redefines) => {
           try { new Copybook('WIDE', { redefines }); } catch (e) { return e.message; }
         });
         const lower = new Copybook('WIDE', { names: 'lower', redefines: { date_text: 'date_parts' } });
         return [p.toJSON().DATE_TEXT, p.toJSON().DATE_PARTS, new Copybook('WIDE').view().toJSON().DATE_PARTS,
           lower.view(p.bytes).toJSON().date_parts.year, P.from({ DATE_TEXT: '20261122' }).DATE_PARTS.DAY, why]",
    ));
    assert_eq!(
        reported,
        r#"[null,{"YEAR":2026,"MONTH":0,"DAY":0},null,2026,22,["option redefines: \"ROW\" is not redefined by any field","option redefines: \"ROW\" is not a description of that storage","redefines must be an object of names, not {\"DATE_TEXT\":7}","redefines must be an object of names, not 5"]]"#
    );
}

#[test]
fn a_record_of_varying_length_leaves_in_its_real_one() {
    let reported = reported(get(
        "const V = new Copybook('VARYING');
         const v = V.from({ ITEMS: [{ CODE: 'A' }, { CODE: 'B' }], TAIL: 'end' });
         const again = V.view(v.bytes);
         return [v.bytes.length, v.COUNT_OF, again.ITEMS.length, again.ITEMS[1].CODE, again.TAIL]",
    ));
    assert_eq!(reported, r#"[11,2,2,"B","end"]"#);
}

#[test]
fn a_table_grows_by_its_end_and_its_counter_with_it() {
    let reported = reported(get(
        "const v = new Copybook('VARYING').from({ ITEMS: [{ CODE: 'A' }], TAIL: 'end' });
         v.ITEMS[1] = { CODE: 'B' };
         const out = [v.COUNT_OF, v.ITEMS.push({ CODE: 'C' }, { CODE: 'D' }), v.COUNT_OF, v.ITEMS.map((i) => i.CODE).join(''), v.TAIL];
         for (const wrong of [() => { v.ITEMS[6] = { CODE: 'X' } }, () => v.ITEMS.push(...'123456'.split('').map((CODE) => ({ CODE }))),
                              () => new Copybook('WIDE').view().ROW.push({})]) {
           try { wrong(); } catch (e) { out.push(e.message); }
         }
         return out",
    ));
    assert_eq!(
        reported,
        r#"[2,4,4,"ABCD","end","ITEMS has 4 elements, as its counter says: element 6 comes after 4","ITEMS has elements 0 to 8, not 9","ROW has elements 0 to 2, not 3"]"#
    );
}

#[test]
fn a_record_that_is_shorter_than_its_layout_is_filled_up() {
    let reported = reported(get(
        "const V = new Copybook('VARYING'), out = [];
         for (let n = 0; n <= 8; n++) { const v = V.view(cics.bytes('01ABend  '.slice(0, n))); out.push(v.COUNT_OF + v.TAIL); }
         return out",
    ));
    assert_eq!(
        reported,
        r#"["0","0","1","1","1","1e","1en","1end","1end"]"#
    );
}

#[test]
fn json_of_a_record_loses_no_digit() {
    let reported = reported(get(
        "const w = new Copybook('WIDE').from({ BIG: 123456789012345678n, EXACT: '1234567890123456.78', SMALL: 5 });
         const v = new Copybook('WIDEROWS').from({ ROW: [{ SUM: 12 }, { SUM: -123456789012345678n }], PLAIN: [1, '123456789012345678'] });
         const { BIG, EXACT, SMALL } = JSON.parse(JSON.stringify(w)), few = new Copybook('WIDE').from({ BIG: 7, EXACT: 12.5 }).toJSON();
         const again = new Copybook('WIDEROWS').from(v.toJSON()).bytes.join() === v.bytes.join();
         return [BIG, EXACT, SMALL, few.BIG, few.EXACT, v.toJSON(), v.ROW[1].toJSON(), JSON.stringify(v.PLAIN), again, XML.stringify({ v: v.ROW }, 'r').slice(38)]",
    ));
    assert_eq!(
        reported,
        r#"["123456789012345678","1234567890123456.78",5,7,12.5,{"ROW":[{"SUM":12},{"SUM":"-123456789012345678"}],"PLAIN":[1,"123456789012345678"]},{"SUM":"-123456789012345678"},"[1,\"123456789012345678\"]",true,"<r><v><SUM>12</SUM></v><v><SUM>-123456789012345678</SUM></v></r>"]"#
    );
}

#[test]
fn a_record_is_made_of_any_description_of_its_storage() {
    let reported = reported(get(
        "const w = new Copybook('WIDE').from({ DATE_PARTS: { YEAR: 2026, MONTH: 1, DAY: 2 } });
         return [w.DATE_TEXT, w.toJSON().DATE_TEXT]",
    ));
    assert_eq!(reported, r#"["20260102","20260102"]"#);
}

#[test]
fn a_message_names_its_field_once() {
    let reported = reported(get("new Copybook('WIDE').view().ROW[1].CELL[2] = 100"));
    assert_eq!(reported.matches("CELL").count(), 1, "{reported}");
    assert_eq!(reported.matches("PIC").count(), 1, "{reported}");
}

#[test]
fn a_missing_copybook_is_reported() {
    assert!(reported(get("new Copybook('NOWHERE')")).contains("no copybook NOWHERE"));
    assert!(
        reported(get("new Copybook('../../etc/passwd')")).contains("not the name of a copybook")
    );
    assert!(reported(get("new Copybook('ACCOUNT').view(new Uint8Array(3))")).contains("80 bytes"));
}
