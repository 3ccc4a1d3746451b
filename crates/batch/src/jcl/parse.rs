//! Parses statements to a [`JclJob`], and reports errors.

use base::{Diagnostic, Severity};

use super::lex::{JclOperand, JclStatement, card, parts, unquoted};
use super::{
    AfterAbend, CondOperator, CondTest, DataSetDisposition, DdConcatenation, DdPart, JclJob,
    JclStep, Status,
};

/// EXEC operands that change nothing here.
const EXEC_ACCEPTED: &[&str] = &[
    "ACCT", "ADDRSPC", "DYNAMNBR", "MEMLIMIT", "PERFORM", "RD", "REGION", "TIME",
];

/// DD operands on placement and space, which are ignored.
const DD_ACCEPTED: &[&str] = &[
    "AMP", "AVGREC", "BLKSIZE", "BUFNO", "DATACLAS", "DCB", "DSNTYPE", "DSORG", "EXPDT", "FREE",
    "HOLD", "LABEL", "LRECL", "MGMTCLAS", "OUTLIM", "OUTPUT", "RECFM", "RETPD", "SPACE",
    "STORCLAS", "UNIT", "VOL", "VOLUME", "COPIES", "DEST", "FCB", "DLM", "DISP",
];

/// DDs that say where programs are; here they are in the application folder.
const LIBRARIES: &[&str] = &["JOBLIB", "STEPLIB", "SYSUDUMP", "SYSABEND", "CEEDUMP"];

/// Most bytes of PARM on EXEC.
const MOST_PARM: usize = 100;

/// Reads a job. It takes any text, and never fails but by diagnostics.
pub fn parse(text: &str) -> JclJob {
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = Reader::default();
    let (mut at, mut is_ended) = (0, false);
    let (mut stray, mut strays) = (false, false);
    while at < lines.len() && !is_ended {
        if let Some(card) = card(&lines, &mut at) {
            reader.card(card, &lines, &mut at);
            reader.reach(at);
            stray = false;
            continue;
        }
        is_ended = lines[at].trim_end() == "//";
        let is_jcl = ["//", "/*"]
            .iter()
            .any(|start| lines[at].starts_with(start));
        if !is_jcl && !lines[at].trim().is_empty() {
            // Lines of prose are one mistake.
            if !stray {
                let message = "this line is not a statement and not the data of a DD".to_owned();
                let help = "statements begin with // in column 1, a job with //NAME JOB";
                let place = (at as u32 + 1, 1);
                reader.add_diagnostic(Severity::Error, place, message, Some(help.to_owned()));
            }
            stray = true;
            strays = true;
        } else if is_jcl {
            stray = false;
        }
        at += 1;
    }
    if !reader.has_job && strays {
        // Reported already: a job begins with a JOB statement.
    } else if !reader.has_job {
        let help = Some("a job begins with //NAME JOB".to_owned());
        reader.add_diagnostic(
            Severity::Error,
            (1, 1),
            "there is no JOB statement".to_owned(),
            help,
        );
    } else if reader.job.steps.is_empty() {
        reader.add_diagnostic(
            Severity::Error,
            (1, 1),
            "the job has no step".to_owned(),
            None,
        );
    }
    let mut job = reader.job;
    job.diagnostics.sort_by_key(|d| (d.line, d.column));
    job
}

#[derive(Default)]
struct Reader {
    job: JclJob,
    has_job: bool,
    /// The job has libraries for all its steps.
    has_libraries: bool,
}

impl Reader {
    fn add_diagnostic(
        &mut self,
        severity: Severity,
        at: (u32, u32),
        message: String,
        help: Option<String>,
    ) {
        self.job
            .diagnostics
            .push(Diagnostic::new(severity, (at.0, at.1), message).maybe_help(help));
    }

    fn error(&mut self, at: (u32, u32), message: String) {
        self.add_diagnostic(Severity::Error, at, message, None);
    }

    /// Extends the current step to this line.
    fn reach(&mut self, line: usize) {
        if let Some(step) = self.job.steps.last_mut() {
            step.last_line = line as u32;
        }
    }

