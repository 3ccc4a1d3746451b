//! The application's binding files, `services/NAME.wsbind`, by the names that TRANSFORM
//! uses.

use std::path::Path;

use miette::{Context, IntoDiagnostic, Result};
use region::TransformEntry;

/// The folder of binding files, below the application's folder.
pub const FOLDER: &str = "services";

/// Every binding file in a folder, sorted by name, and the errors of those that cannot
/// be used.
pub fn read(folder: &Path) -> Result<(Vec<TransformEntry>, Vec<String>)> {
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    if !folder.is_dir() {
        return Ok((entries, errors));
    }
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder).into_diagnostic()? {
        files.push(file.into_diagnostic()?.path());
    }
    files.sort();
    for path in files {
        if path.extension().is_none_or(|e| e != "wsbind") {
            continue;
        }
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = sources::read_to_string(&path)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot read {}", path.display()))?;
        match check(&name, &text) {
            Ok(()) => entries.push(TransformEntry {
                name,
                binding: text,
            }),
            Err(why) => errors.push(format!("{}: {why}", path.display())),
        }
    }
    Ok((entries, errors))
}

fn check(name: &str, text: &str) -> Result<(), String> {
    if !(1..=32).contains(&name.len()) {
        return Err("the file's name has more than 32 characters".into());
    }
    let binding = soap::ServiceBinding::parse(text).map_err(|e| e.to_string())?;
    for structure in [Some(&binding.request), binding.response.as_ref()]
        .into_iter()
        .flatten()
    {
        soap::XmlCodec::build(structure, &soap::XmlOptions::default())
            .map_err(|e| e.to_string())?;
    }
    Ok(())
}
