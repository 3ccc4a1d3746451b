//! Interfaces of an asset in code pages.
//!
//! A local region has one code page, in which an asset's records are laid out:
//! ASCII, unless its settings name another. A mainframe's CICS has its own, by
//! `cicsCcsid` of a policy, `ccsid` of the asset, or the connection: for each
//! of these the same layouts get codecs of that page once, and big-endian
//! numbers and hexadecimal floats if it is an EBCDIC page.
//!
//! Invariant: requests to local regions never look into [`CodePages`].

use super::asset::{ApiFirst, AssetInterface, DataArea, ProgramAsset};
use super::structure::DirectionStructures;
use copybook::CodePage;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Both directions in one code page.
#[derive(Debug)]
pub(crate) struct PageCodecs {
    pub request: AssetInterface,
    pub response: AssetInterface,
}

/// The code pages in use, by CCSID.
#[derive(Debug, Default)]
pub(crate) struct CodePages(Mutex<BTreeMap<u16, Arc<PageCodecs>>>);

impl CodePages {
    /// The interfaces in a code page.
    ///
    /// # Errors
    /// Why there is no such page, or a record cannot be laid out in it.
    pub fn of(
        &self,
        ccsid: u16,
        request: &AssetInterface,
        response: &AssetInterface,
    ) -> Result<Arc<PageCodecs>, String> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sides) = made.get(&ccsid) {
            return Ok(sides.clone());
        }
        let page = CodePage::by_ccsid(ccsid).map_err(|e| e.to_string())?;
        let sides = Arc::new(PageCodecs {
            request: request.in_page(page)?,
            response: response.in_page(page)?,
        });
        made.insert(ccsid, sides.clone());
        Ok(sides)
    }
}

impl ProgramAsset {
    /// A copy in the code page of a region.
    ///
    /// # Errors
    /// A record that cannot be laid out in it.
    pub fn in_page(self, page: CodePage) -> Result<ProgramAsset, String> {
        let api_first = self.api_first.map(|own| {
            Ok::<_, String>(ApiFirst {
                request: own.request.in_page(page)?,
                response: own.response.in_page(page)?,
            })
        });
        Ok(ProgramAsset {
            request: self.request.in_page(page)?,
            response: self.response.in_page(page)?,
            api_first: api_first.transpose()?,
            ..self
        })
    }
}

impl DirectionStructures {
    /// A copy in a code page.
    ///
    /// # Errors
    /// A record that cannot be laid out in it.
    pub fn in_page(mut self, page: CodePage) -> Result<DirectionStructures, String> {
        for part in &mut self.parts {
            part.record = part.record.in_page(page)?;
        }
        Ok(self)
    }
}

impl AssetInterface {
    fn in_page(&self, page: CodePage) -> Result<AssetInterface, String> {
        let area = |area: &DataArea| {
            Ok::<_, String>(DataArea {
                name: area.name.clone(),
                container: area.container,
                file: area.file.clone(),
                record: area.record.in_page(page)?,
            })
        };
        Ok(AssetInterface {
            style: self.style,
            areas: self.areas.iter().map(area).collect::<Result<_, _>>()?,
        })
    }
}

/// The number of a code page that is known.
///
/// # Errors Why it is not one.
pub(crate) fn ccsid(text: &str) -> Result<u16, String> {
    let number = text.trim().parse::<u16>().ok();
    let number = number.filter(|n| CodePage::by_ccsid(*n).is_ok());
    number.ok_or_else(|| format!("{text:?} is not the CCSID of a supported code page"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::ProjectDiagnostics;
    use crate::mapping::expr::TrimMode;
    use crate::project::asset::InterfaceStyle;
    use crate::project::record::Record;
    use std::path::Path;

    fn interface() -> AssetInterface {
        let text = "       01 R.
           05 A PIC X(4).
           05 B PIC S9(3).
           05 C PIC S9(4) COMP-5.
           05 D COMP-2.\n";
        let mut out = ProjectDiagnostics::default();
        let record = Record::parse(Path::new("R.cpy"), text, &mut out).unwrap();
        let area = DataArea {
            name: "R".into(),
            container: region::ContainerName::BLANK,
            file: "R.cpy".into(),
            record,
        };
        AssetInterface {
            style: InterfaceStyle::Commarea,
            areas: vec![area],
        }
    }

    #[test]
    fn a_record_in_an_ebcdic_page_has_the_mainframes_characters_and_numbers() {
        let (pages, plain) = (CodePages::default(), interface());
        let sides = pages.of(37, &plain, &plain).unwrap();
        let record = &sides.request.areas[0].record;
        let layout = record.layout();
        let id = |name: &str| {
            let found = layout.iter().find(|(_, f)| f.name.as_deref() == Some(name));
            found.unwrap().0
        };
        let mut bytes = vec![0; record.max_len()];
        for (name, json) in [("A", "\"AB\""), ("B", "-12"), ("C", "258"), ("D", "1.0")] {
            record.encode(id(name), json, &mut bytes, &[]).unwrap();
        }
        let expected = [
            &[0xC1, 0xC2, 0x40, 0x40][..],
            &[0xF0, 0xF1, 0xD2],
            &[1, 2],
            // 0.0625 times 16, in hexadecimal floating point.
            &[0x41, 0x10, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(bytes, expected.concat());
        let mut json = Vec::new();
        let read = record.decode(id("A"), &bytes, &[], TrimMode::Both, &mut json);
        assert_eq!((read.unwrap(), &json[..]), (true, &b"\"AB\""[..]));
        assert!(Arc::ptr_eq(&sides, &pages.of(37, &plain, &plain).unwrap()));
    }

    #[test]
    fn a_number_that_is_no_code_page_is_reported() {
        assert_eq!(ccsid(" 1047 "), Ok(1047));
        assert!(ccsid("1").unwrap_err().contains("not the CCSID"));
        assert!(ccsid("cp037").is_err());
        assert!(
            CodePages::default()
                .of(1, &interface(), &interface())
                .is_err()
        );
    }
}
