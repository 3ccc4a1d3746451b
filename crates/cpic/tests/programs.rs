//! A C and a COBOL program speak to APINGD through `libcpic.so`; each is skipped
//! where its compiler is missing.

use appc::{AppcConfig, Host, aping};
use std::path::{Path, PathBuf};
use std::process::Command;

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
        "no libcpic.so beside {}",
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

/// Runs `compile` with the library linked; false when there is no such compiler.
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
            println!(
                "skipped: {} cannot be run: {why}",
                compile.get_program().display()
            );
            false
        }
    }
}

/// Runs the program against a server; what it printed.
fn run_against_a_server(program: &Path, folder: &Path) -> String {
    let mut config = AppcConfig::named("NET.SERVER").unwrap();
    config.listen = Some("127.0.0.1:0".parse().unwrap());
    let server = Host::start(config).unwrap();
    aping::define(&server).unwrap();
    let configuration = folder.join("node.toml");
    let text = format!(
        "[appc]\nlu = \"NET.CLIENT\"\n[appc.partners.\"NET.SERVER\"]\naddress = \"{}\"\n\
         [appc.side-information.ECHO]\npartner = \"NET.SERVER\"\nmode = \"#INTER\"\ntp = \"APINGD\"\n",
        server.listening().unwrap()
    );
    std::fs::write(&configuration, text).unwrap();
    let output = Command::new(program)
        .env("TUPELO_APPC", &configuration)
        .env("LD_LIBRARY_PATH", library_folder())
        // A COBOL CALL looks for its module here, and in libraries loaded first.
        .env("COB_LIBRARY_PATH", library_folder())
        .env("COB_PRE_LOAD", "libcpic")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{:?}: {printed}{errors}",
        output.status
    );
    printed.trim().to_owned()
}

#[test]
fn a_c_program_speaks_to_apingd() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("echo");
    let mut compile = Command::new("cc");
    compile
        .args(["-Wall", "-Werror", "-I", &source("include"), "-o"])
        .arg(&program)
        .arg(source("tests/echo.c"));
    if compiled(&mut compile) {
        assert_eq!(
            run_against_a_server(&program, folder.path()),
            "a record from C"
        );
    }
}

#[test]
fn a_cobol_program_speaks_to_apingd() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("echo");
    let mut compile = Command::new("cobc");
    compile
        .args(["-x", "-o"])
        .arg(&program)
        .arg(source("tests/echo.cob"));
    if compiled(&mut compile) {
        assert_eq!(
            run_against_a_server(&program, folder.path()),
            "a record from COBOL"
        );
    }
}
