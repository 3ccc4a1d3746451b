//! From resource definitions and `[queues]` to the queues and journals of the
//! region.

use std::path::PathBuf;

use cics::csd::{
    AtiFacility, Csd, ExtraDef, IntraDef, JournalType, TdQueueKind, TdRecovery as Recovery,
};
use region::{
    JournalDef, JournalKind, Name, Opens, QueueDefinitions, QueueFileFormat, TdKind, TdQueueDef,
    TdRecovery, Trigger, TsModelDef,
};

use super::config::{QueueFormat, QueuesSection};

/// Most bytes of a record when RECORDSIZE does not say it.
const RECORD_BYTES: u32 = 32_767;

/// The queues and journals, and what is wrong with them.
/// `user` runs what is triggered by a queue without USERID.
pub fn install(csd: &Csd, section: &QueuesSection, user: &str) -> (QueueDefinitions, Vec<String>) {
    let mut made = QueueDefinitions::default();
    let mut wrong = Vec::new();
    for def in &csd.tsmodels {
        made.models.push(TsModelDef {
            name: name(&def.name),
            prefix: def.prefix.clone(),
            recoverable: def.recoverable,
            remote_system: def.remote_system.map_or(Name::BLANK, Into::into),
        });
    }
    for def in &csd.tdqueues {
        let kind = match &def.kind {
            TdQueueKind::Intra(intra) => intrapartition(&def.name, intra, user, &mut wrong),
            TdQueueKind::Extra(extra) => extrapartition(&def.name, extra, section, &mut wrong),
            TdQueueKind::Indirect(target) => TdKind::Indirect(name(target)),
            TdQueueKind::Remote(system) => TdKind::Remote((*system).into()),
        };
        made.transient.push(TdQueueDef {
            name: name(&def.name),
            kind,
            enabled: true,
        });
    }
    check_names(&made, section, &mut wrong);
    for def in &csd.journalmodels {
        let stream = def
            .stream
            .clone()
            .unwrap_or_else(|| "journals/&JNAME".into());
        made.journals.push(JournalDef {
            model: name(&def.name),
            name: def.journal.clone(),
            kind: match def.kind {
                JournalType::Dummy => JournalKind::Dummy,
                JournalType::Mvs | JournalType::Smf => JournalKind::File(stream),
            },
        });
    }
    (made, wrong)
}

fn intrapartition(queue: &str, def: &IntraDef, user: &str, wrong: &mut Vec<String>) -> TdKind {
    let trigger = match (def.transid, def.trigger_level) {
        (None, _) | (_, 0) => None,
        (Some(_), _) if def.facility != AtiFacility::File => {
            wrong.push(format!(
                "TDQUEUE({queue}): a task can be triggered without a terminal only; give ATIFACILITY(FILE)"
            ));
            None
        }
        (Some(transid), level) => Some(Trigger {
            level,
            transid: transid.into(),
            userid: name(def.userid.as_deref().unwrap_or(user)),
        }),
    };
    TdKind::Intrapartition {
        recovery: match def.recovery {
            Recovery::No => TdRecovery::No,
            Recovery::Physical => TdRecovery::Physical,
            Recovery::Logical => TdRecovery::Logical,
        },
        trigger,
    }
}

fn extrapartition(
    queue: &str,
    def: &ExtraDef,
    section: &QueuesSection,
    wrong: &mut Vec<String>,
) -> TdKind {
    let own = section.files.get(queue);
    let default = match def.fixed {
        true => QueueFormat::Fixed,
        false => QueueFormat::Lines,
    };
    let format = match own.and_then(|own| own.format).unwrap_or(default) {
        QueueFormat::Lines => QueueFileFormat::Lines,
        QueueFormat::Fixed => QueueFileFormat::Fixed,
        QueueFormat::Rdw => QueueFileFormat::Variable,
    };
    let record_bytes = def.record_bytes.filter(|n| *n > 0);
    if format == QueueFileFormat::Fixed && record_bytes.is_none() {
        wrong.push(format!(
            "TDQUEUE({queue}): records of one length need RECORDSIZE"
        ));
    }
    let path = own.and_then(|own| own.path.clone());
    TdKind::Extrapartition {
        output: def.output,
        path: path.unwrap_or_else(|| PathBuf::from("queues").join(queue)),
        format,
        record_bytes: record_bytes.unwrap_or(RECORD_BYTES),
        append: def.append,
        opens: match def.open_at_start {
            true => Opens::Initial,
            false => Opens::Deferred,
        },
    }
}

/// Queues that are defined twice, lead nowhere or in a ring, and sections of
/// queues that have no file.
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
                        "TDQUEUE({}): INDIRECTNAME leads in a ring",
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

/// A name whose length was checked already.
fn name<const N: usize>(text: &str) -> Name<N> {
    Name::new(text).unwrap_or(Name::BLANK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::config::QueueFileSection;

    fn wrong(csd: &str, section: &QueuesSection) -> Vec<String> {
        install(&cics::csd::parse(csd), section, "CICSUSER").1
    }

    #[test]
    fn queues_that_lead_nowhere_or_in_a_ring_are_told() {
        let mut section = QueuesSection::default();
        section
            .files
            .insert("NONE".into(), QueueFileSection::default());
        let told = wrong(
            "DEFINE TDQUEUE(A) GROUP(G) TYPE(INDIRECT) INDIRECTNAME(B)\n\
             DEFINE TDQUEUE(B) GROUP(G) TYPE(INDIRECT) INDIRECTNAME(A)\n\
             DEFINE TDQUEUE(C) GROUP(G) TYPE(INDIRECT) INDIRECTNAME(X)\n\
             DEFINE TDQUEUE(D) GROUP(G) TYPE(INTRA) TRANSID(T)\n\
             DEFINE TDQUEUE(E) GROUP(G) TYPE(EXTRA) RECORDFORMAT(FIXED)\n",
            &section,
        );
        let about: Vec<&str> = told.iter().map(|t| &t[..10]).collect();
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
            "{told:?}"
        );
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
