//! Whether the pictures of a copybook have a comma as the decimal point. The
//! copybook itself does not show this: the programs that copy it do.

use std::path::{Path, PathBuf};

use copybook::RecordLayout;
use miette::Result;

use super::Application;
use crate::commands::record::source::{read_source, record_of};

impl Application {
    /// The layout of a copybook's record, with the decimal point that the
    /// application's programs declare.
    pub fn layout_of(&self, copybook: &Path) -> Result<RecordLayout> {
        // A path that is not there is one in the application's folder.
        let own = self.folder.join(copybook);
        let copybook = if !copybook.exists() && own.is_file() {
            &own
        } else {
            copybook
        };
        record_of(copybook, &self.copy_folders(), self.decimal_comma(copybook))
    }

    /// Whether a program that copies this copybook has DECIMAL-POINT IS COMMA.
    fn decimal_comma(&self, copybook: &Path) -> bool {
        let Some(member) = copybook.file_stem().and_then(|stem| stem.to_str()) else {
            return false;
        };
        let folders = &self.config.compile.programs;
        let mut paths: Vec<PathBuf> = folders.iter().map(|f| self.folder.join(f)).collect();
        while let Some(path) = paths.pop() {
            if let Ok(entries) = std::fs::read_dir(&path) {
                paths.extend(entries.flatten().map(|entry| entry.path()));
                continue;
            }
            let says = |text: &String| copybook::has_decimal_comma(text) && copies(text, member);
            if read_source(&path).is_ok_and(|text| says(&text)) {
                return true;
            }
        }
        false
    }
}

/// Whether a program copies a member.
fn copies(text: &str, member: &str) -> bool {
    let words = copybook::words(text);
    words.windows(2).any(|pair| {
        let name = pair[1].trim_matches(['"', '\'']);
        pair[0] == "COPY" && name.eq_ignore_ascii_case(member)
    })
}
