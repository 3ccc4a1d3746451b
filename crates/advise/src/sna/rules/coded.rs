//! A coded setting, or the statement in which it is missing, in any of the
//! syntaxes: the current value and the line to code instead.

use std::collections::HashSet;
use std::sync::Arc;

use crate::document::{Document, DocumentSet, FilePlace, LineColumn};
use crate::finding::TuningFinding;
use crate::kind::DocumentKind;
use crate::rule::TuningRule;
use crate::sna::kinds::{aix, as400, cm2_lan, cm2_ndf, nsdos, vtam};
use crate::sna::syntax::{KeywordOperand, Statement};

/// A setting in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodedSetting<'a> {
    /// Its document.
    pub document: &'a Document,
    /// The statement that has it or should have it.
    pub statement: &'a Statement,
    /// The setting. `None` if the default applies.
    pub operand: Option<&'a KeywordOperand>,
    /// Its keyword.
    pub name: &'a str,
}

/// Every place of a kind of text where a setting is coded; in a text that
/// does not code it, the first statement on which it belongs.
pub(super) fn coded<'a>(
    documents: &'a DocumentSet,
    kind: &'static DocumentKind,
    names: &[&'a str],
    home: &str,
) -> Vec<CodedSetting<'a>> {
    let mut found = Vec::new();
    for document in documents.of(kind) {
        let all = document.statements();
        let before = found.len();
        let places = all.iter().map(|s| CodedSetting::on(document, s, names));
        found.extend(places.filter(|c| c.operand.is_some()));
        if found.len() == before
            && let Some(statement) = all.iter().find(|s| s.verb == home)
        {
            found.push(CodedSetting::on(document, statement, names));
        }
    }
    found
}

/// Every statement of a kind of text that codes a setting, and every one on
/// which it belongs that does not.
pub(super) fn each<'a>(
    documents: &'a DocumentSet,
    kind: &'static DocumentKind,
    names: &[&'a str],
    home: &str,
) -> Vec<CodedSetting<'a>> {
    let all = documents.of(kind);
    let all = all.flat_map(|d| d.statements().iter().map(move |s| (d, s)));
    all.map(|(d, s)| CodedSetting::on(d, s, names))
        .filter(|c| c.operand.is_some() || c.statement.verb == home)
        .collect()
}

/// Whether a place is reported for the first time: the setting of a group
/// applies to each of its lines, and is one setting.
pub(super) fn once(
    reported: &mut HashSet<(Arc<str>, LineColumn)>,
    coded: &CodedSetting<'_>,
) -> bool {
    let at = coded.operand.map_or(coded.statement.at, |o| o.at);
    reported.insert((coded.document.name.clone(), at))
}

/// A MODEENT for bulk data, in the columns of the assembler.
pub(super) fn entry(mode: &str) -> String {
    let label = mode.trim_start_matches('#');
    let first = format!("{label:<8} MODEENT LOGMODE={mode},FMPROF=X'13',TSPROF=X'07',");
    let second = "               RUSIZES=X'8D8D',PSNDPAC=X'3F',SSNDPAC=X'3F',";
    format!("{first:<71}X\n{second:<71}X\n               SRCVPAC=X'3F',COS={mode}")
}

impl<'a> CodedSetting<'a> {
    /// A setting of one statement.
    pub(super) fn on(document: &'a Document, statement: &'a Statement, names: &[&'a str]) -> Self {
        let operand = statement.any(names);
        let name = operand.map_or(names.first().copied().unwrap_or(""), |o| o.name.as_str());
        CodedSetting {
            document,
            statement,
            operand,
            name,
        }
    }

    /// The value as a number.
    pub(super) fn number(&self) -> Option<u32> {
        self.operand.and_then(KeywordOperand::number)
    }

    /// The position of the setting, or of the statement without it.
    pub(super) fn place(&self) -> FilePlace {
        self.document
            .place(self.operand.map_or(self.statement.at, |o| o.at))
    }

    /// A finding at this place that quotes the value found.
    pub(super) fn finding(&self, rule: &'static TuningRule) -> TuningFinding {
        let name = self.shown();
        let value = match self.operand {
            Some(o) if name.is_empty() => format!("{} {}", self.statement.verb, o.value),
            Some(o) => self.spell(&o.value),
            None if name.is_empty() => format!("{} has no value", self.statement.verb),
            None => format!("{name} is not coded"),
        };
        TuningFinding::at(rule, self.place(), value)
    }

    /// The line with another value.
    pub(super) fn line(&self, value: &str) -> String {
        self.with(&self.spell(value))
    }

    /// The line with another value and a remark in the comment of its syntax.
    pub(super) fn noted(&self, value: &str, remark: &str) -> String {
        let kind = self.document.kind;
        let line = self.line(value);
        match () {
            () if *kind == as400::KIND => format!("{line} /* {remark} */"),
            () if *kind == aix::KIND => format!("{line}   # {remark}"),
            () if *kind == cm2_ndf::KIND => format!("{line}   // {remark}"),
            () if *kind == nsdos::KIND || *kind == cm2_lan::KIND => format!("{line}   ; {remark}"),
            () => format!("{line}   {remark}"),
        }
    }

    /// The statement with settings in place of the present ones.
    pub(super) fn with(&self, settings: &str) -> String {
        let (kind, s) = (self.document.kind, self.statement);
        match () {
            () if *kind == vtam::START || *kind == cm2_lan::KIND => settings.to_owned(),
            () if *kind == cm2_ndf::KIND => {
                let name = s.operand("MODE_NAME").map_or("", |o| o.value.trim());
                format!("{} MODE_NAME({name}) … {settings};", s.verb)
            }
            () if *kind == as400::KIND => {
                let verb = s.verb.replacen("CRT", "CHG", 1);
                let object = s.any(&["MODD", "LIND", "CTLD"]);
                let object = object.map_or(String::new(), |o| format!(" {}({})", o.name, o.value));
                format!("{verb}{object} {settings}")
            }
            () if *kind == aix::KIND => self.aix(settings),
            () if *kind == nsdos::KIND => match s.verb.as_str() {
                "MODE" => format!("MODE {} … {settings}", s.name),
                verb => format!("{verb} {settings}"),
            },
            () => format!("{:<8} {:<8} …,{settings}", s.name, s.verb),
        }
    }

    fn aix(&self, settings: &str) -> String {
        match self.statement.verb.as_str() {
            aix::OPTION => format!("no -o {}", settings.replace(" = ", "=")),
            aix::ADAPTER => {
                let device = match self.statement.name.as_str() {
                    "" => "tok0",
                    name => name,
                };
                format!("chdev -l {device} -a {}", settings.replace(" = ", "="))
            }
            _ => format!("{}: {settings}", self.statement.name),
        }
    }

    /// The keyword as its product spells it.
    fn shown(&self) -> String {
        if *self.document.kind == aix::KIND {
            self.name.to_ascii_lowercase()
        } else {
            self.name.to_owned()
        }
    }

    /// Keyword and value in the syntax of the text.
    pub(super) fn spell(&self, value: &str) -> String {
        let (kind, name) = (self.document.kind, self.shown());
        match () {
            () if name.is_empty() => value.to_owned(),
            () if *kind == cm2_ndf::KIND || *kind == as400::KIND => format!("{name}({value})"),
            () if *kind == aix::KIND || *kind == cm2_lan::KIND => format!("{name} = {value}"),
            () => format!("{name}={value}"),
        }
    }
}
