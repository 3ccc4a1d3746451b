//! C and COBOL programs speak through `libcpic.so` to a node of the test's own;
//! each is skipped where its compiler is missing.

mod partner;

use appc::{AllocateRequest, AppcConfig, NodeHost, aping};
use sna::conversation::code::{DeallocateType, PrepareToReceiveType, StatusReceived};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The folder of the shared library: where this test was built, one level up.
fn library_folder() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let deps = test.parent().unwrap();
    let folder = if deps.join("libcpic.so").exists() {
        deps
    } else {
        deps.parent().unwrap()
    };
    assert!(
        folder.join("libcpic.so").exists(),
        "no libcpic.so next to {}",
        test.display()
    );
    folder.to_owned()
}

fn source(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(name)
        .display()
        .to_string()
}

/// Runs `compile` with the library linked. Returns `false` if there is no such
/// compiler.
fn compiled(compile: &mut Command) -> bool {
    let library = library_folder();
    compile
        .arg(format!("-L{}", library.display()))
        .arg("-lcpic");
    match compile.output() {
        Ok(output) => {
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            true
        }
        Err(why) => {
            let program = compile.get_program().to_string_lossy();
            skipped::lacking(&program, format!("it cannot be run: {why}"));
            false
        }
    }
}

/// A server with APINGD and the partner's programs.
fn server() -> NodeHost {
    let mut config = AppcConfig::named("NET.SERVER").unwrap();
    config.listen = Some("127.0.0.1:0".parse().unwrap());
    config.users.insert("ALICE".into(), "SECRET".into());
    let server = NodeHost::start(config).unwrap();
    aping::define(&server).unwrap();
    partner::define(&server);
    server
}

/// The program as a process whose node knows `server`.
fn process(program: &Path, folder: &Path, server: &NodeHost) -> Command {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let unused = unused.local_addr().unwrap();
    let mut text = format!(
        "[appc]\nlu = \"NET.CLIENT\"\n\
         [appc.partners.\"NET.SERVER\"]\naddress = \"{}\"\n\
         [appc.partners.\"NET.GONE\"]\naddress = \"{unused}\"\n\
         [appc.users]\nALICE = \"SECRET\"\n",
        server.listening().unwrap()
    );
    for (name, partner, tp) in [
        ("ECHO", "NET.SERVER", "APINGD"),
        ("PARTNER", "NET.SERVER", "PARTNER"),
        ("READY", "NET.SERVER", "READY"),
        ("GONE", "NET.GONE", "PARTNER"),
    ] {
        text += &format!(
            "[appc.side-information.{name}]\npartner = \"{partner}\"\nmode = \"#INTER\"\ntp = \"{tp}\"\n"
        );
    }
    let configuration = folder.join("node.toml");
    std::fs::write(&configuration, text).unwrap();
    let mut command = Command::new(program);
    command
        .env("TUPELO_APPC", &configuration)
        .env("LD_LIBRARY_PATH", library_folder())
        // A COBOL CALL looks for its module here, and in libraries loaded first.
        .env("COB_LIBRARY_PATH", library_folder())
        .env("COB_PRE_LOAD", "libcpic");
    command
}

/// Its output, if it ended normally.
fn printed(output: &Output) -> String {
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{:?}: {printed}{errors}",
        output.status
    );
    printed.trim().to_owned()
}

/// Compiles `tests/NAME` (C or COBOL); `None` where there is no compiler.
fn program(folder: &Path, name: &str) -> Option<PathBuf> {
    let program = folder.join(name.replace('.', "_"));
    let mut compile = if name.ends_with(".c") {
        let mut compile = Command::new("cc");
        compile.args(["-Wall", "-Werror", "-I", &source("include")]);
        compile
    } else {
        let mut compile = Command::new("cobc");
        compile.arg("-x");
        compile
    };
    compile.arg("-o").arg(&program);
    compile.arg(source(&format!("tests/{name}")));
    compiled(&mut compile).then_some(program)
}

/// Runs `tests/NAME` against a server; what it printed.
fn run(name: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path(), name)?;
    let server = server();
    let output = process(&program, folder.path(), &server).output().unwrap();
    Some(printed(&output))
}

