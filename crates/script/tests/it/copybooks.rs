//! Records of copybooks as objects.

use crate::world::{get, told};

#[test]
fn fields_are_read_and_written_where_they_lie() {
    let told = told(get(
        "const Account = new Copybook('ACCOUNT');
         const a = Account.view();
         a.ACCOUNT_NUMBER = 10000001;
         a.ACCOUNT_HOLDER = 'Ada';
         a.ACCOUNT_BALANCE = -12.34;
         const again = Account.view(a.bytes);
         return [a.bytes.length, again.ACCOUNT_NUMBER, again.ACCOUNT_HOLDER, again.ACCOUNT_BALANCE]",
    ));
    assert_eq!(told, r#"[80,10000001,"Ada",-12.34]"#);
}

#[test]
fn what_does_not_fit_is_a_range_error_that_names_field_and_picture() {
    for (write, wanted) in [
        ("ACCOUNT_NUMBER = 123456789", "ACCOUNT-NUMBER PIC 9(8)"),
        ("ACCOUNT_HOLDER = 'x'.repeat(99)", "ACCOUNT-HOLDER PIC X("),
        ("ACCOUNT_NUMBER = 'abc'", "ACCOUNT-NUMBER"),
        ("ACCOUNT_NUMBER = NaN", "no number"),
        ("ACCOUNT_NUMBER = {}", "a field holds no object"),
        ("ACCOUNT_BALANCE = 1.234", "ACCOUNT-BALANCE"),
    ] {
        let told = told(get(&format!(
            "const a = new Copybook('ACCOUNT').view(); a.{write}"
        )));
        assert!(
            told.contains("RangeError") && told.contains(wanted),
            "{write}: {told}"
        );
    }
}

#[test]
fn a_name_that_the_copybook_does_not_have_is_no_property() {
    for write in [
        "new Copybook('ACCOUNT').view().ACCOUNT_HOLDR = 'Ada'",
        "new Copybook('WIDE').view().ROW[0].NAMES = 'a'",
    ] {
        let told = told(get(&format!("'use strict'; {write}")));
        assert!(told.contains("TypeError"), "{write}: {told}");
    }
}

#[test]
fn a_record_becomes_json_and_comes_from_it_in_one_call() {
    let told = told(get(
        "const Account = new Copybook('ACCOUNT');
         const a = Account.from({ ACCOUNT_NUMBER: 7, ACCOUNT_HOLDER: 'Bob', ACCOUNT_BALANCE: 1.5 });
         return [JSON.parse(a.json()).ACCOUNT_HOLDER, a.toJSON().ACCOUNT_BALANCE, JSON.parse(JSON.stringify(a)).ACCOUNT_NUMBER]",
    ));
    assert_eq!(told, r#"["Bob",1.5,7]"#);
}

#[test]
fn numbers_beyond_a_double_are_bigint_or_text() {
    let told = told(get("const w = new Copybook('WIDE').view();
         w.BIG = 123456789012345678n; w.EXACT = '1234567890123456.78'; w.SMALL = 5;
         return [typeof w.BIG, String(w.BIG), w.EXACT, w.SMALL]"));
    assert_eq!(
        told,
        r#"["bigint","123456789012345678","1234567890123456.78",5]"#
    );
}

#[test]
fn a_table_is_like_an_array() {
    let told = told(get(
        "const w = new Copybook('WIDE').view();
         w.ROW[0].NAME = 'a'; w.ROW[1].NAME = 'b'; w.ROW[1].CELL[2] = 9;
         const out = [w.ROW.length, w.ROW.map((r) => r.NAME), [...w.ROW[1].CELL], w.ROW.at(-1).NAME];
         try { w.ROW[1].CELL[3] = 1 } catch (e) { out.push(e.name) }
         return out",
    ));
    assert_eq!(told, r#"[3,["a","b",""],[0,0,9],"","RangeError"]"#);
}

#[test]
fn storage_with_several_descriptions_is_read_by_each() {
    let told = told(get("const w = new Copybook('WIDE').view();
         w.DATE_TEXT = '20261122';
         return [w.DATE_PARTS.YEAR, w.DATE_PARTS.MONTH, w.DATE_PARTS.DAY]"));
    assert_eq!(told, "[2026,11,22]");
}

#[test]
fn a_record_of_varying_length_leaves_in_its_real_one() {
    let told = told(get(
        "const V = new Copybook('VARYING');
         const v = V.from({ ITEMS: [{ CODE: 'A' }, { CODE: 'B' }], TAIL: 'end' });
         const again = V.view(v.bytes);
         return [v.bytes.length, v.COUNT_OF, again.ITEMS.length, again.ITEMS[1].CODE, again.TAIL]",
    ));
    assert_eq!(told, r#"[11,2,2,"B","end"]"#);
}

#[test]
fn a_copybook_that_is_not_there_says_so() {
    assert!(told(get("new Copybook('NOWHERE')")).contains("there is no copybook NOWHERE"));
    assert!(told(get("new Copybook('../../etc/passwd')")).contains("not the name of a copybook"));
    assert!(told(get("new Copybook('ACCOUNT').view(new Uint8Array(3))")).contains("80 bytes"));
}
