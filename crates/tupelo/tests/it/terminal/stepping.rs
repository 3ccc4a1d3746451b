//! CEDF and CEDX: stepping through tasks at their own terminal, at another one,
//! and without one; values that are changed; and tasks that end while they are stepped.

mod statements;

use super::*;

/// The screens of a task of STEP up to the first command.
const BEFORE_WRITE: &str = "ABOUT TO EXECUTE COMMAND";

impl Terminal {
    fn enter(&mut self, then: &str) {
        self.press(Key::Enter, then);
    }

    fn on_empty_screen(&mut self, text: &str, then: &str) {
        self.press(Key::Clear, "");
        self.type_text(text);
        self.enter(then);
    }

    /// Types over a value that is shown.
    fn change(&mut self, shown: &str, text: &str) {
        let screen = self.text();
        let at = screen.lines().enumerate().find_map(|(row, line)| {
            let column = line.find(shown)?;
            Some(row * 80 + column)
        });
        let at = at.unwrap_or_else(|| panic!("{shown} on\n{screen}"));
        self.emulator.screen_mut().set_cursor(at as u16);
        self.type_text(text);
    }

    /// Steps until a text is shown.
    fn step_to(&mut self, text: &str) {
        for _ in 0..20 {
            if self.text().contains(text) {
                return;
            }
            let before = self.text();
            self.press(Key::Enter, "");
            let start = Instant::now();
            while self.text() == before && start.elapsed() < Duration::from_secs(20) {
                assert!(self.exchange().is_some());
            }
            self.wait_for("");
        }
        panic!("no {text:?} on\n{}", self.text());
    }

    /// Switches CEDF on and steps to the first command of STEP.
    fn at_first_command(server: &Server) -> Terminal {
        let mut terminal = Terminal::model_2(server);
        terminal.type_text("cedf");
        terminal.enter("THIS TERMINAL: EDF MODE ON");
        terminal.on_empty_screen("step", "PROGRAM INITIATION");
        terminal.enter(BEFORE_WRITE);
        terminal
    }
}

#[test]
fn each_command_is_shown_before_and_after_it_is_executed() {
    let server = Server::start(&application());
    let mut terminal = Terminal::at_first_command(&server);
    let shown = terminal.text();
    assert!(
        shown.contains("TRANSACTION: STEP PROGRAM: STEPPGM"),
        "{shown}"
    );
    assert!(
        shown.contains("WRITEQ TS") && shown.contains("FIRST"),
        "{shown}"
    );
    terminal.enter("COMMAND EXECUTION COMPLETE");
    let shown = terminal.text();
    assert!(shown.contains("RESPONSE: NORMAL"), "{shown}");
    terminal.press(Key::Pf(11), "EIBTRNID = 'STEP'");
    terminal.enter("COMMAND EXECUTION COMPLETE");
    terminal.press(Key::Pf(10), "PREVIOUS DISPLAY");
    terminal.press(Key::Pf(10), "PROGRAM INITIATION");
    terminal.press(Key::Pf(11), BEFORE_WRITE);
    terminal.enter("COMMAND EXECUTION COMPLETE");
    terminal.step_to("EXEC CICS READQ TS");
    // The program's screen stays until a key is pressed.
    terminal.step_to("EXEC CICS SEND TEXT");
    terminal.enter("RESP   0 ANSWER FIRST");
    terminal.enter("COMMAND EXECUTION COMPLETE");
    terminal.press(Key::Pf(6), "RESP   0 ANSWER FIRST");
    terminal.enter("COMMAND EXECUTION COMPLETE");
    terminal.step_to("EXEC CICS RETURN");
    terminal.enter("PROGRAM TERMINATION");
    terminal.enter("TASK TERMINATION");
    assert!(terminal.text().contains("CONTINUE EDF?"));
    terminal.enter("RESP   0 ANSWER FIRST");
    // The reply was NO.
    terminal.on_empty_screen("step", "RESP   0 ANSWER FIRST");
}

#[test]
fn arguments_results_and_responses_can_be_changed() {
    let server = Server::start(&application());
    let mut terminal = Terminal::at_first_command(&server);
    terminal.change("FIRST", "OTHER");
    terminal.enter("OTHER");
    assert!(terminal.text().contains(BEFORE_WRITE));
    terminal.step_to("EXEC CICS READQ TS");
    terminal.enter("COMMAND EXECUTION COMPLETE");
    assert!(terminal.text().contains("OTHER"), "{}", terminal.text());
    terminal.change("OTHER", "THIRD");
    terminal.enter("THIRD");
    terminal.change("NORMAL", "NOTFND");
    terminal.enter("EIBRESP=+0000000013");
    terminal.step_to("RESP  13 ANSWER THIRD");
}

