//! Typed definitions of the models of ENQ names.
//!
//! Reference: CICS resource definition, ENQMODEL attributes.

use super::values::DefinitionValues;
use crate::names::GroupName;

/// DEFINE ENQMODEL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnqModelDef {
    /// The model, 1 to 8 characters.
    pub name: String,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// ENQNAME, 1 to 255 characters; `*` at its end matches any others.
    pub enq_name: String,
    /// ENQSCOPE, up to 4 characters; empty for the region alone.
    pub scope: String,
    /// STATUS(ENABLED).
    pub enabled: bool,
}

/// Longest ENQNAME.
const MAX_NAME: usize = 255;

impl DefinitionValues<'_> {
    pub(super) fn enqmodel(&mut self) -> Option<EnqModelDef> {
        let name = self.name_of(8);
        let enq_name = self.text("ENQNAME");
        match &enq_name {
            None => self.fail_here("needs ENQNAME"),
            Some(text) if text.len() > MAX_NAME => {
                self.fail_at("ENQNAME", format!("ENQNAME is longer than {MAX_NAME}"));
            }
            Some(text) if text.find('*').is_some_and(|at| at + 1 < text.len()) => {
                self.fail_at("ENQNAME", "ENQNAME has * before its end".to_owned());
            }
            Some(_) => {}
        }
        let scope = self.text("ENQSCOPE").unwrap_or_default();
        if scope.len() > 4 {
            self.fail_at("ENQSCOPE", "ENQSCOPE is longer than 4".to_owned());
        }
        let def = EnqModelDef {
            name: name?,
            group: self.group(),
            line: self.line(),
            enq_name: enq_name?,
            scope,
            enabled: self.enabled(),
        };
        self.done(def)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn models_are_read_and_their_mistakes_reported_with_their_place() {
        let csd = parse(
            "DEFINE ENQMODEL(ORDERS) GROUP(G) ENQNAME(ORD*) STATUS(DISABLED)\n\
             DEFINE ENQMODEL(ONE) GROUP(G) ENQNAME(LEDGER) ENQSCOPE(PLEX)\n\
             DEFINE ENQMODEL(NONE) GROUP(G)\n\
             DEFINE ENQMODEL(MIDDLE) GROUP(G) ENQNAME(A*B)\n\
             DEFINE ENQMODEL(WIDE) GROUP(G) ENQNAME(A) ENQSCOPE(TOOBIG)\n",
        );
        let lines: Vec<u32> = csd.diagnostics.iter().map(|d| d.line).collect();
        assert_eq!(lines, [3, 4, 5], "{:?}", csd.diagnostics);
        let models: Vec<_> = (csd.enqmodels.iter())
            .map(|m| {
                (
                    m.name.as_str(),
                    m.enq_name.as_str(),
                    m.scope.as_str(),
                    m.enabled,
                )
            })
            .collect();
        assert_eq!(
            models,
            [
                ("ORDERS", "ORD*", "", false),
                ("ONE", "LEDGER", "PLEX", true)
            ]
        );
    }
}
