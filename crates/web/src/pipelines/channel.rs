//! The containers of a pipeline as the state machine has them, and as programs
//! have them.
//!
//! The machine's texts are UTF-8. Programs get them as CHAR containers of that
//! code page, so that GET CONTAINER gives them the region's characters; what a
//! program puts comes back in UTF-8. Binary containers stay as they are.
//!
//! Reference: CICS Transaction Server, "Containers used in the pipeline".

use std::collections::HashSet;

use copybook::codepage::CodePage;
use link::{ChannelData, ContainerData, ContainerName, ContainerType};
use soap::pipeline::{ChannelContainers, names};

use crate::pages;

/// CCSID of UTF-8.
const UTF8: u16 = 1208;

/// Containers, and which of them are binary.
#[derive(Debug, Clone, Default)]
pub struct ContainerKinds(HashSet<String>);

/// Containers of the pipeline that are text whatever type a program gave them.
const TEXTS: [&str; 20] = [
    names::REQUEST,
    names::RESPONSE,
    names::BODY,
    names::XMLNS,
    names::HEADER,
    names::FUNCTION,
    names::ERROR,
    names::OPERATION,
    names::APPLICATION,
    names::URI,
    names::TRANSID,
    names::USERID,
    names::WEB_SERVICE,
    names::HTTP_METHOD,
    names::HTTP_STATUS,
    names::MEDIA_TYPE,
    names::URI_MAP,
    names::URI_MAP_PATH,
    names::URI_RESOURCE,
    names::URI_QUERY,
];

impl ContainerKinds {
    /// Remembers that a container is binary.
    pub fn binary(&mut self, name: &str) {
        self.0.insert(name.to_owned());
    }

    /// The channel for programs. `page` is the region's.
    pub fn give(&self, name: &str, containers: &ChannelContainers) -> ChannelData {
        let given = containers.iter().filter_map(|(name, bytes)| {
            let binary = self.0.contains(name) || name == names::LEVEL;
            Some(ContainerData {
                name: ContainerName::new(name).ok()?,
                kind: if binary {
                    ContainerType::Bit
                } else {
                    ContainerType::Char
                },
                ccsid: if binary { 0 } else { UTF8 },
                bytes: bytes.clone(),
            })
        });
        ChannelData {
            name: link::ChannelName::new(name).unwrap_or_default(),
            containers: given.collect(),
        }
    }

    /// The containers that programs have left.
    pub fn take(&mut self, channel: &ChannelData, page: CodePage) -> ChannelContainers {
        let mut containers = ChannelContainers::new();
        for container in &channel.containers {
            let name = container.name.as_str().trim_end().to_owned();
            let text = TEXTS.contains(&name.as_str());
            let bytes = match (container.kind, text) {
                (ContainerType::Char, _) => {
                    self.0.remove(&name);
                    utf8(&container.bytes, container.ccsid, page)
                }
                (ContainerType::Bit, true) if std::str::from_utf8(&container.bytes).is_err() => {
                    utf8(&container.bytes, 0, page)
                }
                (ContainerType::Bit, true) => container.bytes.clone(),
                (ContainerType::Bit, false) => {
                    self.0.insert(name.clone());
                    container.bytes.clone()
                }
            };
            containers.insert(name, bytes);
        }
        containers
    }
}

/// Characters in UTF-8; `ccsid` 0 is the region's page.
fn utf8(bytes: &[u8], ccsid: u16, page: CodePage) -> Vec<u8> {
    let from = match ccsid {
        0 => page,
        ccsid => pages::named(&ccsid.to_string()).unwrap_or(page),
    };
    pages::convert(bytes, from, CodePage::utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_go_as_characters_and_records_as_bytes() {
        let mut kinds = ContainerKinds::default();
        kinds.binary("DFHWS-DATA");
        let mut containers = ChannelContainers::new();
        containers.insert(names::REQUEST.into(), "<a>ü</a>".into());
        containers.insert(names::DATA.into(), vec![0xFC, 0]);
        containers.insert(names::LEVEL.into(), vec![0, 0, 0, 1]);
        let given = kinds.give("C", &containers);
        let kind = |name: &str| {
            let mut all = given.containers.iter();
            let found = all.find(|c| c.name.as_str().trim_end() == name).unwrap();
            (found.kind, found.ccsid)
        };
        assert_eq!(kind(names::REQUEST), (ContainerType::Char, 1208));
        assert_eq!(kind(names::DATA), (ContainerType::Bit, 0));
        assert_eq!(kind(names::LEVEL), (ContainerType::Bit, 0));
        assert_eq!(kinds.take(&given, CodePage::latin1()), containers);
    }

    #[test]
    fn what_a_program_puts_in_its_own_page_comes_back_in_utf8() {
        let put = |name: &str, kind, bytes: &[u8]| ContainerData {
            name: ContainerName::new(name).unwrap(),
            kind,
            ccsid: 0,
            bytes: bytes.to_vec(),
        };
        let channel = ChannelData {
            name: link::ChannelName::default(),
            containers: vec![
                put(names::RESPONSE, ContainerType::Char, b"\xFC"),
                put(names::BODY, ContainerType::Bit, b"\xFC"),
                put("OWN", ContainerType::Bit, b"\xFC"),
            ],
        };
        let taken = ContainerKinds::default().take(&channel, CodePage::latin1());
        assert_eq!(taken[names::RESPONSE], "ü".as_bytes());
        assert_eq!(taken[names::BODY], "ü".as_bytes());
        assert_eq!(taken["OWN"], b"\xFC");
    }
}
