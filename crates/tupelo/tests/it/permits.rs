//! Which command may touch a file: every combination of ENABLED, OPEN, ADD,
//! BROWSE, DELETE, READ and UPDATE, asked by a COBOL program and by a script,
//! and compared with the manual.

use serde_json::{Value, json};

use crate::script::{ScriptBank, write};

/// Executes the command that its COMMAREA names; one that continues with a record or
/// a browse begins it before the attributes are set. `1` is YES.
const ASKER: &str = include_str!("../../testdata/programs/permits/ASKER.cbl");

/// Sets the attributes of the file and executes each command, first in the program
/// and then by the script: RESP and RESP2 of each.
const SCRIPT: &str = "
const words = [['DISABLED', 'ENABLED'], ['CLOSED', 'OPEN'], ['NOTADDABLE', 'ADDABLE'],
  ['NOTBROWSABLE', 'BROWSABLE'], ['NOTDELETABLE', 'DELETABLE'], ['NOTREADABLE', 'READABLE'],
  ['NOTUPDATABLE', 'UPDATABLE']];
const set = (switches) => {
  const [enabled, open, ...permits] = [...switches].map((bit, i) => words[i][bit]);
  cics.exec('SET FILE', { FILE: 'ACCTFILE', DISABLED: true, CLOSED: true });
  cics.exec('SET FILE', { FILE: 'ACCTFILE', ...Object.fromEntries(permits.map((word) => [word, true])) });
  cics.exec('SET FILE', { FILE: 'ACCTFILE', [enabled]: true, [open]: true });
};
const ALL = '1111111', file = cics.file('ACCTFILE'), key = '10000001';
const asked = (first, command) => {
  set(ALL);
  const rest = first?.();
  set(switches);
  let outcome = [0, 0];
  try { command(rest); } catch (e) { if (e.resp === undefined) throw e; outcome = [e.resp, e.resp2]; }
  set(ALL);
  cics.rollback();
  return outcome;
};
const program = (command) => asked(() => set(ALL), () => {
  set(ALL);
  const area = Uint8Array.from((command.padEnd(10) + switches + '00000000'), (c) => c.charCodeAt(0));
  const { commarea } = cics.link('ASKER', { commarea: area });
  const text = String.fromCharCode(...commarea.slice(17));
  const [resp, resp2] = [Number(text.slice(0, 4)), Number(text.slice(4))];
  if (resp) throw { resp, resp2 };
});
const hold = () => file.read(key, { update: true });
return {
  program: ['READ', 'READUPD', 'WRITE', 'DELETE', 'STARTBR', 'UNLOCK', 'REWRITE', 'DELETEHELD', 'READNEXT',
    'ENDBR'].map(program),
  script: [
    asked(null, () => file.read(key)),
    asked(null, hold),
    asked(null, () => file.write(record(39999991, 'New'))),
    asked(null, () => file.delete(key)),
    asked(null, () => file.browse(key).next()),
    asked(null, () => file.unlock()),
    asked(hold, (held) => file.rewrite(held)),
    asked(hold, () => file.delete()),
    asked(() => { const browse = file.browse(key); browse.next(); return browse; }, (browse) => browse.next()),
  ],
};";

/// The answers that the manual gives to READ, READ UPDATE, WRITE, DELETE,
/// STARTBR, UNLOCK, REWRITE, DELETE of a held record, READNEXT and ENDBR. A step
/// of a script's browse is compared with STARTBR.
fn manual(switches: &str, by_program: bool) -> Value {
    let is = |at: usize| switches.as_bytes()[at] == b'1';
    let [enabled, open, add, browse, delete, read, update] = [0, 1, 2, 3, 4, 5, 6].map(is);
    let permitted = |allows: bool| {
        if allows {
            json!([0, 0])
        } else {
            json!([16, 20])
        }
    };
    let begins = |allows: bool| match (enabled, open) {
        (false, _) => json!([84, 50]),
        (true, false) => json!([19, 60]),
        (true, true) => permitted(allows),
    };
    let mut answers = vec![
        begins(read),
        begins(update),
        begins(add),
        begins(delete),
        begins(browse),
        begins(true),
        permitted(update),
        permitted(delete),
    ];
    if by_program {
        answers.extend([permitted(browse), permitted(true)]);
    } else {
        answers.push(begins(browse));
    }
    Value::Array(answers)
}

#[test]
fn programs_and_scripts_are_answered_by_a_files_switches_as_the_manual_says() {
    let folder = ScriptBank::folder("", "\nDEFINE PROGRAM(ASKER) GROUP(BANK)\n");
    write(folder.path(), "cobol/ASKER.cbl", ASKER);
    let bank = ScriptBank::of(folder);
    for bits in 0..1 << 7_u32 {
        let switches = format!("{bits:07b}");
        let outcomes = bank.value(&format!("const switches = '{switches}';{SCRIPT}"));
        assert_eq!(
            outcomes["program"],
            manual(&switches, true),
            "program {switches}"
        );
        assert_eq!(
            outcomes["script"],
            manual(&switches, false),
            "script {switches}"
        );
    }
}