#[test]
fn a_command_can_be_left_out_and_a_task_be_ended() {
    let server = Server::start(&application());
    let mut terminal = Terminal::at_first_command(&server);
    terminal.change("WRITEQ TS", "NOOP     ");
    terminal.enter("NOOP");
    terminal.enter("COMMAND EXECUTION COMPLETE");
    terminal.step_to("EXEC CICS READQ TS");
    terminal.enter("RESPONSE: QIDERR");
    terminal.press(Key::Pf(12), "ENTER ABEND CODE");
    terminal.type_text("edf1");
    terminal.press(Key::Pf(12), "AN ABEND HAS OCCURRED");
    assert!(terminal.text().contains("EDF1"));
    terminal.step_to("ABNORMAL TASK TERMINATION");
    terminal.enter("Transaction STEP failed with abend EDF1");
}

#[test]
fn suppressed_displays_come_back_at_a_stop_condition() {
    let server = Server::start(&application());
    let mut terminal = Terminal::at_first_command(&server);
    terminal.press(Key::Pf(9), "DISPLAY ON CONDITION");
    terminal.type_text("READQ");
    terminal.press(Key::Pf(4), "EXEC CICS READQ TS");
    terminal.press(Key::Pf(4), "RESP   0 ANSWER FIRST");
    terminal.enter("TASK TERMINATION");
    terminal.press(Key::Pf(3), "RESP   0 ANSWER FIRST");
}

#[test]
fn working_storage_is_shown_and_changed() {
    let server = Server::start(&application());
    let mut terminal = Terminal::at_first_command(&server);
    terminal.press(Key::Pf(5), "WORKING STORAGE");
    // FIRST and three blanks are at the beginning of a word.
    for _ in 0..20 {
        if terminal.text().contains("46495253") {
            break;
        }
        terminal.press(Key::Pf(8), "WORKING STORAGE");
    }
    terminal.change("46495253", "54574943");
    terminal.enter("54574943");
    terminal.enter("TWICT");
    terminal.step_to("RESP   0 ANSWER TWICT");
}

#[test]
fn tasks_of_another_terminal_and_without_one_are_stepped_through() {
    let server = Server::start(&application());
    let (mut one, mut two) = (Terminal::model_2(&server), Terminal::model_2(&server));
    one.type_text("cedf t002,on");
    one.enter("TERMINAL T002: EDF MODE ON");
    two.type_text("step");
    let sent = two.emulator.press(Key::Enter);
    assert!(matches!(sent, KeyOutcome::Send(_)));
    two.exchange();
    one.wait_for("PROGRAM INITIATION");
    one.step_to("EXEC CICS SEND TEXT");
    one.enter("COMMAND EXECUTION COMPLETE");
    two.wait_for("RESP   0 ANSWER FIRST");
    one.step_to("TASK TERMINATION");
    one.enter("TERMINAL T002: EDF MODE ON");
    one.on_empty_screen("cedf t002,off", "TERMINAL T002: EDF MODE OFF");
    two.on_empty_screen("step", "RESP   0 ANSWER FIRST");
    one.on_empty_screen("cedx step", "TRANSACTION STEP: EDF MODE ON");
    two.on_empty_screen("ceci START TRANSID('STEP')", "ABOUT TO EXECUTE");
    two.enter("COMMAND EXECUTION COMPLETE");
    one.wait_for("PROGRAM INITIATION");
    one.press(Key::Pf(3), "TRANSACTION STEP: EDF MODE ON");
}

#[test]
fn a_task_goes_on_when_its_debugging_terminal_leaves_and_ends_when_it_is_purged() {
    let server = Server::start(&application());
    let (mut one, mut two) = (Terminal::model_2(&server), Terminal::model_2(&server));
    one.type_text("cedf t002,on");
    one.enter("TERMINAL T002: EDF MODE ON");
    two.type_text("step");
    two.emulator.press(Key::Enter);
    two.exchange();
    one.wait_for("PROGRAM INITIATION");
    drop(one);
    two.wait_for("RESP   0 ANSWER FIRST");
    let mut three = Terminal::at_first_command(&server);
    two.on_empty_screen("cemt i task tra(step)", "STEP");
    let screen = two.text();
    let task = screen
        .split("Tas(")
        .nth(1)
        .and_then(|rest| rest.split(')').next());
    let task = task
        .unwrap_or_else(|| panic!("no task on\n{screen}"))
        .trim()
        .to_owned();
    two.press(Key::Pf(3), "");
    two.on_empty_screen(&format!("cemt s task({task}) forcepurge"), "NORMAL");
    three.wait_for("Transaction STEP failed with abend");
}
