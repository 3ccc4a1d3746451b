//! The `[appc]` section as it stands in a file.

use crate::config::AppcConfig;
use serde::Deserialize;

/// What the `[appc]` section of a file says. Sections beside it are others'.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The node, with defaults where the section says nothing.
    pub config: AppcConfig,
    /// Whether the section names the node. One that nobody named may take
    /// [a name of its own](crate::own_name).
    pub named: bool,
}

#[derive(Deserialize)]
struct File {
    appc: AppcConfig,
}

/// The same section as it is written.
#[derive(Deserialize)]
struct Keys {
    appc: toml::Table,
}

impl Section {
    /// Reads it from the text of a TOML file; an error tells the place.
    pub fn parse(text: &str) -> Result<Section, toml::de::Error> {
        let file: File = toml::from_str(text)?;
        let keys: Keys = toml::from_str(text)?;
        Ok(Section {
            config: file.appc,
            named: keys.appc.contains_key("lu"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_tells_whether_it_names_its_node() {
        let named = Section::parse("[other]\nlu = 1\n[appc]\nlu = \"NET.A\"\n").unwrap();
        assert_eq!((named.config.lu.as_str(), named.named), ("NET.A", true));
        let unnamed = Section::parse("[other]\nlu = 1\n[appc]\nmax-btu-bytes = 1033\n").unwrap();
        assert_eq!((unnamed.config.max_btu_bytes, unnamed.named), (1033, false));
        let dotted = Section::parse("appc.lu = \"NET.B\"").unwrap();
        assert!(dotted.named);
    }

    #[test]
    fn a_file_without_the_section_or_with_unknown_keys_is_an_error() {
        for (text, told) in [("lu = 1", "appc"), ("[appc]\nlus = 1", "lus")] {
            let why = Section::parse(text).unwrap_err().to_string();
            assert!(why.contains(told), "{why}");
        }
    }
}
