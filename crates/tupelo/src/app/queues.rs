//! From resource definitions and `[queues]` to the queues and journals of the
//! region.

use cics::csd::{Csd, ExtraDef, TdQueueKind};
use region::{Name, QueueDefinitions, QueueFileFormat, TdKind, TdQueueDef};

use super::config::{QueueFormat, QueuesSection};

/// The queues and journals, and what is wrong with them.
/// `user` runs what is triggered by a queue without USERID.
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
    check_names(&made, section, &mut wrong);
    (made, wrong)
}

/// Where `[queues.files]` has the file of a queue, and in which format.
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

/// Records of one length need one.
fn check_size(queue: &TdQueueDef, extra: &ExtraDef, wrong: &mut Vec<String>) {
    let fixed = |kind: &TdKind| matches!(kind, TdKind::Extrapartition { format, .. } if *format == QueueFileFormat::Fixed);
    if fixed(&queue.kind) && extra.record_bytes.is_none_or(|n| n == 0) {
        wrong.push(format!(
            "TDQUEUE({}): records of one length need RECORDSIZE",
            queue.name
        ));
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
