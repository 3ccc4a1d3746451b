//! The transactions that every region has: sign-on, the master terminal, the
//! CPU snapshot, the good morning message; and the commands on sign-on and
//! terminals.

use super::*;
use crate::operator::copy;
use crate::users::enter;

/// A copy of the application with more resources and settings.
fn changed(resources: &str, settings: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&application(), folder.path());
    let append = |file: &str, more: &str| {
        let file = folder.path().join(file);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{text}\n{more}")).unwrap();
    };
    append("resources.csd", resources);
    append("tupelo.toml", settings);
    folder
}

fn with_users() -> tempfile::TempDir {
    let folder = changed("", "");
    let app = folder.path().to_str().unwrap();
    for (name, roles) in [("ada", "operations"), ("bea", "read"), ("cid", "teller")] {
        let args = ["user", "add", name, "--roles", roles, "--app", app];
        assert_eq!(enter(&args, "sesame\n"), 0);
    }
    folder
}

impl Terminal {
    /// Enters a command at the top of a screen of the region's own, or of an
    /// empty one.
    fn command(&mut self, text: &str, then: &str) {
        self.type_text(text);
        self.press(Key::Enter, then);
    }

    /// Enters a command of CEMT over the one before.
    fn master(&mut self, text: &str, then: &str) {
        self.emulator.screen_mut().set_cursor(1);
        self.emulator.screen_mut().press(Key::EraseEof);
        self.command(text, then);
    }

    /// Types over what the first line shows.
    fn overtype(&mut self, shown: &str, text: &str, then: &str) {
        let row = self.emulator.screen().row_text(2, &self.table);
        let column = row
            .find(shown)
            .unwrap_or_else(|| panic!("{shown} in {row}"));
        self.emulator.screen_mut().set_cursor(160 + column as u16);
        self.emulator.screen_mut().press(Key::EraseEof);
        self.command(text, then);
    }

    /// Enters a command of CECI over the one before and executes it.
    fn interpret(&mut self, text: &str, then: &str) {
        self.master(text, "ABOUT TO EXECUTE COMMAND");
        self.press(Key::Enter, then);
    }

    fn sign_on(&mut self, user: &str, password: &str, then: &str) {
        self.command("cesn", "Signon to");
        self.type_text(user);
        self.emulator.screen_mut().press(Key::Tab);
        self.command(password, then);
    }

    /// Whether the server ends the connection.
    fn is_left(&mut self) -> bool {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(30) {
            if self.exchange().is_none() {
                return true;
            }
        }
        false
    }
}

#[test]
fn users_sign_on_at_a_terminal_and_their_tasks_run_for_them() {
    let app = with_users();
    let server = Server::start(app.path());
    let mut terminal = Terminal::model_2(&server);
    terminal.command("cemt i task", "You are not authorized");
    terminal.command("CESN", "Signon to");
    terminal.press(Key::Enter, "Please type your userid");
    terminal.type_text("Ada");
    terminal.press(Key::Enter, "Please type your password");
    // The user id stays, and the password is not shown.
    terminal.type_text("wrong");
    let shown = terminal.text();
    assert!(shown.contains("Ada") && !shown.contains("wrong"), "{shown}");
    terminal.press(Key::Enter, "userid or password is not valid");
    terminal.command("sesame", "Sign-on is complete for ADA");
    terminal.command("WHO", "ME ADA");
    terminal.press(Key::Clear, "");
    terminal.command("CEMT I TASK", "Tra(CEMT)");
    terminal.press(Key::Pf(3), "CEMT has ended");
    terminal.command("cesf", "Sign-off is complete");
    terminal.command("who", "ME CICSUSER");
    // A user with the role read cannot make changes; users without roles can do neither.
    terminal.press(Key::Clear, "");
    terminal.sign_on("bea", "sesame", "complete for BEA");
    terminal.command("CEMT I TRAN(TELL)", "Tra(TELL)");
    terminal.master("S TRAN(TELL) DIS", "You may look, and not change");
    terminal.master("I TRAN(TELL)", "Ena");
    terminal.press(Key::Pf(3), "CEMT has ended");
    terminal.sign_on("cid", "sesame", "complete for CID");
    terminal.command("CPUS", "DFHAC2033");
    terminal.type_text("CESF LOGOFF");
    assert!(matches!(
        terminal.emulator.press(Key::Enter),
        KeyOutcome::Send(_)
    ));
    assert!(terminal.is_left());
}

