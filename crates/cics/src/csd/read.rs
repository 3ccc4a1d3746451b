//! From statements to definitions.

use std::collections::{HashMap, HashSet};

use super::attributes::{USED, abbreviates, complete, complete_type, resource_types};
use super::enqueue::EnqModelDef;
use super::queues::{JournalModelDef, TdQueueDef, TsModelDef};
use super::scan::{Attribute, Statement, statements};
use super::services::{PipelineDef, WebServiceDef};
use super::types::{FileDef, OtherDef, ProgramDef, TranClassDef, TransactionDef};
use super::values::DefinitionValues;
use super::web::{DocTemplateDef, TcpIpServiceDef, UriMapDef};
use crate::names::{GroupName, ListName};
use base::{Diagnostic, Severity, suggestion};

/// Everything a text defines, and everything that is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Csd {
    /// Transactions in their order.
    pub transactions: Vec<TransactionDef>,
    /// Programs in their order.
    pub programs: Vec<ProgramDef>,
    /// Files in their order.
    pub files: Vec<FileDef>,
    /// Transaction classes in their order.
    pub tranclasses: Vec<TranClassDef>,
    /// Models of temporary storage queues in their order.
    pub tsmodels: Vec<TsModelDef>,
    /// Transient data queues in their order.
    pub tdqueues: Vec<TdQueueDef>,
    /// Models of journals in their order.
    pub journalmodels: Vec<JournalModelDef>,
    /// Models of ENQ names in their order.
    pub enqmodels: Vec<EnqModelDef>,
    /// Maps of web addresses in their order.
    pub urimaps: Vec<UriMapDef>,
    /// TCP/IP services in their order.
    pub tcpipservices: Vec<TcpIpServiceDef>,
    /// Templates of documents in their order.
    pub doctemplates: Vec<DocTemplateDef>,
    /// Pipelines of web services in their order.
    pub pipelines: Vec<PipelineDef>,
    /// Web services in their order.
    pub webservices: Vec<WebServiceDef>,
    /// Definitions of other types.
    pub others: Vec<OtherDef>,
    /// Groups of each list, in the order of ADD.
    pub lists: Vec<(ListName, Vec<GroupName>)>,
    /// Findings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Csd {
    /// Whether a definition could not be understood.
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }
}

/// Reads a text. Definitions with errors are left out.
pub fn parse(source: &str) -> Csd {
    let mut reader = Reader::default();
    for statement in statements(source, &mut reader.diagnostics) {
        reader.statement(statement);
    }
    reader.finish()
}

/// Reads a text into definitions of every type as they are written: ALTER and
/// DELETE applied, names of types and attributes in full, values untouched.
/// This is for readers of attributes that have no meaning in a region
/// here.
pub fn definitions(source: &str) -> (Vec<OtherDef>, Vec<Diagnostic>) {
    let mut reader = Reader::default();
    for statement in statements(source, &mut reader.diagnostics) {
        reader.statement(statement);
    }
    let raw = std::mem::take(&mut reader.raw);
    reader.list_unknown();
    let mut diagnostics = reader.diagnostics;
    diagnostics.sort_by_key(|d| (d.line, d.column));
    (raw.into_iter().map(OtherDef::from).collect(), diagnostics)
}

/// A definition before its values are read.
#[derive(Debug)]
pub(super) struct RawDefinition {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) group: GroupName,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) attributes: Vec<Attribute>,
}

impl RawDefinition {
    fn key(&self) -> Key {
        (self.kind.clone(), self.name.clone(), self.group)
    }
}

impl From<RawDefinition> for OtherDef {
    fn from(raw: RawDefinition) -> OtherDef {
        OtherDef {
            kind: raw.kind,
            name: raw.name,
            group: raw.group,
            line: raw.line,
            column: raw.column,
            attributes: raw.attributes,
        }
    }
}

/// Type, name and group.
type Key = (String, String, GroupName);

