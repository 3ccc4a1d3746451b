//! Which command may touch a file: every combination of ENABLED, OPEN, ADD,
//! BROWSE, DELETE, READ and UPDATE, asked by a COBOL program and by a script,
//! and compared with the manual.

use serde_json::{Value, json};

use crate::script::{ScriptBank, write};

/// Executes the command that its COMMAREA names; one that continues with a record or
/// a browse begins it before the attributes are set. `1` is YES.
const ASKER: &str = r#"
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ASKER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP PIC S9(8) COMP VALUE 0.
       01  WS-RESP2 PIC S9(8) COMP VALUE 0.
       01  WS-KEY PIC X(8) VALUE '10000001'.
       01  WS-REC PIC X(80).
       01  WS-NEW PIC X(80) VALUE '39999991'.
       01  WS-LEN PIC S9(4) COMP VALUE 80.
       01  V-ENABLED PIC S9(8) COMP.
       01  V-OPEN PIC S9(8) COMP.
       01  V-ADD PIC S9(8) COMP.
       01  V-BROWSE PIC S9(8) COMP.
       01  V-DELETE PIC S9(8) COMP.
       01  V-READ PIC S9(8) COMP.
       01  V-UPDATE PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-COMMAND PIC X(10).
           05  CA-SWITCHES.
               10  CA-ENABLED PIC X.
               10  CA-OPEN PIC X.
               10  CA-ADD PIC X.
               10  CA-BROWSE PIC X.
               10  CA-DELETE PIC X.
               10  CA-READ PIC X.
               10  CA-UPDATE PIC X.
           05  CA-RESP PIC 9(4).
           05  CA-RESP2 PIC 9(4).
       PROCEDURE DIVISION.
           EVALUATE CA-COMMAND
               WHEN 'REWRITE' WHEN 'DELETEHELD'
                   EXEC CICS READ FILE('ACCTFILE') INTO(WS-REC)
                       LENGTH(WS-LEN) RIDFLD(WS-KEY) UPDATE END-EXEC
               WHEN 'READNEXT' WHEN 'ENDBR'
                   EXEC CICS STARTBR FILE('ACCTFILE') RIDFLD(WS-KEY)
                       END-EXEC
           END-EVALUATE
           PERFORM SET-SWITCHES
           EVALUATE CA-COMMAND
               WHEN 'READ'
                   EXEC CICS READ FILE('ACCTFILE') INTO(WS-REC)
                       LENGTH(WS-LEN) RIDFLD(WS-KEY)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'READUPD'
                   EXEC CICS READ FILE('ACCTFILE') INTO(WS-REC)
                       LENGTH(WS-LEN) RIDFLD(WS-KEY) UPDATE
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'WRITE'
                   MOVE '39999991' TO WS-KEY
                   EXEC CICS WRITE FILE('ACCTFILE') FROM(WS-NEW)
                       RIDFLD(WS-KEY)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'DELETE'
                   EXEC CICS DELETE FILE('ACCTFILE') RIDFLD(WS-KEY)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'STARTBR'
                   EXEC CICS STARTBR FILE('ACCTFILE') RIDFLD(WS-KEY)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'UNLOCK'
                   EXEC CICS UNLOCK FILE('ACCTFILE')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'REWRITE'
                   EXEC CICS REWRITE FILE('ACCTFILE') FROM(WS-REC)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'DELETEHELD'
                   EXEC CICS DELETE FILE('ACCTFILE')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'READNEXT'
                   EXEC CICS READNEXT FILE('ACCTFILE') INTO(WS-REC)
                       LENGTH(WS-LEN) RIDFLD(WS-KEY)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'ENDBR'
                   EXEC CICS ENDBR FILE('ACCTFILE')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           END-EVALUATE
           MOVE WS-RESP TO CA-RESP
           MOVE WS-RESP2 TO CA-RESP2
           EXEC CICS RETURN END-EXEC.
       SET-SWITCHES.
           MOVE DFHVALUE(DISABLED) TO V-ENABLED
           IF CA-ENABLED = '1'
               MOVE DFHVALUE(ENABLED) TO V-ENABLED
           END-IF
           MOVE DFHVALUE(CLOSED) TO V-OPEN
           IF CA-OPEN = '1'
               MOVE DFHVALUE(OPEN) TO V-OPEN
           END-IF
           MOVE DFHVALUE(NOTADDABLE) TO V-ADD
           IF CA-ADD = '1'
               MOVE DFHVALUE(ADDABLE) TO V-ADD
           END-IF
           MOVE DFHVALUE(NOTBROWSABLE) TO V-BROWSE
           IF CA-BROWSE = '1'
               MOVE DFHVALUE(BROWSABLE) TO V-BROWSE
           END-IF
           MOVE DFHVALUE(NOTDELETABLE) TO V-DELETE
           IF CA-DELETE = '1'
               MOVE DFHVALUE(DELETABLE) TO V-DELETE
           END-IF
           MOVE DFHVALUE(NOTREADABLE) TO V-READ
           IF CA-READ = '1'
               MOVE DFHVALUE(READABLE) TO V-READ
           END-IF
           MOVE DFHVALUE(NOTUPDATABLE) TO V-UPDATE
           IF CA-UPDATE = '1'
               MOVE DFHVALUE(UPDATABLE) TO V-UPDATE
           END-IF
           EXEC CICS SET FILE('ACCTFILE') DISABLED CLOSED END-EXEC
           EXEC CICS SET FILE('ACCTFILE') ADD(V-ADD) BROWSE(V-BROWSE)
               DELETE(V-DELETE) READ(V-READ) UPDATE(V-UPDATE) END-EXEC
           EXEC CICS SET FILE('ACCTFILE') ENABLESTATUS(V-ENABLED)
               OPENSTATUS(V-OPEN) END-EXEC.
"#;

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
