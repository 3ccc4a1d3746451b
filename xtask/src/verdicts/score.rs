//! One report held against what is known of its capture.

use serde::Serialize;

use super::key::{KINDS, KeyCase};
use super::report::{TimeSlice, VerdictReport};

/// How good the verdict of one capture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictGrade {
    /// It names the cause.
    Right,
    /// Not first, but among the first three.
    InThree,
    /// It names no cause.
    Absent,
    /// It names another cause.
    Misleading,
}

/// The score of one capture.
#[derive(Clone, Debug)]
pub struct VerdictScore {
    pub named: VerdictGrade,
    /// Whether the owner that it names is the right one; none without a right
    /// verdict.
    pub owner: Option<bool>,
    /// Whether the time lost is within 20 %; none where the cost is not known.
    pub cost: Option<bool>,
    /// Whether the remedy of a right verdict helps.
    pub remedy: bool,
    /// Whether nothing is to be done and nothing warned of.
    pub quiet: bool,
    named_slice: Option<TimeSlice>,
}

/// One line of the list of scores.
#[derive(Serialize)]
pub struct ScoreLine<'a> {
    file: &'a str,
    kind: &'a str,
    third: &'a str,
    named: Option<VerdictGrade>,
    said: Option<&'a str>,
    cost_ms: Option<f64>,
    lost_ms: Option<f64>,
    cost_right: Option<bool>,
    owner_right: Option<bool>,
    remedy_right: bool,
    quiet: bool,
}

/// A cost may differ from the client's clock by this share.
const TOLERANCE: f64 = 0.2;

/// How many slices a user reads.
const READ: usize = 3;

/// In these kinds a wrong owner sends the user to the wrong machine.
const OWNED: [&str; 2] = ["host-wait", "window-closed"];

/// Scores a report.
pub fn score(case: &KeyCase, report: &VerdictReport) -> VerdictScore {
    let ranked = report.ranked();
    let verdict = report.verdict.as_ref();
    let right = |slice: &&TimeSlice| case.accepts(&slice.kind) && owner_fits(case, slice);
    let place = ranked.iter().position(right);
    let named = match (place, verdict) {
        (Some(0), Some(_)) => VerdictGrade::Right,
        (Some(place), _) if place < READ => VerdictGrade::InThree,
        (_, Some(slice)) if is_kind(&slice.kind) => VerdictGrade::Misleading,
        _ => VerdictGrade::Absent,
    };
    let first_right = ranked.iter().find(|slice| right(slice));
    let cost = case.cost_ms.filter(|_| !case.healthy()).map(|cost| {
        first_right
            .and_then(|slice| slice.lost_ms)
            .is_some_and(|lost| (lost - cost).abs() <= TOLERANCE * cost)
    });
    VerdictScore {
        named,
        owner: verdict
            .filter(|_| named == VerdictGrade::Right)
            .and_then(|slice| slice.owner.as_deref())
            .map(|owner| case.owned_by(owner)),
        cost,
        remedy: named == VerdictGrade::Right
            && verdict
                .and_then(|slice| slice.remedy.as_deref())
                .is_some_and(|remedy| case.helped_by(remedy)),
        quiet: report.warnings.is_empty() && ranked.iter().all(|slice| slice.remedy.is_none()),
        named_slice: verdict.cloned(),
    }
}

/// Whether the owner that a slice names can be the right one.
fn owner_fits(case: &KeyCase, slice: &TimeSlice) -> bool {
    if !OWNED.contains(&case.kind.as_str()) || slice.kind != case.kind {
        return true;
    }
    slice
        .owner
        .as_ref()
        .is_none_or(|owner| case.owned_by(owner))
}

/// Whether this is a kind of evidence; time unexplained is none.
fn is_kind(kind: &str) -> bool {
    KINDS.iter().any(|(name, _)| *name == kind)
}

impl VerdictScore {
    /// The score of a capture that could not be explained.
    pub fn unread(case: &KeyCase) -> VerdictScore {
        VerdictScore {
            named: VerdictGrade::Absent,
            owner: None,
            cost: case.cost_ms.filter(|_| !case.healthy()).map(|_| false),
            remedy: false,
            quiet: false,
            named_slice: None,
        }
    }

    /// Whether there is nothing to mend.
    pub fn good(&self, case: &KeyCase) -> bool {
        if case.healthy() {
            return self.quiet;
        }
        self.named == VerdictGrade::Right && self.cost != Some(false) && self.remedy
    }