    fn card(&mut self, card: JclStatement, lines: &[&str], at: &mut usize) {
        let operation = card.operation.to_ascii_uppercase();
        // A statement that is not read has operands of its own form.
        if matches!(operation.as_str(), "JOB" | "EXEC" | "DD") {
            if let Some((line, column, message)) = card.broken {
                self.error((line, column), message.to_owned());
            }
            for operand in &card.operands {
                self.symbols(operand);
            }
        }
        let here = (card.line, card.column);
        if !card.name.is_empty() && !is_name(&card.name) {
            let help = "a letter, $, # or @, then up to seven of these or digits".to_owned();
            let message = format!("{} is not a valid name", card.name);
            self.add_diagnostic(Severity::Error, (card.line, 3), message, Some(help));
        }
        match operation.as_str() {
            "JOB" => self.job_card(card),
            "EXEC" => self.exec(card),
            "DD" => self.dd(card, lines, at),
            "" => self.error(here, "the operation after the name is missing".to_owned()),
            other if card.name.is_empty() && other.contains('=') => {
                let help = "to continue a statement, end the previous line with a comma";
                let message = format!("{other} is not an operation; expected JOB, EXEC or DD");
                self.add_diagnostic(Severity::Error, here, message, Some(help.to_owned()));
            }
            other => {
                let help =
                    "JOB, EXEC PGM= and DD are read; procedures, SET and IF are not".to_owned();
                let message = format!("{other} is not supported");
                self.add_diagnostic(Severity::Error, here, message, Some(help));
            }
        }
    }