#[derive(Debug, Default)]
pub(super) struct Reader {
    raw: Vec<RawDefinition>,
    /// The index of each definition in `raw`: extracts of whole installations
    /// have hundreds of thousands.
    places: HashMap<Key, usize>,
    lists: Vec<(ListName, Vec<GroupName>)>,
    unknown: Vec<(String, Attribute)>,
    unused: Vec<(String, u32, u32)>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn statement(&mut self, s: Statement) {
        match s.verb {
            "DEFINE" | "USERDEFINE" => self.define(s),
            "ALTER" => self.alter(s),
            "DELETE" => self.delete(&s),
            "ADD" => self.add(&s),
            "REMOVE" => self.remove(&s),
            "LIST" | "SERVICE" | "VERIFY" | "UPGRADE" | "INITIALIZE" | "EXTRACT" | "SCAN" => {}
            verb => self.say(
                Severity::Warning,
                s.line,
                s.column,
                format!("{verb} is ignored"),
                None,
            ),
        }
    }

    /// Completes the resource type and takes the name and the group out.
    fn resource(&mut self, s: Statement) -> Option<RawDefinition> {
        let mut attributes = s.attributes.into_iter();
        let Some(first) = attributes.next() else {
            self.say(
                Severity::Error,
                s.line,
                s.column,
                format!("{} of what?", s.verb),
                Some(format!("write {} PROGRAM(NAME) GROUP(GROUP)", s.verb)),
            );
            return None;
        };
        let kind = match complete_type(&first.name, resource_types()) {
            Some(kind) => kind.to_owned(),
            None => {
                self.unused
                    .push((first.name.clone(), first.line, first.column));
                first.name.clone()
            }
        };
        let known = USED.iter().find(|(n, _)| *n == kind).map(|(_, a)| *a);
        let mut group = None;
        let mut rest: Vec<Attribute> = Vec::new();
        // A keyword without parentheses, and the bare word after it.
        let mut bare: Option<(Attribute, Option<String>)> = None;
        for mut a in attributes {
            if let Some((_, word @ None)) = &mut bare
                && a.value.is_none()
            {
                *word = Some(a.name);
                continue;
            }
            match known {
                _ if abbreviates(&a.name, "GROUP", 1) => "GROUP".clone_into(&mut a.name),
                Some(list) => match complete(&a.name, list.iter().copied()) {
                    Some(full) => full.clone_into(&mut a.name),
                    None => self.unknown.push((kind.clone(), a.clone())),
                },
                None => {}
            }
            let is_known = a.name == "GROUP" || known.is_some_and(|list| list.contains(&&*a.name));
            if a.value.is_none() && is_known && bare.is_none() {
                bare = Some((a, None));
            } else if a.name == "GROUP" {
                group = Some(a);
            } else if known.is_some() && rest.iter().any(|b| b.name == a.name) {
                let message = format!("{} is given twice", a.name);
                let help = Some("leave one of the two out".to_owned());
                self.say(Severity::Error, a.line, a.column, message, help);
            } else {
                rest.push(a);
            }
        }
        if let Some((a, word)) = bare {
            let message = format!("{} has no value in parentheses", a.name);
            let help = format!("write {}({})", a.name, word.as_deref().unwrap_or("VALUE"));
            self.say(Severity::Error, a.line, a.column, message, Some(help));
            return None;
        }
        let Some(group) = group else {
            let message = format!("{kind} needs GROUP");
            let help = "write GROUP(NAME), the group that it belongs to".to_owned();
            self.say(Severity::Error, s.line, s.column, message, Some(help));
            return None;
        };
        let group = self.parsed::<GroupName>(&group)?;
        let Some(name) = first.value.filter(|v| !v.is_empty()) else {
            let message = format!("{kind} needs a name");
            let help = format!("write {kind}(NAME)");
            self.say(
                Severity::Error,
                first.line,
                first.column,
                message,
                Some(help),
            );
            return None;
        };
        Some(RawDefinition {
            kind,
            name,
            group,
            line: first.line,
            column: first.column,
            attributes: rest,
        })
    }

