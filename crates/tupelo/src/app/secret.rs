//! Secrets in files of their own.
//!
//! Invariant: what a file has is in no message.

use std::path::Path;

/// The secret in a file, without blanks and ends of lines around it.
///
/// # Errors
/// That it cannot be read, or that there is none: whoever is asked would be told
/// a name and no password.
pub fn secret(folder: &Path, file: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(folder.join(file));
    let text = text.map_err(|e| format!("{}: {e}", file.display()))?;
    match text.trim() {
        "" => Err(format!("{}: there is no secret in it", file.display())),
        secret => Ok(secret.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_secret_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let told = |text: &str| {
            std::fs::write(folder.path().join("key"), text).unwrap();
            secret(folder.path(), Path::new("key"))
        };
        assert_eq!(told(" word of it\n"), Ok("word of it".to_owned()));
        for empty in ["", "\n", " \r\n\t"] {
            let why = told(empty).unwrap_err();
            assert!(why.contains("key: there is no secret"), "{why}");
        }
        assert!(secret(folder.path(), Path::new("none")).is_err());
    }
}