#[test]
fn five_wrong_passwords_disconnect_a_terminal_and_refuse_its_user() {
    let app = with_users();
    let server = Server::start(app.path());
    let mut terminal = Terminal::model_2(&server);
    terminal.sign_on("ada", "one", "not valid");
    for wrong in ["two", "three", "four"] {
        terminal.command(wrong, "not valid");
    }
    terminal.type_text("five");
    assert!(matches!(
        terminal.emulator.press(Key::Enter),
        KeyOutcome::Send(_)
    ));
    assert!(terminal.is_left());
    // At another terminal too, and now also with the right password.
    let mut other = Terminal::model_2(&server);
    other.sign_on("ADA", "sesame", "Too many wrong passwords");
    other.press(Key::Pf(3), "Sign-on was cancelled");
    other.sign_on("bea", "sesame", "complete for BEA");
}

#[test]
fn programs_sign_users_on_and_off_and_verify_their_passwords() {
    let app = with_users();
    let server = Server::start(app.path());
    let mut terminal = Terminal::model_2(&server);
    let mut who = |words: &str, then: &str| {
        terminal.command(&format!("WHO {words}"), then);
        terminal.press(Key::Clear, "");
    };
    who("VERIFY ADA sesame", "RESP   0 RESP2   0 ME CICSUSER");
    who("VERIFY ADA other", "RESP  70 RESP2   2");
    who("VERIFY NONE other", "RESP  69 RESP2   8");
    who("OFF", "RESP  16 RESP2   1");
    who("ON ADA other", "RESP  70 RESP2   2");
    who("ON ADA", "RESP  70 RESP2   1");
    // The task that signs on keeps the user that it began with.
    who("ON ADA sesame", "RESP   0 RESP2   0 ME CICSUSER");
    who("ON BEA sesame", "RESP  16 RESP2   9 ME ADA");
    who("OFF", "RESP   0 RESP2   0 ME ADA");
    who("", "ME CICSUSER");
}

#[test]
fn without_users_no_sign_on_succeeds_and_programs_get_the_response() {
    let server = Server::start(&application());
    let mut terminal = Terminal::model_2(&server);
    terminal.command("CESN", "This region has no users");
    terminal.command("WHO ON ADA x", "RESP  16 RESP2  18");
}

#[test]
fn programs_look_at_terminals_and_change_their_upper_case() {
    let server = Server::start(&application());
    let mut terminal = Terminal::model_2(&server);
    terminal.command("WHO LOOK", "NET LU00T001       24 LINES");
    terminal.press(Key::Clear, "");
    terminal.command("WHO list", "list");
    terminal.press(Key::Clear, "");
    terminal.command("WHO UPPER", "RESP   0");
    terminal.press(Key::Clear, "");
    let _other = Terminal::model_2(&server);
    // Data become capitals too from now on, at this terminal.
    terminal.command("who look", "UPPER 24 LINES");
    terminal.press(Key::Clear, "");
    terminal.command("who list", "COUNT 02 LAST T002");
}

#[test]
fn the_master_terminal_shows_and_changes_what_people_type() {
    let file = "DEFINE FILE(ACCTS) GROUP(G) KEYLENGTH(8) RECORDSIZE(80) STATUS(ENABLED)\n\
                OPENTIME(STARTUP) ADD(YES) READ(YES) UPDATE(YES)";
    let app = changed(file, "");
    let server = Server::start(app.path());
    let mut terminal = Terminal::model_2(&server);
    terminal.command("cemt", "ENTER ONE");
    terminal.master("i ta", "Tra(CEMT)");
    let shown = terminal.text();
    assert!(
        shown.contains("Fac(T001)") && shown.contains("RESPONSE: NORMAL"),
        "{shown}"
    );
    terminal.master("INQ PROG(TELL*)", "Prog(TELLER  )");
    assert!(!terminal.text().contains("CHAT"));
    terminal.master("i fi", "Fil(ACCTS   ) Vsa");
    terminal.master("S FILE(ACCTS) CLO DIS", "Clo Dis");
    assert!(terminal.text().contains("NORMAL"));
    // ENTER refreshes the display and does not repeat the change.
    terminal.master("S FI(ACCTS) OPE,ENA", "Ope Ena");
    terminal.press(Key::Enter, "Ope Ena");
    terminal.overtype("Ope", "clo", "Clo Une");
    assert!(terminal.text().contains("NORMAL"), "{}", terminal.text());
    terminal.overtype("Une", "xyz", "'XYZ' IS NOT KNOWN HERE");
    assert!(terminal.text().contains("RESPONSE: 1 ERROR"));
    terminal.press(Key::Enter, "RESPONSE: NORMAL");
    terminal.overtype("Clo", "OPE", "Vsa Ope");
    terminal.master("S FI(ACCTS) OPE,ENA", "Ope Ena");
    terminal.master("I FILE(*) CLO", "NOT FOUND");
    terminal.master("I TRAN(TELL)", "Pri( ");
    terminal.overtype("001", "7", "Pri( 007 )");
    terminal.master("S PROG(TELLER) DIS", "Dis");
    terminal.press(Key::Pf(3), "CEMT has ended");
    terminal.command("TELL", "Transaction TELL");
    terminal.press(Key::Clear, "");
    terminal.command("CEMT S PROG(TELLER) ENA", "Ena");
    terminal.master("S PROG(TELLER) NEW", "NORMAL");
    terminal.master("S PROG(NOPE) NEW", "NOT FOUND");
    terminal.master("S TRAN(TELL) DISABLED", "Dis");
    terminal.master("S TRAN(TELL) ENABLED", "Ena");
    terminal.master("I TERM", "Ter(T001)");
    assert!(terminal.text().contains("Net(LU00T001)"));
    terminal.master("I SYS", "Maxtasks");
    terminal.master("P SHUT", "PERFORM SHUTDOWN is not done at a terminal");
    terminal.master("P STAT REC ALL", "PERFORM STATISTICS NORMAL");
    terminal.master("FOO", "'FOO' is not a command");
    terminal.master("S FILE(ACCTS) SHUT", "'SHUT' is not known");
    assert!(terminal.text().contains("RESPONSE: ERROR"));
    terminal.press(Key::Clear, "CEMT has ended");
}

