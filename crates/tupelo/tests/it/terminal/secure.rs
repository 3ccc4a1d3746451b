//! Terminals with TLS, with other code pages, and with SYSREQ.

use super::*;
use crate::authority::TestAuthority;
use crate::operator::copy;

/// A copy of the application with these settings in the place of its own.
fn with_settings(settings: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&application(), folder.path());
    std::fs::write(folder.path().join("tupelo.toml"), settings).unwrap();
    folder
}

fn with_certificate(terminal: &str) -> tempfile::TempDir {
    let folder = with_settings(&format!(
        "[gateway]\ntls_certificate = \"server.pem\"\ntls_key = \"server.key\"\n\
         tls_listen = \"127.0.0.1:0\"\n[terminal]\n{terminal}\n"
    ));
    let (certificate, key) = TestAuthority::new().sign();
    std::fs::write(folder.path().join("server.pem"), certificate.pem()).unwrap();
    std::fs::write(folder.path().join("server.key"), key.serialize_pem()).unwrap();
    folder
}

#[test]
fn s3270_connects_with_tls_from_the_first_byte() {
    let Some(mut terminal) = S3270::start_with(&["-noverifycert"]) else {
        return;
    };
    let app = with_certificate("tls_listen = \"127.0.0.1:0\"");
    let server = Server::start(app.path());
    terminal.run(&format!("Connect(L:{})", server.tn3270));
    terminal.run("Wait(30,InputField)");
    let tls = terminal.run("Query(Tls)").join(" ");
    assert!(tls.starts_with("secure"), "{tls}");
    terminal.run("String(tell)");
    terminal.run("Enter()");
    terminal.shows("TELLER MENU");
}

#[test]
fn s3270_begins_tls_inside_its_connection_and_others_are_refused_where_it_is_required() {
    let app = with_certificate("listen = \"127.0.0.1:0\"\nstart_tls = \"required\"");
    let server = Server::start(app.path());
    let mut config = tn3270::ClientConfig::new(DeviceType::display(2, false));
    config.start_tls = false;
    let mut refusing = Terminal {
        emulator: Emulator::new(config, TerminalModel::display(2)),
        stream: TcpStream::connect(&server.tn3270).unwrap(),
        table: CodeTable::cp037(),
    };
    while let Some(events) = refusing.exchange() {
        assert!(!events.contains(&EmulatorEvent::Connected));
    }
    let Some(mut terminal) = S3270::start_with(&["-noverifycert"]) else {
        return;
    };
    terminal.run(&format!("Connect({})", server.tn3270));
    terminal.run("Wait(30,InputField)");
    let tls = terminal.run("Query(Tls)").join(" ");
    assert!(tls.starts_with("secure"), "{tls}");
    terminal.shows("Type a transaction");
}

#[test]
fn terminals_have_the_code_page_of_their_logical_unit() {
    let app = with_settings(
        "[terminal]\nlisten = \"127.0.0.1:0\"\n[terminal.code_pages]\n\"BRANCH*\" = \"273\"\n",
    );
    let server = Server::start(app.path());
    let table = terminal::code_table("273").unwrap();
    // The two pages differ in these letters.
    assert_ne!(table.encode('ä'), CodeTable::cp037().encode('ä'));
    let mut config = tn3270::ClientConfig::new(DeviceType::display(2, true));
    config.lu_names = vec![LuName::parse(b"BRANCH01").unwrap()];
    let mut german = Terminal {
        emulator: Emulator::new(config, TerminalModel::display(2)),
        stream: TcpStream::connect(&server.tn3270).unwrap(),
        table,
    };
    german
        .stream
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    german.wait_for("terminal CH01");
    german.type_text("WHO äÖß@");
    german.press(Key::Enter, "ME CICSUSERäÖß@");
    let mut other = Terminal::model_2(&server);
    other.type_text("WHO äÖß@");
    other.press(Key::Enter, "ME CICSUSERäÖß@");
}

#[test]
fn sysreq_leads_to_the_screen_outside_of_the_session_and_back() {
    let Some(mut terminal) = S3270::start() else {
        return;
    };
    let server = Server::start(&application());
    terminal.run(&format!("Connect({})", server.tn3270));
    terminal.run("Wait(30,InputField)");
    terminal.shows("Type a transaction");
    let until_shown = |terminal: &mut S3270, text: &str| {
        until("the screen", || {
            terminal.run("Ascii()").join("\n").contains(text)
        });
    };
    terminal.run("SysReq()");
    until_shown(&mut terminal, "Type LOGOFF to disconnect");
    terminal.run("SysReq()");
    until_shown(&mut terminal, "");
    terminal.run("Clear()");
    terminal.run("Wait(30,Unlock)");
    terminal.run("String(tell)");
    terminal.run("Enter()");
    terminal.shows("TELLER MENU");
}

#[test]
fn tls_without_a_certificate_is_an_error_that_names_the_settings() {
    let app = with_settings("[terminal]\ntls_listen = \"127.0.0.1:0\"\n");
    let state = tempfile::tempdir().unwrap();
    let served = crate::program::tupelo()
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--admin",
            "127.0.0.1:0",
            "--state",
        ])
        .arg(state.path())
        .arg(app.path())
        .output()
        .unwrap();
    let error_text = text(&served.stderr);
    assert!(!served.status.success());
    assert!(
        error_text.contains("tls_listen and start_tls use"),
        "{error_text}"
    );
}
