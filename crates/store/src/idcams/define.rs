//! DEFINE CLUSTER, ALTERNATEINDEX and PATH.
//!
//! Attributes may be given with the cluster or with its DATA component. A
//! record length whose average is its maximum makes a file of fixed-length
//! records.

use super::parse::{KeywordOperand, Parser, UnusableCommand};
use crate::file::{DefinitionError, FileDef, FileName, FileOrganisation, KeyField, RecordFormat};
use crate::index::{IndexDef, PathDef};

/// The attributes of a DEFINE.
#[derive(Default)]
struct DefineAttributes<'o> {
    name: Option<FileName>,
    keys: Option<(KeyField, &'o KeywordOperand)>,
    record_size: Option<(u32, u32)>,
    record_size_at: Option<&'o KeywordOperand>,
    organisation: Option<&'static str>,
    recoverable: bool,
    relate: Option<FileName>,
    path_entry: Option<FileName>,
    unique: bool,
    no_upgrade: bool,
    no_update: bool,
}

/// Keywords that each kind of entry takes.
const CLUSTER: &[&str] = &[
    "NAME",
    "KEYS",
    "RECORDSIZE",
    "INDEXED",
    "NONINDEXED",
    "NUMBERED",
    "LINEAR",
    "LOG",
    "REUSE",
    "NOREUSE",
];
const INDEX: &[&str] = &[
    "NAME",
    "KEYS",
    "RECORDSIZE",
    "RELATE",
    "UNIQUEKEY",
    "NONUNIQUEKEY",
    "UPGRADE",
    "NOUPGRADE",
    "REUSE",
    "NOREUSE",
];
const PATH: &[&str] = &["NAME", "PATHENTRY", "UPDATE", "NOUPDATE"];

/// The default of IDCAMS for a cluster without KEYS.
const DEFAULT_KEY: KeyField = KeyField {
    offset_bytes: 0,
    length_bytes: 64,
};
const DEFAULT_RECORD_BYTES: (u32, u32) = (4089, 4089);

pub(super) fn cluster(
    parser: &mut Parser<'_>,
    operands: &[KeywordOperand],
) -> Result<FileDef, UnusableCommand> {
    let facts = facts(parser, operands, CLUSTER)?;
    let entry = &operands[0];
    let name = named(parser, &facts, entry)?;
    let (average, maximum) = facts.record_size.unwrap_or(DEFAULT_RECORD_BYTES);
    if average > maximum {
        let at = facts.record_size_at.unwrap_or(entry);
        return Err(parser.error(at, "the average record is longer than the maximum", ""));
    }
    let organisation = match facts.organisation {
        Some("NONINDEXED") => FileOrganisation::Esds,
        Some("NUMBERED") => FileOrganisation::Rrds,
        Some("LINEAR") => {
            return Err(parser.error(entry, "LINEAR data sets are not supported", ""));
        }
        _ => FileOrganisation::Ksds(facts.keys.map_or(DEFAULT_KEY, |(key, _)| key)),
    };
    if let (Some((_, at)), FileOrganisation::Esds | FileOrganisation::Rrds) =
        (facts.keys, organisation)
    {
        let message = format!("an {organisation} has no KEYS");
        return Err(parser.error(at, message, "INDEXED makes a KSDS"));
    }
    let def = FileDef {
        name,
        organisation,
        format: if average == maximum {
            RecordFormat::Fixed
        } else {
            RecordFormat::Variable
        },
        max_record_bytes: maximum,
        recoverable: facts.recoverable,
    };
    def.build().map_err(|error| {
        let at = match error {
            DefinitionError::RecordLength { .. } => facts.record_size_at,
            _ => facts.keys.map(|(_, at)| at),
        };
        parser.error(at.unwrap_or(entry), error.to_string(), "")
    })
}

pub(super) fn index(
    parser: &mut Parser<'_>,
    operands: &[KeywordOperand],
) -> Result<IndexDef, UnusableCommand> {
    let facts = facts(parser, operands, INDEX)?;
    let entry = &operands[0];
    let name = named(parser, &facts, entry)?;
    let Some(base) = facts.relate else {
        let help = "RELATE(name of the base cluster)";
        return Err(parser.error(entry, "the alternate index has no RELATE", help));
    };
    Ok(IndexDef {
        name,
        base,
        key: facts.keys.map_or(DEFAULT_KEY, |(key, _)| key),
        unique: facts.unique,
        upgrade: !facts.no_upgrade,
        suppress: None,
    })
}