    /// Symbolic parameters have no values here; two ampersands name a data set
    /// of this job.
    fn symbols(&mut self, operand: &JclOperand) {
        let text = operand.value.replace("&&", "");
        let is_noted = ["NOTIFY", "USER", "PASSWORD"];
        let passed = operand
            .keyword
            .as_deref()
            .is_some_and(|key| is_noted.contains(&key));
        // An ampersand before no name is a character.
        let mut names = text.split('&').skip(1).map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
            &rest[..end.unwrap_or(rest.len())]
        });
        if let Some(name) = names.find(|name| !name.is_empty() && !passed) {
            let help = format!("set its value with --set '&{name}=TEXT'");
            let message = format!("the symbol &{name} has no value");
            self.add_diagnostic(
                Severity::Error,
                (operand.line, operand.column),
                message,
                Some(help),
            );
        }
    }

    fn job_card(&mut self, card: JclStatement) {
        if std::mem::replace(&mut self.has_job, true) {
            let help = Some("one job a file".to_owned());
            let message = "a second JOB statement".to_owned();
            return self.add_diagnostic(Severity::Error, (card.line, card.column), message, help);
        }
        self.job.name = card.name;
        for operand in &card.operands {
            if operand.keyword.as_deref() == Some("COND") {
                self.job.cond = self.cond(operand).0;
            }
        }
    }

    fn exec(&mut self, card: JclStatement) {
        let mut step = JclStep {
            name: card.name.clone(),
            line: card.line,
            column: card.column,
            last_line: card.line,
            ..JclStep::default()
        };
        for operand in &card.operands {
            let at = (operand.line, operand.column);
            match operand.keyword.as_deref() {
                Some("PGM") => {
                    step.program = unquoted(&operand.value).to_ascii_uppercase();
                    (step.line, step.column) = at;
                }
                Some("PARM") => {
                    let text = parm(&operand.value);
                    if text.len() > MOST_PARM {
                        let help = "put it into its own file and read that".to_owned();
                        let message =
                            format!("PARM has {} bytes and may have {MOST_PARM}", text.len());
                        self.add_diagnostic(Severity::Error, at, message, Some(help));
                    }
                    step.parm = Some(text);
                }
                Some("COND") => {
                    (step.cond, step.after_abend) = self.cond(operand);
                    self.steps_of(&step.cond, at);
                }
                Some(key) if EXEC_ACCEPTED.contains(&key) => {}
                Some("PROC") | None => {
                    let help =
                        Some("write EXEC PGM=NAME for each step of the procedure".to_owned());
                    let message = "procedures are not supported".to_owned();
                    self.add_diagnostic(Severity::Error, at, message, help);
                }
                Some(key) => {
                    let message = format!("{key} is passed over");
                    self.add_diagnostic(Severity::Warning, at, message, None);
                }
            }
        }
        let procedure = |o: &JclOperand| matches!(o.keyword.as_deref(), None | Some("PROC"));
        if step.program.is_empty() && !card.operands.iter().any(procedure) {
            self.error((card.line, card.column), "EXEC names no program".to_owned());
        }
        if !self.has_job {
            self.error((card.line, card.column), "EXEC before JOB".to_owned());
        }
        self.job.steps.push(step);
    }

    /// A test names a step before its own.
    fn steps_of(&mut self, tests: &[CondTest], at: (u32, u32)) {
        for name in tests.iter().filter_map(|test| test.step.as_ref()) {
            if !self.job.steps.iter().any(|step| step.name == *name) {
                let message =
                    format!("COND refers to the step {name}, but no earlier step has this name");
                self.error(at, message);
            }
        }
    }

    /// COND's tests; a mistake in one is reported.
    fn cond(&mut self, operand: &JclOperand) -> (Vec<CondTest>, AfterAbend) {
        let (mut tests, mut after) = (Vec::new(), AfterAbend::No);
        let list = parts(&operand.value);
        let is_one = list.first().is_some_and(|part| part.parse::<u32>().is_ok());
        let each = if is_one {
            vec![operand.value.clone()]
        } else {
            list
        };
        for text in each {
            let words = parts(&text);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            match (words.as_slice(), test(&words)) {
                (["EVEN"], _) => after = AfterAbend::Even,
                (["ONLY"], _) => after = AfterAbend::Only,
                (_, Some(test)) => tests.push(test),
                _ => {
                    let at = (operand.line, operand.column);
                    let help = Some("write (CODE,OPERATOR) or (CODE,OPERATOR,STEP)".to_owned());
                    let message = format!("{text:?} is not a test of a condition code");
                    self.add_diagnostic(Severity::Error, at, message, help);
                }
            }
        }
        (tests, after)
    }

    fn dd(&mut self, card: JclStatement, lines: &[&str], at: &mut usize) {
        let here = (card.line, card.column);
        let part = self.part(&card, lines, at);
        let Some(step) = self.job.steps.last_mut() else {
            // A DD without a name adds a library to the previous DD.
            let named = LIBRARIES.contains(&card.name.as_str());
            self.has_libraries |= named;
            let library = card.name.is_empty() && self.has_libraries;
            if !named && !library {
                self.error(here, format!("DD {} before the first EXEC", card.name));
            }
            return;
        };
        if card.name.is_empty() {
            match step.dds.last_mut() {
                Some(dd) if LIBRARIES.contains(&dd.name.as_str()) => {}
                Some(dd) => dd.parts.push(part),
                None => self.error(
                    here,
                    "a DD without a name must follow another DD".to_owned(),
                ),
            }
            return;
        }
        let name = card.name.to_ascii_uppercase();
        if step.dds.iter().any(|dd| dd.name == name) {
            return self.error(here, format!("the step already has a DD {name}"));
        }
        let part = if LIBRARIES.contains(&name.as_str()) {
            DdPart::Dummy
        } else {
            part
        };
        step.dds.push(DdConcatenation {
            name,
            line: card.line,
            parts: vec![part],
        });
    }

    /// The data set of a DD; in-stream data are taken from the job's lines.
    fn part(&mut self, card: &JclStatement, lines: &[&str], at: &mut usize) -> DdPart {
        let value = |key: &str| {
            let mut all = card.operands.iter();
            all.find(|o| o.keyword.as_deref() == Some(key))
                .map(|o| o.value.clone())
        };
        let mut part = None;
        for operand in &card.operands {
            let place = (operand.line, operand.column);
            let found = match (operand.keyword.as_deref(), operand.value.as_str()) {
                (None, "*") => Some(self.lines(card, lines, at, value("DLM"), false)),
                (None, "DATA") => Some(self.lines(card, lines, at, value("DLM"), true)),
                (None, "DUMMY") => Some(DdPart::Dummy),
                (Some("SYSOUT"), _) => Some(DdPart::Output),
                (Some("DSN" | "DSNAME"), "") => {
                    self.error(place, "DSN names no data set".to_owned());
                    None
                }
                (Some("DSN" | "DSNAME"), name) => {
                    Some(self.data_set(unquoted(name), &card.operands))
                }
                (Some(key), _) if DD_ACCEPTED.contains(&key) => None,
                (key, value) => {
                    let what = key.unwrap_or(value).to_owned();
                    self.error(place, format!("{what} is not supported in a DD"));
                    None
                }
            };
            part = part.or(found);
        }
        part.unwrap_or_else(|| {
            let library = LIBRARIES.contains(&card.name.as_str());
            let temporary = value("SPACE").or_else(|| value("UNIT")).is_some();
            if !library && !temporary && card.operands.is_empty() {
                let message = format!("DD {} has no operands", card.name);
                self.error((card.line, card.column), message);
            }
            if temporary {
                DdPart::DataSet {
                    name: format!("&&{}", card.name),
                    status: Status::New,
                    normal: DataSetDisposition::Delete,
                    abnormal: DataSetDisposition::Delete,
                }
            } else {
                DdPart::Dummy
            }
        })
    }

    /// The lines of data after a DD. With DLM the data end at its delimiter and
    /// may contain JCL.
    fn lines(
        &mut self,
        card: &JclStatement,
        lines: &[&str],
        at: &mut usize,
        delimiter: Option<String>,
        is_data: bool,
    ) -> DdPart {
        let delimiter = delimiter.map(|text| unquoted(&text));
        if let Some(delimiter) = delimiter.as_ref().filter(|d| d.chars().count() != 2) {
            let message = format!("DLM={delimiter} has not two characters");
            self.error((card.line, card.column), message);
        }
        let (text, is_ended) = data(lines, at, delimiter.as_deref(), is_data);
        if let Some(delimiter) = delimiter.filter(|_| !is_ended) {
            let help = format!("{delimiter} in columns 1 and 2 ends it");
            let message = format!("the data of DD {} has no end", card.name);
            let place = (card.line, card.column);
            self.add_diagnostic(Severity::Error, place, message, Some(help));
        }
        DdPart::Lines(text)
    }

    fn data_set(&mut self, name: String, operands: &[JclOperand]) -> DdPart {
        let disp = operands
            .iter()
            .find(|o| o.keyword.as_deref() == Some("DISP"));
        let words = disp.map(|o| parts(&o.value)).unwrap_or_default();
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        let status = match word(0) {
            "" | "NEW" => Status::New,
            "OLD" | "SHR" => Status::Old,
            "MOD" => Status::Mod,
            // Its parenthesis is not closed, which is reported.
            other if other.starts_with('(') => Status::Old,
            other => {
                let at = disp.map_or((1, 1), |o| (o.line, o.column));
                self.error(at, format!("DISP={other} is not NEW, OLD, SHR or MOD"));
                Status::Old
            }
        };
        for (place, allowed) in [
            (
                1,
                ["", "DELETE", "KEEP", "PASS", "CATLG", "UNCATLG"].as_slice(),
            ),
            (2, ["", "DELETE", "KEEP", "CATLG", "UNCATLG"].as_slice()),
        ] {
            if !allowed.contains(&word(place)) {
                let at = disp.map_or((1, 1), |o| (o.line, o.column));
                let allowed = allowed[1..].join(", ");
                let message = format!("{} in DISP is not one of {allowed}", word(place));
                self.error(at, message);
            }
        }
        let after = |word: &str, unsaid| match word {
            "" => unsaid,
            "DELETE" => DataSetDisposition::Delete,
            "PASS" => DataSetDisposition::Pass,
            _ => DataSetDisposition::Keep,
        };
        let unsaid = match status {
            Status::New => DataSetDisposition::Delete,
            Status::Old | Status::Mod => DataSetDisposition::Usual,
        };
        let normal = after(word(1), unsaid);
        let abnormal = after(word(2), normal);
        if name.contains('(') {
            let at = operands.first().map_or((1, 1), |o| (o.line, o.column));
            self.error(
                at,
                format!("{name}: members and generations are not supported"),
            );
        }
        DdPart::DataSet {
            name,
            status,
            normal,
            abnormal,
        }
    }
}