    pub(super) fn define(&mut self, s: Statement) {
        let Some(raw) = self.resource(s) else { return };
        if let Some(old) = self.find(&raw) {
            let message = format!(
                "{}({}) is already defined in group {}, in line {}",
                raw.kind, raw.name, raw.group, self.raw[old].line
            );
            let help = "leave one of the two out, or change the first by ALTER".to_owned();
            self.say(Severity::Error, raw.line, raw.column, message, Some(help));
            return;
        }
        self.places.insert(raw.key(), self.raw.len());
        self.raw.push(raw);
    }

    fn alter(&mut self, s: Statement) {
        let Some(raw) = self.resource(s) else { return };
        match self.find(&raw) {
            Some(old) => {
                for a in raw.attributes {
                    self.raw[old].attributes.retain(|b| b.name != a.name);
                    self.raw[old].attributes.push(a);
                }
            }
            None => {
                let message = format!(
                    "{}({}) is not defined in group {}",
                    raw.kind, raw.name, raw.group
                );
                let help = "its DEFINE is earlier in the text".to_owned();
                self.say(Severity::Error, raw.line, raw.column, message, Some(help));
            }
        }
    }

    fn delete(&mut self, s: &Statement) {
        let value = |name: &str, least: usize| {
            (s.attributes.iter())
                .find(|a| abbreviates(&a.name, name, least))
                .and_then(|a| a.value.as_deref())
        };
        if let Some(list) = value("LIST", 2) {
            self.lists
                .retain(|(l, _)| !l.as_str().eq_ignore_ascii_case(list));
        }
        let Some(group) = value("GROUP", 1) else {
            return;
        };
        let first = (s.attributes.first())
            .filter(|a| !abbreviates(&a.name, "GROUP", 1) && a.value.is_some());
        self.raw.retain(|r| {
            !(r.group.as_str().eq_ignore_ascii_case(group)
                && first.is_none_or(|a| {
                    r.kind.starts_with(&a.name)
                        && a.value
                            .as_deref()
                            .is_some_and(|v| v.eq_ignore_ascii_case(&r.name))
                }))
        });
        let all = self.raw.iter().enumerate();
        self.places = all.map(|(at, raw)| (raw.key(), at)).collect();
    }

    fn group_and_list(&mut self, s: &Statement) -> Option<(GroupName, ListName)> {
        let find = |name: &str, least: usize| {
            (s.attributes.iter())
                .find(|a| abbreviates(&a.name, name, least))
                .cloned()
        };
        let (Some(group), Some(list)) = (find("GROUP", 1), find("LIST", 2)) else {
            let message = format!("{} needs GROUP and LIST", s.verb);
            let help = format!("write {} GROUP(NAME) LIST(NAME)", s.verb);
            self.say(Severity::Error, s.line, s.column, message, Some(help));
            return None;
        };
        Some((self.parsed(&group)?, self.parsed(&list)?))
    }

    fn add(&mut self, s: &Statement) {
        let Some((group, list)) = self.group_and_list(s) else {
            return;
        };
        match self.lists.iter_mut().find(|(l, _)| *l == list) {
            Some((_, groups)) if groups.contains(&group) => {}
            Some((_, groups)) => groups.push(group),
            None => self.lists.push((list, vec![group])),
        }
    }

    fn remove(&mut self, s: &Statement) {
        let Some((group, list)) = self.group_and_list(s) else {
            return;
        };
        for (l, groups) in &mut self.lists {
            if *l == list {
                groups.retain(|g| *g != group);
            }
        }
    }

    fn find(&self, raw: &RawDefinition) -> Option<usize> {
        self.places.get(&raw.key()).copied()
    }

