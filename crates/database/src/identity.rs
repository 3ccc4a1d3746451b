//! The number that distinguishes a state folder at a server that several regions use.
//!
//! A region that starts looks for the transactions that it has prepared, and backs out
//! those that it does not know. So their names must not be those of another region with
//! the same name, and must be the same however the folder is named at the next start: the
//! number is random and kept in the folder, next to what the region knows of its units.

use std::fs::DirBuilder;
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use crate::connection::nonce;

/// Name of the file.
const FILE: &str = "region-number";

/// The number of a folder, as hexadecimal digits. It is made if it is not there.
///
/// # Errors
/// Of the file system.
pub fn number_of(folder: &Path) -> io::Result<String> {
    let file = folder.join(FILE);
    if let Some(number) = read(&file)? {
        return Ok(number);
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(folder)?;
    base::replace_private(&file, nonce().as_bytes())?;
    read(&file)?.ok_or_else(|| ErrorKind::InvalidData.into())
}

fn read(file: &Path) -> io::Result<Option<String>> {
    match std::fs::read_to_string(file) {
        Ok(text) => {
            let text = text.trim();
            let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
            Ok(is_number.then(|| text.to_owned()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_keeps_its_number_and_no_two_have_the_same() {
        let root = tempfile::tempdir().unwrap();
        let (one, two) = (root.path().join("one/sql"), root.path().join("two/sql"));
        let number = number_of(&one).unwrap();
        assert_eq!(number_of(&one).unwrap(), number);
        assert_ne!(number_of(&two).unwrap(), number);
        // Another way to the folder.
        let long = root.path().join("two/../one/sql");
        assert_eq!(number_of(&long).unwrap(), number);
        std::fs::write(one.join(FILE), "no number").unwrap();
        assert_ne!(number_of(&one).unwrap(), number);
        std::fs::create_dir(root.path().join("three")).unwrap();
        std::fs::write(root.path().join("three/sql"), "a file").unwrap();
        number_of(&root.path().join("three/sql")).unwrap_err();
    }
}