#[test]
fn a_c_program_speaks_to_apingd() {
    if let Some(printed) = run("echo.c") {
        assert_eq!(printed, "a record from C");
    }
}

#[test]
fn a_cobol_program_speaks_to_apingd() {
    if let Some(printed) = run("echo.cob") {
        assert_eq!(printed, "a record from COBOL");
    }
}

#[test]
fn every_call_from_c_does_and_refuses_what_is_documented() {
    if let Some(printed) = run("calls.c") {
        assert_eq!(printed, "done");
    }
}

#[test]
fn every_call_from_cobol_does_and_refuses_what_is_documented() {
    if let Some(printed) = run("calls.cob") {
        assert_eq!(printed, "done");
    }
}

/// Starts a program, and waits until its link is there.
fn begun(command: &mut Command, server: &appc::NodeHost) -> std::process::Child {
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().unwrap();
    partner::wait_until_ready(server, 1);
    child
}

/// Calls the program `tests/NAME`, which accepts; what it printed.
fn called(name: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path(), name)?;
    let server = server();
    let mut command = process(&program, folder.path(), &server);
    command.env("TUPELO_APPC_TPN", "ACCEPTOR");
    let child = begun(&mut command, &server);
    // The link is there: the program called READY over it.
    let call = AllocateRequest::new("NET.CLIENT", "ACCEPTOR");
    let mut conversation = server.allocate(&call).unwrap();
    let mut buffer = vec![0; 32_767];
    for record in [&b"hello"[..], &[0xC1; 30_000]] {
        conversation.send(record).unwrap();
        conversation.confirm().unwrap();
        conversation
            .prepare_to_receive(PrepareToReceiveType::Flush)
            .unwrap();
        let mut back = Vec::new();
        loop {
            let got = conversation.receive(&mut buffer).unwrap();
            back.extend_from_slice(&buffer[..got.len]);
            if got.status == StatusReceived::Send {
                break;
            }
        }
        assert!(back == record, "{} bytes came back", back.len());
    }
    conversation.deallocate(DeallocateType::Confirm).unwrap();
    Some(printed(&child.wait_with_output().unwrap()))
}

#[test]
fn a_c_program_accepts_a_conversation() {
    if let Some(printed) = called("accept.c") {
        assert_eq!(printed, "NET.SERVER #INTER ACCEPTOR 1 1\ndone");
    }
}

#[test]
fn a_cobol_program_accepts_a_conversation() {
    if let Some(printed) = called("accept.cob") {
        assert_eq!(printed, "NET.SERVER #INTER ACCEPTOR 1 1\ndone");
    }
}

#[test]
fn a_c_program_accepts_conversations_of_the_names_it_specifies() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = program(folder.path(), "incoming.c") else {
        return;
    };
    let server = server();
    let mut command = process(&program, folder.path(), &server);
    let child = begun(&mut command, &server);
    let attach = |name: &str| {
        let mut call = AllocateRequest::new("NET.CLIENT", name);
        call.user = Some(("ALICE".to_owned(), Some("SECRET".to_owned())));
        let mut conversation = server.allocate(&call).unwrap();
        conversation.send(name.as_bytes()).unwrap();
        let flush = PrepareToReceiveType::Flush;
        conversation.prepare_to_receive(flush)?;
        let mut buffer = [0; 100];
        let mut back = Vec::new();
        loop {
            let got = conversation.receive(&mut buffer)?;
            back.extend_from_slice(&buffer[..got.len]);
            if got.status == StatusReceived::ConfirmDeallocate {
                conversation.confirmed()?;
                return Ok(back);
            }
        }
    };
    for name in ["FIRST", "SECOND"] {
        let back: Result<Vec<u8>, appc::Error> = attach(name);
        assert_eq!(back.unwrap(), name.as_bytes());
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(printed(&output), "FIRST of ALICE\nSECOND of ALICE\ndone");
}

#[test]
fn a_verified_user_that_the_partner_does_not_accept_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = program(folder.path(), "verified.c") else {
        return;
    };
    let server = server();
    let reported = || {
        let output = process(&program, folder.path(), &server).output().unwrap();
        assert_eq!(printed(&output), "done");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let untrusted = reported();
    assert!(untrusted.contains("without ALICE"), "{untrusted}");
    let mut trusted = appc::config::PartnerConfig::at("127.0.0.1:1");
    trusted.trusted = true;
    server.define_partner_as("NET.CLIENT", trusted).unwrap();
    assert_eq!(reported(), "");
}