    pub(super) fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
        &mut self,
        a: &Attribute,
    ) -> Option<T> {
        match a.value.as_deref().unwrap_or("").parse() {
            Ok(value) => Some(value),
            Err(e) => {
                let message = format!("{}: {e}", a.name);
                self.say(Severity::Error, a.line, a.column, message, None);
                None
            }
        }
    }

    pub(super) fn say(
        &mut self,
        severity: Severity,
        line: u32,
        column: u32,
        message: String,
        help: Option<String>,
    ) {
        self.diagnostics
            .push(Diagnostic::new(severity, (line, column), message).maybe_help(help));
    }

    pub(super) fn finish(mut self) -> Csd {
        let mut csd = Csd::default();
        for raw in std::mem::take(&mut self.raw) {
            let mut v = DefinitionValues::new(&raw, &mut self);
            match raw.kind.as_str() {
                "TRANSACTION" => csd.transactions.extend(v.transaction()),
                "PROGRAM" => csd.programs.extend(v.program()),
                "FILE" => csd.files.extend(v.file()),
                "TRANCLASS" => csd.tranclasses.extend(v.tranclass()),
                "TSMODEL" => csd.tsmodels.extend(v.tsmodel()),
                "TDQUEUE" => csd.tdqueues.extend(v.tdqueue()),
                "JOURNALMODEL" => csd.journalmodels.extend(v.journalmodel()),
                "ENQMODEL" => csd.enqmodels.extend(v.enqmodel()),
                "URIMAP" => csd.urimaps.extend(v.urimap()),
                "TCPIPSERVICE" => csd.tcpipservices.extend(v.tcpipservice()),
                "DOCTEMPLATE" => csd.doctemplates.extend(v.doctemplate()),
                "PIPELINE" => csd.pipelines.extend(v.pipeline_definition()),
                "WEBSERVICE" => csd.webservices.extend(v.web_service()),
                _ => csd.others.push(OtherDef::from(raw)),
            }
        }
        self.list_unknown();
        csd.lists = self.lists;
        csd.diagnostics = self.diagnostics;
        csd.diagnostics.sort_by_key(|d| (d.line, d.column));
        csd
    }

    /// Says once for each unknown type and attribute that it means nothing.
    pub(super) fn list_unknown(&mut self) {
        let mut seen: HashSet<(String, String)> = HashSet::new();
        for (kind, a) in std::mem::take(&mut self.unknown) {
            if !seen.insert((kind.clone(), a.name.clone())) {
                continue;
            }
            let names = USED
                .iter()
                .find(|(n, _)| *n == kind)
                .map_or(&[][..], |(_, l)| l);
            let help = suggestion(&a.name, names.iter().copied());
            let message = format!("{kind} has no attribute {} here; it is ignored", a.name);
            self.say(Severity::Warning, a.line, a.column, message, help);
        }
        let mut types: HashSet<String> = HashSet::new();
        for (kind, line, column) in std::mem::take(&mut self.unused) {
            if !types.insert(kind.clone()) {
                continue;
            }
            let help = suggestion(&kind, resource_types());
            let message = format!("definitions of type {kind} are ignored");
            self.say(Severity::Warning, line, column, message, help);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::types::{Concurrency, FileRecovery, RecordFormat, RunawayLimit};
    use super::*;
    use crate::file::FilePermits;

    const BANK: &str = "\
* The bank
DEFINE TRANSACTION(BANK) GROUP(BANK) PROGRAM(BNKINQ) TRANCLASS(BANKCLS)
       PRIORITY(7) RUNAWAY(5000) DTIMOUT(0130) ACTION(COMMIT) WAITTIME(01,02,03)
DEFINE PROGRAM(BNKINQ) GROUP(BANK) LANGUAGE(COBOL) CONCURRENCY(THREADSAFE)
DEFINE FILE(ACCOUNTS) GROUP(BANK) KEYLENGTH(8) RECORDSIZE(200) RECORDFORMAT(F)
       ADD(YES) BROWSE(YES) UPDATE(YES) RECOVERY(BACKOUTONLY) DESC(The accounts)
DEFINE TRANCLASS(BANKCLS) GROUP(BANK) MAXACTIVE(10) PURGETHRESH(50)
DEFINE PROFILE(BANKPROF) GROUP(BANK) RTIMOUT(10)
ADD GROUP(BANK) LIST(BANKLIST)
";

    #[test]
    fn definitions_are_read_with_their_defaults() {
        let csd = parse(BANK);
        assert_eq!(csd.diagnostics, []);
        let t = &csd.transactions[0];
        assert_eq!(t.program.unwrap().as_str(), "BNKINQ");
        assert_eq!(
            (t.priority, t.runaway),
            (7, RunawayLimit::Milliseconds(5000))
        );
        assert_eq!(t.wait_limit_s, Some(90));
        assert!(t.in_doubt.commits && t.in_doubt.waits);
        assert_eq!(t.in_doubt.limit_s, 26 * 3600 + 180);
        assert_eq!(csd.programs[0].concurrency, Concurrency::Threadsafe);
        let f = &csd.files[0];
        assert_eq!(
            (f.key_bytes, f.record_bytes, f.record_format),
            (Some(8), Some(200), RecordFormat::Fixed)
        );
        let permits = FilePermits {
            delete: false,
            ..FilePermits::ALL
        };
        assert_eq!((f.permits, f.enabled), (permits, true));
        assert_eq!(f.recovery, FileRecovery::Backout);
        assert_eq!(f.description, "The accounts");
        assert_eq!(csd.tranclasses[0].purge_threshold, Some(50));
        assert_eq!(csd.others[0].kind, "PROFILE");
        assert_eq!(csd.lists[0].1[0].as_str(), "BANK");
    }

    #[test]
    fn words_that_are_allowed_are_listed_without_the_empty_one() {
        let csd = parse("DEFINE PROGRAM(P) GROUP(G) LANGUAGE(BASIC)\n");
        let message = &csd.diagnostics[0].message;
        assert!(message.contains("one of COBOL, "), "{message}");
    }

    #[test]
    fn every_error_is_reported_with_its_place() {
        let csd = parse(
            "DEFINE PROGRAM(TOOLONGNAME) GROUP(G)\n\
             DEFINE FILE(F) GROUP(G) KEYLENGTH(300) ADD(MAYBE)\n\
             DEFINE TRANSACTION(T) GROUP(G)\n\
             DEFINE TRANCLASS(C) GROUP(G)\n\
             DEFINE PROGRAM(P)\n",
        );
        let places: Vec<(u32, u32)> = csd.diagnostics.iter().map(|d| (d.line, d.column)).collect();
        assert_eq!(places, [(1, 8), (2, 25), (2, 40), (3, 8), (4, 8), (5, 1)]);
        assert!(csd.has_errors());
        assert!(csd.programs.is_empty() && csd.files.is_empty());
    }

    #[test]
    fn unknown_attributes_and_types_are_listed_once() {
        let csd = parse(
            "DEFINE PROGRAM(A) GROUP(G) CONCURENCY(THREADSAFE)\n\
             DEFINE PROGRAM(B) GROUP(G) CONCURENCY(THREADSAFE)\n\
             DEFINE GADGET(X) GROUP(G)\nDEFINE GADGET(Y) GROUP(G)\n",
        );
        assert_eq!(csd.programs.len(), 2);
        assert_eq!(csd.diagnostics.len(), 2);
        assert_eq!(
            csd.diagnostics[0].help.as_deref(),
            Some("did you mean CONCURRENCY?")
        );
        assert!(
            csd.diagnostics
                .iter()
                .all(|d| d.severity == Severity::Warning)
        );
    }

    #[test]
    fn definitions_keep_every_attribute_of_every_type() {
        let (found, diagnostics) = definitions(
            "DEFINE PROGRAM(A) GROUP(G) CONC(THREADSAFE) API(CICSAPI)\n\
             DEFINE TCPIPS(T) GROUP(G) BACKLOG(10)\nALTER PROGRAM(A) GROUP(G) API(OPENAPI)\n",
        );
        assert_eq!(diagnostics, []);
        let shown: Vec<(&str, &str)> = found
            .iter()
            .flat_map(|d| &d.attributes)
            .map(|a| (a.name.as_str(), a.value.as_deref().unwrap_or("")))
            .collect();
        assert_eq!(found[1].kind, "TCPIPSERVICE");
        assert_eq!(
            shown,
            [
                ("CONCURRENCY", "THREADSAFE"),
                ("API", "OPENAPI"),
                ("BACKLOG", "10")
            ]
        );
    }

    #[test]
    fn keywords_are_as_short_as_dfhcsdup_takes_them() {
        let csd = parse(
            "DEF PROG(A) G(WEB)\ndef f(ACCTS) gr(WEB)\nDEF TRANS(T) G(WEB) PROG(A)\n\
             DEF TC(PORT) G(WEB) PORT(80)\nDEF PROG(B) G(WEB)\nAL PROG(A) G(WEB) STATUS(DISABLED)\n\
             DEL PROG(B) G(WEB)\nADD G(WEB) LI(MINE)\nADD G(OTHER) LI(MINE)\nR G(OTHER) LI(MINE)\n",
        );
        let errors: Vec<_> = (csd.diagnostics.iter())
            .filter(|d| d.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(csd.programs.len(), 1);
        assert!(!csd.programs[0].enabled);
        assert_eq!(csd.files[0].name.as_str(), "ACCTS");
        assert_eq!(
            csd.transactions[0]
                .program
                .map(|p| p.as_str().to_owned())
                .as_deref(),
            Some("A")
        );
        let (all, _) = definitions("DEF TC(PORT) G(WEB)\nDEF S(LINK) G(WEB)\n");
        let kinds: Vec<_> = all.iter().map(|d| d.kind.as_str()).collect();
        assert_eq!(kinds, ["TCPIPSERVICE", "SESSIONS"]);
    }

    #[test]
    fn what_stands_after_a_deleted_definition_is_still_found() {
        let csd = parse(
            "DEFINE PROGRAM(A) GROUP(G)\nDEFINE PROGRAM(B) GROUP(G)\nDEFINE PROGRAM(C) GROUP(G)\n\
             DELETE PROGRAM(A) GROUP(G)\nALTER PROGRAM(B) GROUP(G) STATUS(DISABLED)\n\
             DEFINE PROGRAM(A) GROUP(G)\nDEFINE PROGRAM(C) GROUP(G)\n",
        );
        let programs: Vec<_> = csd
            .programs
            .iter()
            .map(|p| (p.name.as_str(), p.enabled))
            .collect();
        assert_eq!(programs, [("B", false), ("C", true), ("A", true)]);
        assert_eq!(csd.diagnostics.len(), 1);
        assert!(csd.diagnostics[0].message.contains("in line 3"));
    }

    #[test]
    fn alter_delete_and_duplicates() {
        let csd = parse(
            "DEFINE PROGRAM(A) GROUP(G)\nALTER PROGRAM(A) GROUP(G) STATUS(DISABLED)\n\
             DEFINE PROGRAM(B) GROUP(G)\nDEFINE PROGRAM(B) GROUP(G)\n\
             DEFINE PROGRAM(C) GROUP(H)\nDELETE GROUP(H)\n",
        );
        assert!(!csd.programs[0].enabled);
        assert_eq!(csd.programs.len(), 2);
        assert_eq!(csd.diagnostics.len(), 1);
        assert!(csd.diagnostics[0].message.contains("in line 3"));
    }
}
