//! Advice that is followed must lead somewhere: the settings that findings
//! name are written into copies of the files, and the files are read again,
//! until nothing is advised. Rules that want two values for one setting, or
//! a value that another rule does not accept, never get there.

use std::collections::BTreeMap;
use std::path::PathBuf;

use advise::{Document, DocumentSet, TuningFinding, advise};

/// If advice still changes a setting after this many rounds, it is circular. One
/// round is enough if no advice depends on another setting.
const ROUNDS: usize = 4;

/// Which of several lines of code is followed.
#[derive(Clone, Copy)]
enum FollowedLine {
    First,
    Last,
}

type Texts = BTreeMap<String, String>;

fn example(folder: &str) -> Texts {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/advise/appc");
    let entries = std::fs::read_dir(path.join(folder)).expect("the example is there");
    let named = entries.map(|e| {
        let path = e.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        (name, std::fs::read_to_string(&path).expect("text"))
    });
    named.collect()
}

fn judge(texts: &Texts) -> Vec<TuningFinding> {
    let read = |(name, text): (&String, &String)| {
        Document::read(name, text, None).unwrap_or_else(|e| panic!("{e}"))
    };
    advise(
        &DocumentSet::new(texts.iter().map(read)),
        &["sna".to_owned()],
    )
}

/// Applies all advice until none is left. Returns the changed settings.
fn follow(texts: &mut Texts, which: FollowedLine) -> Vec<String> {
    let mut followed = Vec::new();
    for _ in 0..ROUNDS {
        let findings = judge(texts);
        let mut edits: Vec<_> = findings.iter().filter_map(|f| edit(f, which)).collect();
        if edits.is_empty() {
            return followed;
        }
        no_two_values(&edits);
        // From the end, so that earlier places stay where they are.
        edits.sort_by_key(|e| (e.file.clone(), e.line, e.column));
        edits.dedup_by_key(|e| (e.file.clone(), e.line, e.column, e.setting.clone()));
        for edit in edits.into_iter().rev() {
            let text = texts.get_mut(&edit.file).expect("the file");
            *text = edit.apply(text);
            followed.push(edit.setting);
        }
    }
    panic!("advice without end: {:#?}", judge(texts));
}

/// A setting to write.
#[derive(Debug)]
struct SettingEdit {
    file: String,
    line: usize,
    column: usize,
    /// The setting is new.
    new: bool,
    setting: String,
}

fn edit(finding: &TuningFinding, which: FollowedLine) -> Option<SettingEdit> {
    let code = match which {
        FollowedLine::First => finding.code.first(),
        FollowedLine::Last => finding.code.last(),
    }?;
    let remark = ["   /* ", " /* ", "   // ", "   ; ", "   # "];
    let code = remark
        .iter()
        .fold(code.as_str(), |c, r| c.split(r).next().unwrap_or(c));
    let code = code.trim_end_matches(';');
    let setting = match () {
        () if code.contains("…,") => {
            let (_, setting) = code.split_once("…,")?;
            setting.split_whitespace().next()?
        }
        () if code.contains("… ") => code.split_once("… ")?.1,
        () if code.starts_with("ALTER ") => code.rsplit(' ').next()?,
        () if code.starts_with("no -o ") || code.starts_with("chdev ") => {
            code.rsplit(' ').next()?
        }
        () if code.contains(": ") => code.split_once(": ")?.1,
        () if code.starts_with("TRMF ") || code.starts_with("TRLD ") => code.split_once(' ')?.1,
        () => code,
    };
    Some(SettingEdit {
        file: finding.place.file.to_string(),
        line: usize::try_from(finding.place.line).ok()?.checked_sub(1)?,
        column: usize::try_from(finding.place.column).ok()?.checked_sub(1)?,
        new: finding.value.ends_with("is not coded"),
        setting: setting.to_owned(),
    })
}

impl SettingEdit {
    /// The text with the setting replaced, or added after the operands of the
    /// line that lacks it.
    fn apply(&self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let line = &mut lines[self.line];
        let (head, tail) = line.split_at(self.column);
        *line = if self.new {
            let end = head.len() + operands(tail);
            let (head, tail) = line.split_at(end);
            format!("{head},{}{tail}", self.setting)
        } else {
            format!("{head}{}{}", self.setting, &tail[length(tail)..])
        };
        lines.join("\n") + "\n"
    }
}