#[test]
fn programs_of_one_configuration_without_names_communicate_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = program(folder.path(), "incoming.c") else {
        return;
    };
    let server = server();
    let mut commands: Vec<Command> = (0..10)
        .map(|_| process(&program, folder.path(), &server))
        .collect();
    let configuration = folder.path().join("node.toml");
    let text = std::fs::read_to_string(&configuration).unwrap();
    std::fs::write(&configuration, text.replace("lu = \"NET.CLIENT\"\n", "")).unwrap();
    // Each ends after it was called twice, which does not happen: all have
    // their links at once.
    let mut running: Vec<_> = commands
        .iter_mut()
        .map(|command| command.stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    partner::wait_until_ready(&server, 10);
    let status = server.status();
    let partners = status.links.iter().map(|link| link.partner.as_str());
    let partners: std::collections::BTreeSet<&str> = partners.collect();
    assert_eq!(partners.len(), 10, "{partners:?}");
    assert!(
        partners.iter().all(|name| name.starts_with("TUPELO.P")),
        "{partners:?}"
    );
    for child in &mut running {
        child.kill().unwrap();
        let mut errors = String::new();
        std::io::Read::read_to_string(child.stderr.as_mut().unwrap(), &mut errors).unwrap();
        // It accepts, but partners know neither its name nor its address.
        for reported in ["CMSLTP FIRST", "`lu`", "`listen`"] {
            assert!(errors.contains(reported), "{errors}");
        }
        child.wait().unwrap();
    }
}

#[test]
fn an_allocate_that_fails_reports_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = program(folder.path(), "echo.c") else {
        return;
    };
    let server = server();
    for (change, reported, code) in [
        ("NET.SERVER", "CMALLC to NET.ABSENT: ", 19),
        (
            "#INTER",
            "CMALLC to NET.SERVER, mode \"NOMODE\": this mode",
            19,
        ),
        ("address = \"127.0.0.1", "Connection refused", 2),
    ] {
        let mut command = process(&program, folder.path(), &server);
        let configuration = folder.path().join("node.toml");
        let text = std::fs::read_to_string(&configuration).unwrap();
        let (partners, side) = text.split_once("[appc.side-information.ECHO]").unwrap();
        let text = match change {
            "NET.SERVER" => {
                let side = side.replace(change, "NET.ABSENT");
                format!("{partners}[appc.side-information.ECHO]{side}")
            }
            "#INTER" => text.replace(change, "NOMODE"),
            _ => {
                let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
                let closed = unused.local_addr().unwrap().to_string();
                text.replace(&server.listening().unwrap().to_string(), &closed)
            }
        };
        std::fs::write(&configuration, text).unwrap();
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(reported), "{errors}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed, format!("CMALLC: return code {code}\n"), "{errors}");
    }
}

#[test]
fn without_a_configuration_calls_report_it_and_return_product_specific_error() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = program(folder.path(), "echo.c") else {
        return;
    };
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Some(path)
    };
    let side =
        |name: &str| format!("[appc.side-information.{name}]\npartner = \"NET.A\"\ntp = \"A\"\n");
    let long = format!("[appc]\nlu = \"NET.C\"\n{}", side("NINECHARS"));
    let twice = format!("[appc]\nlu = \"NET.C\"\n{}{}", side("ECHO"), side("echo"));
    for (configuration, reported) in [
        (None, "TUPELO_APPC must name a file"),
        (Some(folder.path().join("none.toml")), "none.toml"),
        (file("wrong.toml", "[appc]\nlu = \"no dot\"\n"), "NO DOT"),
        (file("long.toml", &long), "\"NINECHARS\": must have 1 to 8"),
        (file("twice.toml", &twice), "\"echo\": is defined twice"),
    ] {
        let mut command = Command::new(&program);
        command.env("LD_LIBRARY_PATH", library_folder());
        command.env_remove("TUPELO_APPC");
        if let Some(configuration) = configuration {
            command.env("TUPELO_APPC", configuration);
        }
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(reported), "{errors}");
        assert_eq!(output.stdout, b"CMINIT: return code 20\n");
    }
}
