//! Copybooks of other products that programs COPY without having them.
//!
//! Declared here from the public manuals' descriptions: names, pictures and
//! values are the interface, the text is our own.

mod language_environment;
mod mq;
mod requester;

use std::borrow::Cow;

/// The text of a shipped member in fixed format; the name in capitals.
pub(crate) fn member(name: &str) -> Option<Cow<'static, str>> {
    match name {
        "CEEIGZCT" => Some(language_environment::conditions().into()),
        "BAQHAREC" => Some(requester::BAQHAREC.into()),
        "BAQHCONC" => Some(requester::BAQHCONC.into()),
        "BAQRINFO" => Some(requester::BAQRINFO.into()),
        // Analyzer and converter programs of web support.
        "DFHWBTDO" => Some(cics::urm::dfhwbtdo().into()),
        "DFHWBCDO" => Some(cics::urm::dfhwbcdo().into()),
        "DFHWBUCO" => Some(cics::urm::dfhwbuco().into()),
        "DFHWBUNO" => Some(cics::urm::dfhwbuno().into()),
        // Programs that give a document template.
        "DFHDHTXO" => Some(cics::urm::dfhdhtxo().into()),
        _ => mq::member(name.strip_prefix("CMQ")?).map(Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_laid_out_as_the_manuals_say() {
        for (name, bytes) in [
            ("CMQMDV", 364),
            ("CMQMDL", 364),
            ("CMQODL", 336),
            ("CMQGMOV", 112),
            ("CMQTML", 684),
            ("CMQTMC2L", 732),
            ("CMQDLHV", 172),
        ] {
            let text = format!("       01  R.\n{}", member(name).unwrap());
            let options = copybook::ParseOptions {
                pointer_bytes: 4,
                ..copybook::ParseOptions::default()
            };
            let layouts = copybook::parse(&text, &options).unwrap();
            assert_eq!(layouts[0].length, bytes, "{name}");
        }
        let areas = member("BAQHAREC").unwrap();
        let areas = copybook::parse(&areas, &copybook::ParseOptions::default()).unwrap();
        let lengths: Vec<u32> = areas.iter().map(|a| a.length).collect();
        assert_eq!(lengths, [4904, 3868, 1064]);
        let text = format!("       01  R.\n{}", member("CMQV").unwrap());
        assert!(copybook::parse(&text, &copybook::ParseOptions::default()).is_ok());
        assert!(member("CMQNOPEV").is_none() && member("OTHER").is_none());
    }

    #[test]
    fn no_line_goes_beyond_column_72() {
        for name in [
            "CEEIGZCT", "BAQRINFO", "BAQHAREC", "BAQHCONC", "CMQV", "CMQODV", "CMQMDV", "CMQPMOV",
        ] {
            let text = member(name).unwrap();
            let longest = text.lines().map(str::len).max();
            assert!(longest <= Some(72), "{name}");
        }
    }
}
