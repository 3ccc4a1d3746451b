//! Secrets in their own files.
//!
//! Invariant: no message contains a secret.

use std::path::Path;

/// The secret in a file, without blanks and ends of lines around it.
///
/// # Errors
/// The file cannot be read, or is empty: a server would receive a user name without
/// a password.
pub fn secret(folder: &Path, file: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(folder.join(file));
    let text = text.map_err(|e| format!("{}: {e}", file.display()))?;
    match text.trim() {
        "" => Err(format!("{}: the file is empty", file.display())),
        secret => Ok(secret.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_secret_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            std::fs::write(folder.path().join("key"), text).unwrap();
            secret(folder.path(), Path::new("key"))
        };
        assert_eq!(read(" word of it\n"), Ok("word of it".to_owned()));
        for empty in ["", "\n", " \r\n\t"] {
            let why = read(empty).unwrap_err();
            assert!(why.contains("key: the file is empty"), "{why}");
        }
        assert!(secret(folder.path(), Path::new("none")).is_err());
    }
}