#[test]
fn the_master_terminal_pages_and_purges_a_task() {
    let more: String = (0..40)
        .map(|n| format!("DEFINE TRANSACTION(X{n:03}) GROUP(G) PROGRAM(TELLER)\n"))
        .collect();
    let app = changed(&more, "");
    let server = Server::start(app.path());
    let mut terminal = Terminal::model_2(&server);
    terminal.command("CEMT I TRAN(X*)", "Tra(X000)");
    assert!(
        terminal.text().contains("1 to 18 of 40"),
        "{}",
        terminal.text()
    );
    terminal.press(Key::Pf(8), "Tra(X018)");
    terminal.press(Key::Pf(8), "37 to 40 of 40");
    terminal.press(Key::Pf(8), "37 to 40 of 40");
    terminal.press(Key::Pf(7), "19 to 36 of 40");
    terminal.press(Key::Pf(10), "Tra(X000)");
    terminal.press(Key::Pf(11), "Tra(X039)");
    let mut other = Terminal::model_2(&server);
    other.command("CHAT", "TELLER MENU");
    terminal.master("I TASK TRA(CHAT)", "Tra(CHAT)");
    let shown = terminal.text();
    let number = shown.split("Tas(").nth(1).unwrap()[..7].to_owned();
    // Its transaction has SPURGE(NO).
    terminal.master(&format!("S TASK({number}) PURGE"), "INVREQ, RESP2 5");
    terminal.master(&format!("S TASK({number}) FORCEP"), "NORMAL");
    other.wait_for("Transaction CHAT failed with abend");
    terminal.master("I TASK TRA(CHAT)", "NOT FOUND");
}

