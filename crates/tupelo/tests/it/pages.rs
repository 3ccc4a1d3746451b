//! The commands of README and the guides are run as a reader runs them, and
//! their output has the shape that the page shows.
//!
//! Blocks fenced as `console` (commands after `$ `, output below them) and `sh`
//! (commands only) are run in their order, a page in one shell, in a copy of
//! `examples/` and in namespaces of its own, so that every page has port 8080.
//! `<!-- not run: REASON -->` before a block leaves it out, and
//! `<!-- first: COMMANDS -->` runs what the page's reader has done by then.
//!
//! Invariant: a number, a time or an address may differ; a word may not. `…` in a
//! page stands for whatever is there.

mod compare;
mod read;
mod shell;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use read::{DocCommand, DocPage};

/// The least number of commands that must have been run, so that an empty run fails.
const LEAST_RUN: usize = 60;

#[test]
fn the_commands_of_readme_and_guides_print_what_the_pages_show() {
    let begin = Instant::now();
    if let Some(why) = shell::lacking() {
        return skipped::lacking("network", &why);
    }
    let pages = Mutex::new(pages());
    let problems = Mutex::new(Vec::new());
    let (ran, left) = (Mutex::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(page) = pages.lock().unwrap().pop() else {
                        break;
                    };
                    left.lock().unwrap().extend(page.left_out.iter().cloned());
                    let steps = page.steps.iter().filter(|s| s.is_shown).count();
                    *ran.lock().unwrap() += steps;
                    if steps > 0 {
                        problems.lock().unwrap().extend(run_page(&page));
                    }
                }
            });
        }
    });
    let (ran, left) = (ran.into_inner().unwrap(), left.into_inner().unwrap());
    let commands: usize = left.iter().map(|l| l.commands).sum();
    println!(
        "pages: {ran} commands run, {commands} not run in {} blocks, {} s",
        left.len(),
        begin.elapsed().as_secs()
    );
    for block in &left {
        println!(
            "  {}:{}: {} not run: {}",
            block.page, block.line, block.commands, block.reason
        );
    }
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    assert!(ran >= LEAST_RUN, "{ran} commands were found");
}

/// README and the guides.
fn pages() -> Vec<DocPage> {
    let top = top();
    let guide = std::fs::read_dir(top.join("docs/guide")).unwrap();
    let mut files: Vec<PathBuf> = guide.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.push(top.join("README.md"));
    let only = std::env::var("TUPELO_PAGE").unwrap_or_default();
    let name = |file: &Path| file.file_name().unwrap().to_string_lossy().into_owned();
    files
        .iter()
        .filter(|file| name(file).contains(&only))
        .map(|file| read::page(&name(file), &std::fs::read_to_string(file).unwrap()))
        .collect()
}

/// Runs a page's commands. Returns the differences from the page.
fn run_page(page: &DocPage) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let results = shell::run(&page.steps, &top(), folder.path());
    let mut problems = Vec::new();
    for (step, result) in page.steps.iter().zip(&results) {
        let place = format!("{}:{}: {}", page.name, step.line, step.command);
        match result {
            None => {
                problems.push(format!(
                    "{place}\nit did not end within {} s",
                    shell::MOST_SECONDS
                ));
                break;
            }
            Some(result) => {
                let wrong = difference(step, result);
                problems.extend(
                    wrong.map(|why| format!("{place}\n{why}\nIt printed:\n{}", result.output)),
                );
            }
        }
    }
    problems
}

/// Why a command did not do what its page shows.
fn difference(step: &DocCommand, result: &shell::Result) -> Option<String> {
    if step.expected.is_empty() {
        // A command with findings ends with 1, and so does a
        // load that this machine cannot carry.
        let finds = ["tupelo advise", "tupelo capture explain", "tupelo drive"];
        let most = i32::from(finds.iter().any(|start| step.command.starts_with(start)));
        return (result.status > most).then(|| format!("it ended with {}", result.status));
    }
    compare::missing(&step.expected, &result.output)
        .map(|line| format!("the page shows, and it did not print:\n{line}"))
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Pages that are tried side by side.
const AT_ONCE: usize = 2;
