//! Makes the queues and journals of the region from resource definitions and
//! `[queues]`.

use cics::csd::{Csd, ExtraDef, TdQueueKind};
use region::{Name, QueueDefinitions, QueueFileFormat, TdKind, TdQueueDef};

use super::config::{QueueFormat, QueuesSection};

/// The queues and journals, and the errors of their definitions. `user` runs the
/// tasks that a queue without USERID triggers.
pub fn install(csd: &Csd, section: &QueuesSection, user: &str) -> (QueueDefinitions, Vec<String>) {
    let mut made = QueueDefinitions {
        models: csd.tsmodels.iter().map(region::install::ts_model).collect(),
        journals: (csd.journalmodels.iter())
            .map(region::install::journal_model)
            .collect(),
        enq_models: csd
            .enqmodels
            .iter()
            .map(region::install::enq_model)
            .collect(),
        ..QueueDefinitions::default()
    };
    let mut wrong = Vec::new();
    for def in &csd.tdqueues {
        match region::install::td_queue(def, user) {
            Ok(mut queue) => {
                place(&mut queue, section);
                if let TdQueueKind::Extra(extra) = &def.kind {
                    check_size(&queue, extra, &mut wrong);
                }
                made.transient.push(queue);
            }
            Err(why) => wrong.push(why),
        }
    }
    let missing = |name: &&str| made.transient.iter().all(|q| q.name.as_str() != *name);
    let supplied: Vec<TdQueueDef> = supplied()
        .filter(|(name, _)| missing(name))
        .map(queue)
        .collect();
    made.transient.extend(supplied);
    check_names(&made, section, &mut wrong);
    (made, wrong)
}

/// Whether a queue exists without a definition.
pub fn is_supplied(name: &str) -> bool {
    supplied().any(|(known, _)| known == name)
}

/// The queues to which CICS writes its own messages, as its group DFHDCTG defines
/// them: logs, and other names of logs.
fn supplied() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let logs = LOGS.into_iter().map(|name| (name, None));
    let others = OF_CSSL.into_iter().map(|name| (name, Some("CSSL")));
    logs.chain(others).chain([("CCSE", Some("CCSO"))])
}

fn queue((name, of): (&str, Option<&str>)) -> TdQueueDef {
    let named = |name| Name::new(name).unwrap_or(Name::BLANK);
    TdQueueDef {
        name: named(name),
        kind: of.map_or(TdKind::Log, |of| TdKind::Indirect(named(of))),
        enabled: true,
    }
}

/// The queues of DFHDCTG that are sequential data sets.
const LOGS: [&str; 7] = ["CSSL", "CCSO", "CESE", "CESO", "CPLD", "CPLI", "CRPO"];

/// The queues of DFHDCTG that are indirect to CSSL.
const OF_CSSL: [&str; 46] = [
    "CADL", "CADO", "CADS", "CAFF", "CAIL", "CCPI", "CCZM", "CDB2", "CDBC", "CDEP", "CDUL", "CEJL",
    "CEPO", "CIEO", "CJRM", "CKQQ", "CMIG", "CMLO", "CMQM", "CPIO", "CRDI", "CSBA", "CSBR", "CSCC",
    "CSCS", "CSDH", "CSDL", "CSFL", "CSJE", "CSJO", "CSKL", "CSLB", "CSML", "CSMT", "CSNE", "CSOO",
    "CSPL", "CSQL", "CSRL", "CSSH", "CSTL", "CSZL", "CSZX", "CWBO", "CWBW", "CXRF",
];

/// Applies `[queues.files]` to a queue: its file and format.
fn place(queue: &mut TdQueueDef, section: &QueuesSection) {
    let own = section.files.get(queue.name.as_str());
    let (Some(own), TdKind::Extrapartition { path, format, .. }) = (own, &mut queue.kind) else {
        return;
    };
    if let Some(own) = &own.path {
        path.clone_from(own);
    }
    *format = match own.format {
        None => *format,
        Some(QueueFormat::Lines) => QueueFileFormat::Lines,
        Some(QueueFormat::Fixed) => QueueFileFormat::Fixed,
        Some(QueueFormat::Rdw) => QueueFileFormat::Variable,
    };
}

/// Reports a queue of fixed-length records without RECORDSIZE.
fn check_size(queue: &TdQueueDef, extra: &ExtraDef, wrong: &mut Vec<String>) {
    let fixed = |kind: &TdKind| matches!(kind, TdKind::Extrapartition { format, .. } if *format == QueueFileFormat::Fixed);
    if fixed(&queue.kind) && extra.record_bytes.is_none_or(|n| n == 0) {
        wrong.push(format!(
            "TDQUEUE({}): fixed-length records need RECORDSIZE",
            queue.name
        ));
    }
}

