//! The `[appc]` section as written in a file.

use crate::config::AppcConfig;
use serde::Deserialize;
use std::io::{self, Read};
use std::path::Path;
use toml::de::{DeTable, Deserializer};

/// The size limit of a configuration. A larger file is a device or a wrong file.
const MOST_BYTES: u64 = 16 << 20;

/// The `[appc]` section of a file. Other sections are ignored.
#[derive(Debug, Clone, PartialEq)]
pub struct AppcSection {
    /// The node, with defaults where the section says nothing.
    pub config: AppcConfig,
    /// Whether the section names the node. A node without a name may use [a
    /// generated one](crate::own_name).
    pub named: bool,
}

#[derive(Deserialize)]
struct File {
    appc: AppcConfig,
}

impl AppcSection {
    /// Reads a configuration file of at most 16 MiB. A device without an end is
    /// an error and does not exhaust memory.
    pub fn text(path: impl AsRef<Path>) -> io::Result<String> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path)?;
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST_BYTES {
            let why = "not a configuration: the file is larger than 16 MiB";
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        String::from_utf8(bytes).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))
    }

    /// Parses the section from the text of a TOML file. The error has the
    /// position.
    pub fn parse(text: &str) -> Result<AppcSection, toml::de::Error> {
        let table = DeTable::parse(text)?;
        let section = table.get_ref().get("appc");
        let keys = section.and_then(|section| section.get_ref().as_table());
        let named = keys.is_some_and(|keys| keys.contains_key("lu"));
        let file = File::deserialize(Deserializer::from(table)).map_err(|mut error| {
            error.set_input(Some(text));
            error
        })?;
        Ok(AppcSection {
            config: file.appc,
            named,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_shows_whether_it_names_its_node() {
        let named = AppcSection::parse("[other]\nlu = 1\n[appc]\nlu = \"NET.A\"\n").unwrap();
        assert_eq!((named.config.lu.as_str(), named.named), ("NET.A", true));
        let unnamed =
            AppcSection::parse("[other]\nlu = 1\n[appc]\nmax-btu-bytes = 1033\n").unwrap();
        assert_eq!((unnamed.config.max_btu_bytes, unnamed.named), (1033, false));
        let dotted = AppcSection::parse("appc.lu = \"NET.B\"").unwrap();
        assert!(dotted.named);
    }

    #[test]
    fn a_file_that_never_ends_or_is_no_text_is_an_error_and_the_longest_is_read() {
        let why = AppcSection::text("/dev/zero").unwrap_err();
        assert!(why.to_string().contains("larger than 16 MiB"), "{why}");
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(MOST_BYTES).unwrap();
        let text = AppcSection::text(file.path()).unwrap();
        assert_eq!(text.len() as u64, MOST_BYTES);
        std::fs::write(file.path(), [0xFF]).unwrap();
        let why = AppcSection::text(file.path()).unwrap_err();
        assert_eq!(why.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_file_without_the_section_or_with_unknown_keys_is_an_error() {
        for (text, reported) in [("lu = 1", "appc"), ("[appc]\nlus = 1", "lus")] {
            let why = AppcSection::parse(text).unwrap_err().to_string();
            assert!(why.contains(reported), "{why}");
        }
    }
}
