//! CEDF at EXEC SQL statements, against a private PostgreSQL: each statement with
//! its inputs, then with what it has left in the SQLCA and its outputs.

use super::*;
use crate::program::tupelo;
use crate::sql::{is_installed, served};

/// The application of the SQL tests, with terminals.
fn shop() -> Option<(tempfile::TempDir, Server)> {
    is_installed().then(|| served("\n[terminal]\nlisten = \"127.0.0.1:0\"\n"))
}

/// Switches CEDF on and begins STKS.
fn begin(server: &Server, input: &str) -> Terminal {
    let mut terminal = Terminal::model_2(server);
    terminal.type_text("cedf");
    terminal.enter("THIS TERMINAL: EDF MODE ON");
    terminal.on_empty_screen(input, "PROGRAM INITIATION");
    terminal
}

impl Terminal {
    /// The next statement is shown with these texts, before and after it is executed.
    fn steps_through(&mut self, statement: &str, before: &[&str], after: &[&str]) {
        self.step_to(statement);
        for (status, expected) in [
            ("ABOUT TO EXECUTE COMMAND", before),
            ("COMMAND EXECUTION COMPLETE", after),
        ] {
            self.wait_for(status);
            let shown = self.text();
            assert!(shown.contains(statement), "no {statement:?} on\n{shown}");
            for text in expected {
                assert!(shown.contains(text), "no {text:?} on\n{shown}");
            }
            self.press(Key::Enter, "");
            self.wait_for_change(&shown);
        }
    }

    fn wait_for_change(&mut self, old: &str) {
        until("another display", || {
            assert!(self.exchange().is_some());
            self.text() != old
        });
        self.wait_for("");
    }
}

#[test]
fn each_statement_is_shown_before_and_after_with_its_sqlcode() {
    let Some((_app, server)) = shop() else {
        return;
    };
    let mut terminal = begin(&server, "stks NUT");
    let done = "SQLCODE=+0 SQLSTATE=00000";
    terminal.steps_through(
        "EXEC SQL UPDATE STOCK SET COUNTED = COUNTED + 1 WHERE ITEM = :1",
        &["IVAR 001: TYPE=CHAR,LEN=00008 'NUT     '", "LINE: 00025"],
        &[done, "SQLERRD(3)=1", "LINE: 00025"],
    );
    terminal.steps_through(
        "EXEC SQL OPEN C1",
        &["SELECT COUNTED FROM STOCK WHERE ITEM = :1", "'NUT     '"],
        &[done],
    );
    terminal.steps_through(
        "EXEC SQL FETCH C1",
        &["LINE: 00028"],
        &[done, "OVAR 001: TYPE=DECIMAL,LEN=00004 8"],
    );
    terminal.steps_through("EXEC SQL CLOSE C1", &[], &[done]);
    terminal.steps_through(
        "EXEC SQL UPDATE NOTHERE SET A = 1",
        &[],
        &["SQLCODE=-204 SQLSTATE=42704", "SQLERRMC=SHOP.NOTHERE"],
    );
    terminal.step_to("EXEC CICS SEND TEXT");
    terminal.step_to("TASK TERMINATION");
    terminal.enter("NUT      COUNTS        8");
}

#[test]
fn a_row_that_is_not_there_has_sqlcode_100() {
    let Some((_app, server)) = shop() else {
        return;
    };
    let mut terminal = begin(&server, "stks NONE");
    let missing = ["SQLCODE=+100 SQLSTATE=02000"];
    terminal.steps_through("EXEC SQL UPDATE STOCK", &["'NONE    '"], &missing);
    terminal.steps_through("EXEC SQL OPEN C1", &[], &["SQLCODE=+0"]);
    terminal.steps_through("EXEC SQL FETCH C1", &[], &missing);
    terminal.press(Key::Pf(3), "NONE     COUNTS        0");
}

#[test]
fn a_task_that_is_ended_at_a_statement_is_backed_out() {
    let Some((app, server)) = shop() else {
        return;
    };
    let mut terminal = begin(&server, "stks");
    // Line 30 is the statement that fails.
    terminal.press(Key::Pf(9), "DISPLAY ON CONDITION");
    terminal.emulator.screen_mut().press(Key::Tab);
    terminal.type_text("30");
    terminal.press(Key::Pf(4), "EXEC SQL UPDATE NOTHERE");
    terminal.press(Key::Pf(12), "ENTER ABEND CODE");
    terminal.type_text("edf2");
    terminal.press(Key::Pf(12), "AN ABEND HAS OCCURRED");
    terminal.step_to("ABNORMAL TASK TERMINATION");
    terminal.enter("Transaction STKS failed with abend EDF2");
    drop(terminal);
    let state = server.stop();
    let output = tupelo()
        .args(["sql", "SELECT COUNTED FROM STOCK WHERE ITEM = 'BOLT'"])
        .args(["--app", ".", "--state"])
        .arg(state.path())
        .current_dir(app.path())
        .output()
        .unwrap();
    let shown = text(&output.stdout);
    assert!(shown.contains(" 40\n"), "{shown}{}", text(&output.stderr));
}