/// Reports queues that are defined twice, indirect queues without a target or in a
/// circle, and sections of queues that have no file.
fn check_names(made: &QueueDefinitions, section: &QueuesSection, wrong: &mut Vec<String>) {
    let find = |name: Name<4>| made.transient.iter().find(|q| q.name == name);
    for (at, queue) in made.transient.iter().enumerate() {
        if made.transient[..at].iter().any(|q| q.name == queue.name) {
            wrong.push(format!("TDQUEUE({}) is defined twice", queue.name));
        }
        let mut next = queue;
        let mut steps = 0;
        while let TdKind::Indirect(target) = next.kind {
            steps += 1;
            next = match find(target) {
                Some(found) if steps <= made.transient.len() => found,
                Some(_) => {
                    wrong.push(format!(
                        "TDQUEUE({}): INDIRECTNAME leads back to the queue itself",
                        queue.name
                    ));
                    break;
                }
                None => {
                    wrong.push(format!(
                        "TDQUEUE({}): INDIRECTNAME({target}) is not defined",
                        queue.name
                    ));
                    break;
                }
            };
        }
    }
    for name in section.files.keys() {
        let of_file = |q: &&TdQueueDef| {
            q.name.as_str() == name && matches!(q.kind, TdKind::Extrapartition { .. })
        };
        if !made.transient.iter().any(|q| of_file(&q)) {
            wrong.push(format!(
                "[queues.files.{name}]: no DEFINE TDQUEUE({name}) TYPE(EXTRA) is in the resource definitions"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::config::QueueFileSection;

    fn wrong(csd: &str, section: &QueuesSection) -> Vec<String> {
        install(&cics::csd::parse(csd), section, "CICSUSER").1
    }

    #[test]
    fn queues_without_a_target_or_in_a_circle_are_reported() {
        let mut section = QueuesSection::default();
        section
            .files
            .insert("NONE".into(), QueueFileSection::default());
        let messages = wrong(
            "DEFINE TDQUEUE(A) GROUP(G) TYPE(INDIRECT) INDIRECTNAME(B)\n\
             DEFINE TDQUEUE(B) GROUP(G) TYPE(INDIRECT) INDIRECTNAME(A)\n\
             DEFINE TDQUEUE(C) GROUP(G) TYPE(INDIRECT) INDIRECTNAME(X)\n\
             DEFINE TDQUEUE(D) GROUP(G) TYPE(INTRA) TRANSID(T) ATIFACILITY(SYSTEM)\n\
             DEFINE TDQUEUE(E) GROUP(G) TYPE(EXTRA) RECORDFORMAT(FIXED)\n",
            &section,
        );
        let about: Vec<&str> = messages.iter().map(|t| &t[..10]).collect();
        assert_eq!(
            about,
            [
                "TDQUEUE(D)",
                "TDQUEUE(E)",
                "TDQUEUE(A)",
                "TDQUEUE(B)",
                "TDQUEUE(C)",
                "[queues.fi"
            ],
            "{messages:?}"
        );
    }

    #[test]
    fn the_queues_of_cics_itself_exist_unless_they_are_defined() {
        let csd = cics::csd::parse(
            "DEFINE TDQUEUE(CSMT) GROUP(G) TYPE(INTRA)\n\
             DEFINE TDQUEUE(MINE) GROUP(G) TYPE(INDIRECT) INDIRECTNAME(CSSL)\n",
        );
        let (made, wrong) = install(&csd, &QueuesSection::default(), "CICSUSER");
        assert_eq!(wrong, Vec::<String>::new());
        let kinds = |name: &str| {
            let all = made.transient.iter();
            let of_name = all.filter(|q| q.name.as_str() == name);
            of_name.map(|q| q.kind.clone()).collect::<Vec<_>>()
        };
        let indirect = |to: &[u8; 4]| vec![TdKind::Indirect(Name::from_bytes(*to))];
        assert!(matches!(kinds("CSMT")[..], [TdKind::Intrapartition { .. }]));
        assert_eq!(kinds("CSSL"), [TdKind::Log]);
        assert_eq!(kinds("CADL"), indirect(b"CSSL"));
        assert_eq!(kinds("CCSE"), indirect(b"CCSO"));
        assert!(kinds("NONE").is_empty());
        assert!(is_supplied("CSML") && !is_supplied("CSM"));
    }

    #[test]
    fn the_file_of_a_queue_is_in_the_state_folder_unless_a_section_says_where() {
        let csd = cics::csd::parse("DEFINE TDQUEUE(LOGA) GROUP(G) TYPE(EXTRA) TYPEFILE(OUTPUT)");
        let (made, wrong) = install(&csd, &QueuesSection::default(), "CICSUSER");
        assert_eq!(wrong, Vec::<String>::new());
        let TdKind::Extrapartition { path, format, .. } = &made.transient[0].kind else {
            panic!("{:?}", made.transient);
        };
        assert_eq!(
            (path.to_str(), *format),
            (Some("queues/LOGA"), QueueFileFormat::Lines)
        );
    }
}