#[test]
fn the_command_interpreter_executes_commands_and_shows_their_values() {
    let file = "DEFINE FILE(ACCTS) GROUP(G) KEYLENGTH(8) RECORDSIZE(80) STATUS(ENABLED)\n\
                OPENTIME(STARTUP) ADD(YES) READ(YES) UPDATE(YES)";
    let app = changed(file, "");
    let server = Server::start(app.path());
    let mut terminal = Terminal::model_2(&server);
    terminal.command("ceci", "COMMAND SYNTAX CHECK");
    terminal.interpret(
        "writeq ts queue('QUE1') from('first item')",
        "RESPONSE: NORMAL",
    );
    terminal.interpret(
        "readq ts queue('QUE1') into(&item) item(1)",
        "( 'first item' )",
    );
    terminal.press(Key::Pf(5), "&ITEM");
    assert!(
        terminal.text().contains("first item"),
        "{}",
        terminal.text()
    );
    terminal.press(Key::Pf(3), "READQ TS");
    terminal.press(Key::Pf(4), "EIBRSRCE = 'QUE1");
    terminal.press(Key::Pf(3), "READQ TS");
    // All commands are in one unit of work.
    let record = "file('ACCTS') ridfld('00000001')";
    terminal.interpret(
        &format!("write {record} from('00000001 Ada')"),
        "RESPONSE: NORMAL",
    );
    terminal.interpret(&format!("read {record} into update"), "'00000001 Ada'");
    terminal.interpret(
        "rewrite file('ACCTS') from('00000001 Bea')",
        "RESPONSE: NORMAL",
    );
    terminal.interpret(&format!("read {record} into(&rec)"), "'00000001 Bea'");
    terminal.interpret("writeq ts queue('QUE1') from(&rec)", "RESPONSE: NORMAL");
    terminal.interpret("readq ts queue('QUE1') item(2) into", "'00000001 Bea'");
    terminal.interpret(
        "readq ts queue('NONE') into",
        "RESPONSE: QIDERR   EIBRESP=+0000000044",
    );
    terminal.interpret("inquire file('ACCTS') openstatus", "OPENSTATUS( OPEN )");
    terminal.interpret("link program('NOPGM')", "RESPONSE: PGMIDERR");
    terminal.master("foo", "'FOO' is not a command");
    terminal.master("return", "ends the program");
    terminal.master("read file('ACCTS') into", "RIDFLD is needed");
    terminal.press(Key::Pf(3), "interpreter has ended");
    // CECS checks a command and does not execute it.
    terminal.press(Key::Clear, "");
    terminal.command("cecs deleteq ts queue('QUE1')", "COMMAND SYNTAX CHECK");
    terminal.press(Key::Enter, "COMMAND SYNTAX CHECK");
    terminal.press(Key::Pf(3), "interpreter has ended");
    terminal.press(Key::Clear, "");
    terminal.command(
        "ceci readq ts queue('QUE1') item(1) into",
        "ABOUT TO EXECUTE",
    );
    terminal.press(Key::Enter, "'first item'");
    terminal.press(Key::Clear, "interpreter has ended");
}

#[test]
fn the_cpu_snapshot_shows_what_was_used_since_its_baseline() {
    let server = Server::start(&application());
    let mut terminal = Terminal::model_2(&server);
    terminal.command("CPUS", "CPU ACTUAL");
    assert!(
        terminal.text().contains("General engines"),
        "{}",
        terminal.text()
    );
    terminal.press(Key::Pf(1), "now the baseline");
    terminal.press(Key::Enter, "CPU DELTA");
    let shown = terminal.text();
    let tasks = shown.lines().find(|line| line.contains(" Tasks")).unwrap();
    let tasks: u64 = tasks.split_whitespace().last().unwrap().parse().unwrap();
    // The task that reset it has ended since.
    assert!(tasks <= 2, "{shown}");
    terminal.press(Key::Pf(3), "The CPU snapshot has ended");
}

#[test]
fn a_terminal_can_begin_with_a_message_and_with_a_transaction() {
    let app = changed("", "welcome = \"Type a transaction, or CESN to sign on.\"");
    let server = Server::start(app.path());
    let mut terminal = Terminal::model_2(&server);
    terminal.wait_for("Type a transaction, or CESN to sign on.");
    terminal.command("TELL", "TELLER MENU");
    terminal.press(Key::Pf(3), "Goodbye");
    terminal.press(Key::Clear, "");
    terminal.command("CSGM", "terminal T001. Type a transaction, or CESN");
    drop((terminal, server));
    let app = changed("", "first_transaction = \"CPUS\"");
    let server = Server::start(app.path());
    let stream = TcpStream::connect(&server.tn3270).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    let mut terminal = Terminal {
        emulator: Emulator::with_model(TerminalModel::display(2)),
        stream,
        table: CodeTable::cp037(),
    };
    terminal.wait_for("CPU ACTUAL");
}

#[test]
fn s3270_signs_on_and_uses_the_master_terminal() {
    let Some(mut terminal) = S3270::start() else {
        return;
    };
    let app = with_users();
    let server = Server::start(app.path());
    terminal.run(&format!("Connect({})", server.tn3270));
    terminal.run("Wait(30,InputField)");
    terminal.run("String(cesn)");
    terminal.run("Enter()");
    terminal.shows("Signon to");
    terminal.run("String(ada)");
    terminal.run("Tab()");
    terminal.run("String(sesame)");
    terminal.run("Enter()");
    terminal.shows("Sign-on is complete for ADA");
    terminal.run("String(\"cemt i prog(tell*)\")");
    terminal.run("Enter()");
    terminal.shows("Prog(TELLER  )");
    assert_eq!(terminal.run("Query(Cursor)"), ["0 1"]);
    terminal.run("PF(3)");
    terminal.shows("CEMT has ended");
}
