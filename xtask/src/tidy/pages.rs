//! Pages for readers: `ARCHITECTURE.md` has a row for each crate and for each use
//! within a layer, and no page has a phrase that makes a reader read twice.
//!
//! Code blocks and `code` in a line are left out: transcripts and names are not prose.
//! The phrases are those of [`super::phrases`].

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{LAYERS, WITHIN_LAYER, phrases};

/// Pages outside of `docs/`.
const TOP: &[&str] = &["README.md", "ARCHITECTURE.md", "CHANGELOG.md"];

/// Checks all pages.
pub fn check(broken: &mut Vec<String>) -> Result<()> {
    let mut pages: Vec<PathBuf> = TOP.iter().map(PathBuf::from).collect();
    markdown_files(Path::new("docs"), &mut pages)?;
    pages.sort();
    for path in pages {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        for found in phrases::find(&prose(&text)) {
            broken.push(format!(
                "{}:{}: {:?}: write {}",
                path.display(),
                found.line,
                found.phrase,
                found.better
            ));
        }
        if path == Path::new("ARCHITECTURE.md") {
            architecture(&text, broken);
        }
    }
    Ok(())
}

/// Compares the tables of `ARCHITECTURE.md` with those of this program.
fn architecture(page: &str, broken: &mut Vec<String>) {
    for (name, _) in LAYERS {
        if !page.contains(&format!("`{name}`")) {
            broken.push(format!("ARCHITECTURE.md: no row for the crate `{name}`"));
        }
    }
    for (user, used, why) in WITHIN_LAYER {
        let row = format!("| `{user}` | `{used}` | {why} |");
        if !page.lines().any(|line| line == row) {
            broken.push(format!("ARCHITECTURE.md: the row is missing: {row}"));
        }
    }
    let rows = page
        .lines()
        .skip_while(|line| *line != "| crate | uses | why |")
        .skip(2);
    let rows = rows.take_while(|line| line.starts_with('|')).count();
    if rows != WITHIN_LAYER.len() {
        broken.push(format!(
            "ARCHITECTURE.md: {rows} uses within a layer, tidy.rs has {}",
            WITHIN_LAYER.len()
        ));
    }
}

/// The text without code blocks and `code`, line by line.
fn prose(text: &str) -> String {
    let mut in_block = false;
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        if !in_block && !is_fence {
            kept.extend(line.split('`').step_by(2));
        }
        in_block ^= is_fence;
        kept.push('\n');
    }
    kept
}

fn markdown_files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            markdown_files(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_a_page_is_left_out() {
        let word = phrases::PHRASES[0].0;
        let capitals = word.to_uppercase();
        let page = format!("{word} `{word}`\n```\n{word}\n```\n{word}, or {capitals}\n");
        let found = phrases::find(&prose(&page));
        let lines: Vec<_> = found.iter().map(|f| f.line).collect();
        assert_eq!(lines, [1, 5]);
    }

    #[test]
    fn a_missing_row_of_the_architecture_is_reported() {
        let mut broken = Vec::new();
        architecture("| crate | uses | why |\n|---|---|---|\n", &mut broken);
        assert!(broken.iter().any(|b| b.contains("`kernel`")));
        assert!(
            broken
                .iter()
                .any(|b| b.ends_with("it is the shell on top of it |"))
        );
    }
}