/// Characters of the operand that begins a text: to the end of its
/// parentheses, to a comma or blank, or to the end of `key = value`.
fn length(text: &str) -> usize {
    if text.split_whitespace().nth(1) == Some("=") {
        return text.len();
    }
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' | ';' | ' ' if depth == 0 => return i,
            _ => {}
        }
    }
    text.len()
}

/// Characters of a verb and its operands.
fn operands(text: &str) -> usize {
    let verb = text.find(' ').expect("operands");
    let gap = text[verb..].len() - text[verb..].trim_start().len();
    let rest = &text[verb + gap..];
    verb + gap + rest.find(' ').unwrap_or(rest.len())
}

/// One round may not ask for two values of one setting.
fn no_two_values(edits: &[SettingEdit]) {
    for (i, one) in edits.iter().enumerate() {
        for two in &edits[i + 1..] {
            let same = one.file == two.file && (one.line, one.column) == (two.line, two.column);
            let name = |e: &SettingEdit| e.setting.split(['=', '(']).next().map(str::to_owned);
            if same && name(one) == name(two) {
                assert_eq!(one.setting, two.setting, "{one:?} {two:?}");
            }
        }
    }
}

#[test]
fn the_advice_for_the_baseline_followed_leaves_none_whichever_value_is_taken() {
    for which in [FollowedLine::First, FollowedLine::Last] {
        let mut texts = example("baseline");
        let followed = follow(&mut texts, which);
        assert!(followed.len() > 35, "{followed:?}");
        for finding in judge(&texts) {
            let reported = [
                "sna.session.effective",
                "sna.nsdos.frame-fix",
                "sna.aix.dlc-fix",
            ];
            let more = [
                "sna.frame.unlike",
                "sna.ru.memory",
                "sna.session.lowered",
                "sna.pacing.uneven",
            ];
            assert!(
                reported.contains(&finding.rule) || more.contains(&finding.rule),
                "{finding:?}"
            );
            assert!(finding.code.is_empty(), "{finding:?}");
        }
    }
}

/// Findings of a kind of text that print a line.
fn printed(texts: &Texts, kind: &str) -> Vec<TuningFinding> {
    let of_kind = |f: &TuningFinding| {
        let name = &*f.place.file;
        let read = Document::read(name, &texts[name], None).expect("read");
        read.kind.word == kind && !f.code.is_empty()
    };
    judge(texts).into_iter().filter(of_kind).collect()
}

/// Statements that change a definition work at the end of the text as well as in
/// the place of the definition.
#[test]
fn changes_that_findings_print_make_them_go_when_they_stand_at_the_end() {
    let as400 = Texts::from([(
        "as400.clp".to_owned(),
        "CRTMODD MODD(#BATCH) INPACING(3) OUTPACING(3) MAXLENRU(256)\n\
         CRTLINTRN LIND(RING) LINESPEED(4M) MAXFRAME(1994)\n\
         CRTCTLAPPC CTLD(HOST) MAXFRAME(1994) LANMAXOUT(2) LANACKFRQ(1)\n"
            .to_owned(),
    )]);
    let sets = [
        ("aix-sna", example("baseline"), 9),
        ("csd", example("baseline"), 2),
        ("csd", example("batch"), 1),
        ("as400", as400, 5),
    ];
    for (kind, mut texts, least) in sets {
        let mut appended = 0;
        for _ in 0..ROUNDS {
            let before = printed(&texts, kind);
            for finding in &before {
                let text = texts.get_mut(&*finding.place.file).expect("the file");
                text.push_str(finding.code.last().expect("code"));
                text.push('\n');
                appended += 1;
            }
            let after = judge(&texts);
            let same = |a: &&TuningFinding, b: &TuningFinding| {
                (a.rule, &a.place, &a.value) == (b.rule, &b.place, &b.value)
            };
            for finding in &before {
                assert_eq!(after.iter().find(|a| same(a, finding)), None, "{texts:?}");
            }
        }
        assert_eq!(printed(&texts, kind), [], "{texts:?}");
        assert!(appended >= least, "{kind}: {appended}");
    }
}