    /// The score as data.
    pub fn line<'a>(&'a self, case: &'a KeyCase) -> ScoreLine<'a> {
        ScoreLine {
            file: &case.file,
            kind: &case.kind,
            third: &case.third,
            named: Some(self.named).filter(|_| !case.healthy()),
            said: self.named_slice.as_ref().map(|slice| slice.kind.as_str()),
            cost_ms: case.cost_ms,
            lost_ms: self.named_slice.as_ref().and_then(|slice| slice.lost_ms),
            cost_right: self.cost,
            owner_right: self.owner,
            remedy_right: self.remedy,
            quiet: self.quiet,
        }
    }

    /// The score as a sentence: what is true, and what was said.
    pub fn sentence(&self, case: &KeyCase) -> String {
        let ms = |ms: Option<f64>| ms.map_or("?".to_owned(), |ms| format!("{ms:.0}"));
        let said = match &self.named_slice {
            Some(slice) => format!("{} {} ms", slice.kind, ms(slice.lost_ms)),
            None => "nothing".to_owned(),
        };
        let named = if case.healthy() {
            "not quiet".to_owned()
        } else {
            format!("{:?}", self.named).to_lowercase()
        };
        format!(
            "{named}: {} is {} {} ms, said: {said}. {}",
            case.path().display(),
            case.kind,
            ms(case.cost_ms),
            case.cause
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::tests::case;
    use super::*;

    fn report(slices: &[(&str, &str, f64)]) -> VerdictReport {
        let slices: Vec<TimeSlice> = slices
            .iter()
            .map(|(kind, owner, lost)| TimeSlice {
                kind: (*kind).into(),
                owner: Some((*owner).into()),
                lost_ms: Some(*lost),
                remedy: Some("Send fewer queries".into()),
            })
            .collect();
        VerdictReport {
            verdict: slices.first().cloned(),
            slices,
            warnings: Vec::new(),
        }
    }

    #[test]
    fn a_verdict_is_right_in_the_first_three_absent_or_misleading() {
        let case = case("chatty", "client", Some(100.0));
        let named = |slices: &[(&str, &str, f64)]| score(&case, &report(slices)).named;
        let (chatty, path) = (("chatty", "client", 90.0), ("slow-path", "network", 9.0));
        assert_eq!(named(&[chatty, path]), VerdictGrade::Right);
        assert_eq!(named(&[path, chatty]), VerdictGrade::InThree);
        assert_eq!(named(&[path]), VerdictGrade::Misleading);
        assert_eq!(named(&[]), VerdictGrade::Absent);
        assert_eq!(
            named(&[("unexplained", "network", 9.0)]),
            VerdictGrade::Absent
        );
    }

    #[test]
    fn a_cost_counts_within_a_fifth_and_a_missing_one_is_a_miss() {
        let known = case("chatty", "client", Some(100.0));
        let cost = |lost| score(&known, &report(&[("chatty", "client", lost)])).cost;
        assert_eq!(cost(81.0), Some(true));
        assert_eq!(cost(79.0), Some(false));
        assert_eq!(score(&known, &report(&[])).cost, Some(false));
        let unknown = case("chatty", "client", None);
        assert_eq!(score(&unknown, &report(&[])).cost, None);
    }

    #[test]
    fn a_wait_of_the_wrong_host_is_misleading() {
        let case = case("host-wait", "client", None);
        let score = score(&case, &report(&[("host-wait", "server", 9.0)]));
        assert_eq!(score.named, VerdictGrade::Misleading);
    }

    #[test]
    fn a_healthy_capture_is_quiet_without_a_remedy() {
        let case = case("healthy", "none", Some(0.0));
        let mut report = report(&[("chatty", "client", 9.0)]);
        assert!(!score(&case, &report).quiet);
        for slice in report.verdict.iter_mut().chain(&mut report.slices) {
            slice.remedy = None;
        }
        assert!(score(&case, &report).quiet);
    }

    #[test]
    fn silence_is_good_only_where_nothing_is_slow() {
        let silent = report(&[]);
        let good = |case: KeyCase| score(&case, &silent).good(&case);
        assert!(good(case("healthy", "none", Some(0.0))));
        assert!(!good(case("chatty", "client", Some(100.0))));
    }
}