pub(super) fn path(
    parser: &mut Parser<'_>,
    operands: &[KeywordOperand],
) -> Result<PathDef, UnusableCommand> {
    let facts = facts(parser, operands, PATH)?;
    let at = &operands[0];
    let name = named(parser, &facts, at)?;
    let Some(entry) = facts.path_entry else {
        let help = "PATHENTRY(name of the alternate index or cluster)";
        return Err(parser.error(at, "the path has no PATHENTRY", help));
    };
    Ok(PathDef {
        name,
        entry,
        update: !facts.no_update,
    })
}

fn named(
    parser: &mut Parser<'_>,
    facts: &DefineAttributes<'_>,
    entry: &KeywordOperand,
) -> Result<FileName, UnusableCommand> {
    let name = facts.name.clone();
    name.ok_or_else(|| parser.error(entry, format!("{} has no NAME", entry.word), "NAME(name)"))
}

/// The attributes of the entry and its components; reports all errors.
fn facts<'o>(
    parser: &mut Parser<'_>,
    operands: &'o [KeywordOperand],
    allowed: &[&str],
) -> Result<DefineAttributes<'o>, UnusableCommand> {
    let mut facts = DefineAttributes::default();
    let mut usable = Ok(());
    for (at, component) in operands.iter().enumerate() {
        let is_entry = at == 0;
        let keyword = match parser.keyword(component) {
            Ok(keyword) => keyword,
            Err(unusable) => {
                usable = Err(unusable);
                continue;
            }
        };
        if !is_entry && !matches!(keyword, Some("DATA" | "INDEX" | "CATALOG")) {
            let message = format!("{} is not allowed outside parentheses", component.word);
            let help = "it belongs in the parentheses of the entry";
            usable = Err(parser.error(component, message, help));
            continue;
        }
        if keyword == Some("CATALOG") {
            continue;
        }
        for attribute in component.args.as_deref().unwrap_or_default() {
            if let Err(unusable) = fact(parser, &mut facts, attribute, is_entry, allowed) {
                usable = Err(unusable);
            }
        }
    }
    usable.map(|()| facts)
}

fn fact<'o>(
    parser: &mut Parser<'_>,
    facts: &mut DefineAttributes<'o>,
    attribute: &'o KeywordOperand,
    is_entry: bool,
    allowed: &[&str],
) -> Result<(), UnusableCommand> {
    let Some(keyword) = parser.keyword(attribute)? else {
        return Ok(());
    };
    if !allowed.contains(&keyword) {
        let message = format!("{keyword} is not a parameter of this entry");
        return Err(parser.error(attribute, message, ""));
    }
    match keyword {
        // A component's name is of no use here.
        "NAME" if !is_entry => {}
        "NAME" => {
            let name = parser.one(attribute)?;
            facts.name = Some(parser.name(name)?);
        }
        "KEYS" => {
            let (length_bytes, offset_bytes) = parser.two(attribute)?;
            let key = KeyField {
                offset_bytes,
                length_bytes,
            };
            facts.keys = Some((key, attribute));
        }
        "RECORDSIZE" => {
            facts.record_size = Some(parser.two(attribute)?);
            facts.record_size_at = Some(attribute);
        }
        "INDEXED" | "NONINDEXED" | "NUMBERED" | "LINEAR" => {
            if let Some(other) = facts.organisation.filter(|other| *other != keyword) {
                let message = format!("{keyword} contradicts {other}");
                return Err(parser.error(attribute, message, "give one of them"));
            }
            facts.organisation = Some(keyword);
        }
        "LOG" => {
            let value = parser.one(attribute)?;
            facts.recoverable = match value.word.as_str() {
                "UNDO" | "ALL" => true,
                "NONE" => false,
                _ => return Err(parser.error(value, "LOG is NONE, UNDO or ALL", "")),
            };
        }
        "RELATE" => {
            let name = parser.one(attribute)?;
            facts.relate = Some(parser.name(name)?);
        }
        "PATHENTRY" => {
            let name = parser.one(attribute)?;
            facts.path_entry = Some(parser.name(name)?);
        }
        "UNIQUEKEY" => facts.unique = true,
        "NONUNIQUEKEY" => facts.unique = false,
        "UPGRADE" => facts.no_upgrade = false,
        "NOUPGRADE" => facts.no_upgrade = true,
        "UPDATE" => facts.no_update = false,
        "NOUPDATE" => facts.no_update = true,
        _ => {}
    }
    Ok(())
}
