//! The command line as a user runs it: its output, its files, and the exit
//! status.

use crate::peers::{read_request, serve};
use clap::Parser;
use drive::cli::{Args, run};
use drive::server::{Server, ServerBehaviour};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

fn drive(words: &[&str]) -> ExitCode {
    let words = ["drive", "--quiet"].iter().chain(words);
    run(&Cli::try_parse_from(words).unwrap().args).unwrap()
}

fn server() -> (Server, String) {
    let server = Server::start(ServerBehaviour::default()).unwrap();
    let url = format!("http://{}", server.address());
    (server, url)
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn a_loop_leaves_one_page_one_table_and_one_log_a_combination() {
    let (_server, url) = server();
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "title = \"sizes\"\nbase = \"{url}\"\n[loop]\nn = [1, 2]\nsize = [10, 2000]\n\
         [[population]]\nname = \"users\"\nclients = \"${{n}}\"\niterations = 20\n\
         [[population.step]]\nrequest = \"GET /${{size}}\"\nsize = \"${{size}}\"\n"
    );
    let scenario = write(folder.path(), "loop.toml", &text);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (html, csv, hdr) = (at("m.html"), at("m.csv"), at("m.hlog"));
    let words = [
        "-s", &scenario, "--html", &html, "--csv", &csv, "--hdr", &hdr,
    ];
    assert_eq!(drive(&words), ExitCode::SUCCESS);
    let page = fs::read_to_string(html).unwrap();
    assert!(page.contains("<h1>sizes</h1>") && page.contains("Throughput against n"));
    assert_eq!(page.matches("<details").count(), 4);
    let table = fs::read_to_string(csv).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with("n,size,answers_s,sent,"), "{table}");
    assert_eq!(rows.len(), 5);
    assert!(rows[4].starts_with("2,2000,") && rows[4].contains(",20,20,0,0,0,"));
    assert!(folder.path().join("m-n=2_size=10.hlog").is_file());
    assert!(folder.path().join("m-n=2_size=10.csv").is_file());
}

#[test]
fn what_cannot_be_written_or_read_is_reported_before_the_run() {
    let (server, url) = server();
    let folder = tempfile::tempdir().unwrap();
    let report = write(folder.path(), "no.json", "{\"not\": \"a report\"}");
    let nowhere = folder.path().join("none/x").display().to_string();
    for (option, value) in [
        ("--html", nowhere.as_str()),
        ("--csv", folder.path().to_str().unwrap()),
        ("--baseline", &nowhere),
        ("--baseline", &report),
    ] {
        let words = [url.as_str(), "-n", "5", option, value];
        assert_eq!(drive(&words), ExitCode::from(2), "{option} {value}");
    }
    assert_eq!(server.answered(), 0);
}

#[test]
fn options_that_a_scenario_would_ignore_are_wrong_usage() {
    let (_server, url) = server();
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "[[population]]\nname = \"a\"\nclients = 1\niterations = 3\n\
         [[population.step]]\nrequest = \"GET {url}/\"\n"
    );
    let scenario = write(folder.path(), "one.toml", &text);
    let words = ["-s", scenario.as_str()];
    assert_eq!(drive(&words), ExitCode::SUCCESS);
    for more in [&["-c", "5"][..], &["--rate", "9"], &["-H", "A: b"]] {
        let words: Vec<&str> = words.iter().chain(more).copied().collect();
        assert_eq!(drive(&words), ExitCode::from(64), "{more:?}");
    }
    assert_eq!(
        drive(&[&words[..], &["--seed", "3"]].concat()),
        ExitCode::SUCCESS
    );
}

#[test]
fn a_run_without_any_answer_is_no_success() {
    let address = serve(|mut stream| {
        read_request(&mut stream);
    });
    let url = format!("http://{address}/");
    assert_eq!(drive(&[&url, "-n", "4"]), ExitCode::from(1));
}

#[test]
fn a_run_that_became_worse_has_its_exit_status() {
    let (_server, url) = server();
    let folder = tempfile::tempdir().unwrap();
    let mut stored = measure::report::LoadReport::default();
    let mut population = measure::report::PopulationReport {
        sent: 10,
        ..Default::default()
    };
    population.response.p99 = 1e-6;
    stored.populations.push(population);
    let fast = write(
        folder.path(),
        "fast.json",
        &serde_json::to_string(&stored).unwrap(),
    );
    stored.populations[0].response.p50 = 1e9;
    stored.populations[0].response.p99 = 1e9;
    let slow = write(
        folder.path(),
        "slow.json",
        &serde_json::to_string(&stored).unwrap(),
    );
    assert_eq!(
        drive(&[&url, "-n", "5", "--baseline", &fast]),
        ExitCode::from(1)
    );
    assert_eq!(
        drive(&[&url, "-n", "5", "--baseline", &slow]),
        ExitCode::SUCCESS
    );
}

