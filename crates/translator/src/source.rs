//! Files, places in them, and their bytes.
//!
//! A source is read as bytes, one character a byte, and written back the same
//! way: the bytes of a literal are never converted, whatever its encoding.

use std::path::{Path, PathBuf};

/// A place in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SourcePlace {
    /// Index in [`SourceFiles`]: 0 for the program, n for its n-th COPY member.
    pub file: u16,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// The files that one translation read.
#[derive(Debug, Clone, Default)]
pub struct SourceFiles {
    paths: Vec<PathBuf>,
}

impl SourceFiles {
    /// Adds a file.
    pub(crate) fn push(&mut self, path: &Path) {
        self.paths.push(path.to_owned());
    }

    /// Path of a file.
    pub fn path(&self, file: u16) -> &Path {
        self.paths
            .get(usize::from(file))
            .map_or(Path::new("?"), PathBuf::as_path)
    }

    /// The program and its COPY members in the order of their first use.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }
}

/// One character a byte.
pub(crate) fn decode(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| char::from(b)).collect()
}

/// The bytes of a text made by [`decode`]; other characters become UTF-8.
pub(crate) fn encode(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u8::try_from(c) {
            Ok(byte) => out.push(byte),
            Err(_) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(encode(&decode(&all)), all);
    }
}