/// Lines of data up to their end, each ended by a line feed, and whether the end
/// is there.
fn data(lines: &[&str], at: &mut usize, delimiter: Option<&str>, is_data: bool) -> (String, bool) {
    let delimiter = delimiter.filter(|d| !d.is_empty());
    let ends = |line: &str| match delimiter {
        Some(delimiter) => line.starts_with(delimiter),
        None if is_data => line.starts_with("/*"),
        None => line.starts_with("//") || line.trim_end() == "/*",
    };
    let mut text = String::new();
    while let Some(line) = lines.get(*at) {
        if ends(line) {
            // A delimiter belongs to the data; a statement does not.
            *at += usize::from(delimiter.is_some() || line.starts_with("/*"));
            return (text, true);
        }
        text.push_str(line);
        text.push('\n');
        *at += 1;
    }
    (text, false)
}

/// Whether a name is a valid JCL name. It may have a second part after a period.
fn is_name(name: &str) -> bool {
    name.split('.').all(|part| {
        let mut characters = part.chars();
        let national = |c: char| "$#@".contains(c);
        let begins = |c: char| c.is_ascii_alphabetic() || national(c);
        characters.next().is_some_and(begins)
            && part.len() <= 8
            && characters.all(|c| c.is_ascii_alphanumeric() || national(c))
    })
}

/// `CODE,OPERATOR` or `CODE,OPERATOR,STEP`.
fn test(words: &[&str]) -> Option<CondTest> {
    let (code, operator, step) = match words {
        [code, operator] => (code, operator, None),
        [code, operator, step] => (code, operator, Some((*step).to_owned())),
        _ => return None,
    };
    Some(CondTest {
        code: code.parse().ok().filter(|code| *code <= 4095)?,
        operator: match *operator {
            "GT" => CondOperator::Greater,
            "GE" => CondOperator::GreaterOrEqual,
            "EQ" => CondOperator::Equal,
            "NE" => CondOperator::NotEqual,
            "LT" => CondOperator::Less,
            "LE" => CondOperator::LessOrEqual,
            _ => return None,
        },
        step,
    })
}

/// PARM: one text, or several in parentheses with commas between them. Two
/// ampersands are one.
///
/// Reference: z/OS MVS JCL Reference, "PARM parameter", "Coding symbols in
/// apostrophes".
fn parm(value: &str) -> String {
    let texts: Vec<String> = if value.starts_with('(') {
        parts(value).iter().map(|part| unquoted(part)).collect()
    } else {
        vec![unquoted(value)]
    };
    texts.join(",").replace("&&", "&")
}