#[test]
fn a_source_address_of_another_machine_is_foreseen() {
    let (server, url) = server();
    // An address of the block for documentation, which no host has.
    let words = [url.as_str(), "-n", "4", "--source", "192.0.2.7"];
    assert_eq!(drive(&words), ExitCode::from(2));
    assert_eq!(server.answered(), 0);
    let words = [url.as_str(), "-n", "4", "--source", "127.0.0.9"];
    assert_eq!(drive(&words), ExitCode::SUCCESS);
}

#[test]
fn a_knee_takes_random_arrivals_without_a_rate_and_a_single_run_does_not() {
    let (_server, url) = server();
    let knee = [
        "knee",
        &url,
        "--poisson",
        "--from",
        "50",
        "--to",
        "100",
        "--steps",
        "2",
        "--repeats",
        "1",
        "-t",
        "200ms",
        "--warmup",
        "50ms",
        "--objective",
        "errors=0",
        "--quiet",
    ];
    let words: Vec<&str> = ["drive"].into_iter().chain(knee).collect();
    let code = run(&Cli::try_parse_from(words).unwrap().args);
    assert_eq!(code.unwrap(), ExitCode::SUCCESS);
    assert_eq!(drive(&[&url, "--poisson"]), ExitCode::from(64));
}

#[test]
fn every_option_that_a_command_lists_is_one_that_it_takes() {
    use clap::CommandFactory;
    let mut cli = Cli::command();
    cli.build();
    let (_server, url) = server();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("a.hlog").display().to_string();
    let file = folder.path().join("file").display().to_string();
    assert_eq!(drive(&[&url, "-n", "5", "--hdr", &log]), ExitCode::SUCCESS);
    let quick = ["-n", "5", "--rounds", "2"];
    let compare = [&["compare", &url, &url][..], &quick].concat();
    let levels = [
        "--from",
        "50",
        "--to",
        "60",
        "--steps",
        "2",
        "--repeats",
        "1",
    ];
    let knee = [
        &["knee", &url, "-t", "100ms", "--warmup", "0s"][..],
        &levels,
    ]
    .concat();
    for words in [compare, knee, vec!["merge", &log]] {
        let command = cli.find_subcommand(words[0]).unwrap();
        let files = ["csv", "hdr", "html"];
        for option in command
            .get_arguments()
            .filter(|a| files.contains(&a.get_id().as_str()))
        {
            let name = format!("--{}", option.get_long().unwrap());
            let more = [&["drive"][..], &words, &[name.as_str(), &file]].concat();
            let status = run(&Cli::try_parse_from(&more).unwrap().args).unwrap();
            let refused = status == ExitCode::from(64);
            assert_eq!(refused, option.is_hide_set(), "{} {name}", words[0]);
            assert_eq!(Path::new(&file).exists(), !refused, "{} {name}", words[0]);
            let _ = fs::remove_file(&file);
        }
    }
}

#[test]
fn a_self_test_takes_lengths_that_can_show_something_and_no_load() {
    for length in ["0", "2", "91", "5,1"] {
        assert!(Cli::try_parse_from(["drive", "--self-test", length]).is_err());
    }
    assert!(Cli::try_parse_from(["drive", "--self-test", "3,90"]).is_ok());
    assert_eq!(drive(&["--self-test", "3", "-c", "5"]), ExitCode::from(64));
}

#[test]
fn a_run_whose_answers_are_mostly_errors_is_no_success() {
    let missing = "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\nno";
    let address = serve(move |mut stream| {
        while read_request(&mut stream).is_some() {
            stream.write_all(missing.as_bytes()).unwrap();
        }
    });
    let url = format!("http://{address}/");
    let words = [url.as_str(), "-c", "1", "-n", "20"];
    assert_eq!(drive(&words), ExitCode::from(1));
    let words = [url.as_str(), "-c", "1", "-n", "20", "--any-status"];
    assert_eq!(drive(&words), ExitCode::SUCCESS);
}
