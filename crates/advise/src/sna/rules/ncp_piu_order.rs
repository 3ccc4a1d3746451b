//! MAXDATA, the host's buffers and the largest PIU in their order.

use super::coded::{Coded, coded};
use super::ncp_maxbfru;
use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::sna::kinds::vtam;
use crate::sna::source::NCP;

pub(super) static RULE: Rule = Rule {
    name: "sna.ncp.piu-order",
    summary: "MAXDATA > UNITSZ × MAXBFRU > largest PIU does not hold.",
    why: "A PIU that the host's buffers cannot hold is lost with its session, and what VTAM and NCP \
          send each other must be allowed to be larger than those buffers.",
    severity: Severity::Warning,
    effect: None,
    sources: &[NCP],
    check,
};

fn check(documents: &Documents, out: &mut Vec<Finding>) {
    for unitsz in coded(documents, &vtam::NCP, &["UNITSZ"], "HOST") {
        let host = unitsz.statement;
        let count = host.any(ncp_maxbfru::NAMES).and_then(|o| o.number());
        let (Some(unit), Some(count)) = (unitsz.number(), count) else {
            continue;
        };
        let room = u64::from(unit) * u64::from(count);
        let all = unitsz.document.statements().iter();
        let least = |name: &'static str, most: bool| {
            let coded = all.clone().map(|s| Coded::on(unitsz.document, s, &[name]));
            let numbers = coded.filter_map(|c| Some((c.number()?, c)));
            match most {
                true => numbers.max_by_key(|(n, _)| *n),
                false => numbers
                    .filter(|(_, c)| c.statement.verb == "PCCU")
                    .min_by_key(|(n, _)| *n),
            }
        };
        let finding = |text: String| Finding::at(&RULE, unitsz.place(), text);
        if let Some((maxdata, at)) = least("MAXDATA", false)
            && u64::from(maxdata) <= room
        {
            let text = format!(
                "MAXDATA {maxdata} is not above UNITSZ × MAXBFRU = {unit} × {count} = {room}"
            );
            out.push(
                finding(text)
                    .code(at.line("65535"))
                    .because(at.place(), format!("MAXDATA={maxdata}")),
            );
        }
        if let Some((frame, at)) = least("MAXTSL", true)
            && room <= u64::from(frame)
        {
            let text = format!(
                "UNITSZ × MAXBFRU = {unit} × {count} = {room} does not hold a PIU of up to {frame} bytes"
            );
            let more = u64::from(frame) / u64::from(unit.max(1)) + 1;
            let line = Coded::on(unitsz.document, host, ncp_maxbfru::NAMES).line(&more.to_string());
            out.push(
                finding(text)
                    .code(line)
                    .because(at.place(), format!("MAXTSL={frame}")),
            );
        }
    }
}
