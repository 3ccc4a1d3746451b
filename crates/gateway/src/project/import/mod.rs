//! A new API project from copybooks and the name of a program.
//!
//! The result is an ordinary project of the same shape as those that are
//! loaded: an OpenAPI document, an asset with its copybooks and schemas, and
//! the mappings of one operation. Users edit it, and [`update`]
//! applies later changes of the copybooks without touching edited files.

mod archive;
mod body;
mod choice;
mod conditions;
mod document;
mod mappings;
mod member;
mod overrides;
mod update;
mod usage;
mod write;

use super::asset::same_name;
use super::folder_name;
use super::origin::SOURCES;
use super::record::Record;
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
pub use archive::{
    FromArchives, RequesterArchive, fuzz_archive, import_archives, requester_archive,
};
use body::Body;
use choice::ChoiceCase;
pub use choice::RedefineChoice;
use copybook::{CopyFolders, ParseOptions, RecordLayout};
pub use overrides::{BooleanField, DateField, FieldOverrides};
use std::path::{Path, PathBuf};
pub use update::{ProjectUpdate, program_source, program_text, update};

/// A copybook of a program to import.
#[derive(Debug, Clone)]
pub struct ImportBook {
    /// The file that it was read from, for messages.
    pub file: PathBuf,
    /// The container it describes; not needed for a COMMAREA; the record's name
    /// by default.
    pub container: Option<String>,
    /// Its text.
    pub text: String,
    /// Its path from the application folder, so that its changes are noticed;
    /// `None` if they are not checked.
    pub source: Option<PathBuf>,
}

/// The parameters of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportRequest {
    /// Name of the API; its base path too.
    pub name: String,
    /// Program.
    pub program: String,
    /// Transaction to run it under.
    pub transid: Option<String>,
    /// Containers of a channel instead of a COMMAREA.
    pub channel: bool,
    /// How COBOL names are spelt in JSON.
    pub names: ImportNames,
    /// The treatment of REDEFINES.
    pub redefines: Redefines,
    /// The meanings of fields beyond their types.
    pub overrides: FieldOverrides,
    /// Folders of COPY members.
    pub copies: Vec<PathBuf>,
    /// Whether DECIMAL-POINT IS COMMA; without it what the program's text says.
    pub decimal_comma: Option<bool>,
    /// The program's text: if one record is request and response, the text shows the
    /// direction of each field.
    pub program_text: Option<String>,
    /// The copybooks of the input.
    pub request: Vec<ImportBook>,
    /// The copybooks of the output; for a COMMAREA that is the same both ways,
    /// the same copybook.
    pub response: Vec<ImportBook>,
}

impl ImportRequest {
    /// Whether pictures have a comma for their decimal point.
    fn comma(&self) -> bool {
        let program = self.program_text.as_deref();
        let said = || program.is_some_and(copybook::has_decimal_comma);
        self.decimal_comma.unwrap_or_else(said)
    }
}

/// How COBOL names are spelt in JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportNames {
    /// The style.
    pub style: NameStyle,
    /// The prefix that is removed from names; several are separated by commas.
    pub prefix: Option<String>,
}

/// Styles of names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NameStyle {
    /// `ACCT-BALANCE` is `acct_balance`.
    #[default]
    Snake,
    /// `acctBalance`.
    Camel,
    /// `ACCT-BALANCE`.
    Kept,
}

/// The treatment of storage that has several descriptions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Redefines {
    /// The first one is in the bodies.
    #[default]
    First,
    /// All of them: a request has one of them, and a response has those that
    /// are text, which can always be read.
    All,
    /// The one that a field's value says, with a response for each value; a
    /// request gives any of them. Other items have their first description.
    ByValue(RedefineChoice),
}

impl NameStyle {
    fn word(self) -> &'static str {
        match self {
            NameStyle::Snake => "snake",
            NameStyle::Camel => "camel",
            NameStyle::Kept => "kept",
        }
    }

    fn by_word(word: &str) -> NameStyle {
        match word {
            "camel" => NameStyle::Camel,
            "kept" => NameStyle::Kept,
            _ => NameStyle::Snake,
        }
    }
}

impl Redefines {
    fn word(&self) -> String {
        match self {
            Redefines::First => "first".into(),
            Redefines::All => "all".into(),
            Redefines::ByValue(choice) => choice.word(),
        }
    }

    fn by_word(word: &str) -> Redefines {
        match word {
            "all" => Redefines::All,
            word => RedefineChoice::parse(word).map_or(Redefines::First, Redefines::ByValue),
        }
    }

    fn choice(&self) -> Option<&RedefineChoice> {
        match self {
            Redefines::ByValue(choice) => Some(choice),
            Redefines::First | Redefines::All => None,
        }
    }
}

impl ImportNames {
    /// A COBOL name in JSON.
    fn spell(&self, name: &str) -> String {
        let mut prefixes = self.prefix.iter().flat_map(|p| p.split(',')).map(str::trim);
        let short = prefixes.find_map(|prefix| {
            let head = name.get(..prefix.len())?;
            let rest = name[prefix.len()..].trim_start_matches('-');
            let found = !prefix.is_empty() && head.eq_ignore_ascii_case(prefix);
            (found && !rest.is_empty()).then_some(rest)
        });
        let name = short.unwrap_or(name);
        let mut spelt = match self.style {
            NameStyle::Snake => name.to_ascii_lowercase().replace('-', "_"),
            NameStyle::Kept => name.to_ascii_uppercase(),
            NameStyle::Camel => {
                let mut parts = name.split(['-', '_']).filter(|p| !p.is_empty());
                let first = parts.next().unwrap_or_default().to_ascii_lowercase();
                parts.fold(first, |mut all, part| {
                    let mut letters = part.chars();
                    all.extend(letters.next().map(|first| first.to_ascii_uppercase()));
                    all.extend(letters.map(|letter| letter.to_ascii_lowercase()));
                    all
                })
            }
        };
        if spelt.starts_with(|c: char| c.is_ascii_digit()) {
            spelt.insert(0, '_');
        }
        spelt
    }
}

/// A file of the new project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFile {
    /// Its path, from the project's folder.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// A project in its files.
#[derive(Debug, Clone)]
pub struct ImportedProject {
    /// The files of the project.
    pub files: Vec<ImportedFile>,
    /// Paths of the generated copybooks, which users should not edit.
    generated: Vec<PathBuf>,
    /// The record of each copybook.
    layouts: Vec<RecordLayout>,
    /// A request body to try, as JSON.
    pub sample: String,
    /// Redefinitions without a part in the bodies.
    pub left_out: Vec<String>,
    /// Fields whose conditions name some values, which limit no body.
    pub open_values: Vec<String>,
    /// Assumptions that may be wrong.
    pub warnings: ProjectDiagnostics,
}

/// Makes the files of a project: one operation, POST on the base path.
///
/// # Errors
/// All faults of the copybooks and of the names.
pub fn import(import: &ImportRequest) -> Result<ImportedProject, ProjectDiagnostics> {
    let mut out = ProjectDiagnostics::default();
    let request = areas(&import.request, import, &mut out);
    let response = areas(&import.response, import, &mut out);
    check_names(import, &mut out);
    let layouts: Vec<&RecordLayout> = response.iter().map(|a| a.record.layout()).collect();
    let choice = import.redefines.choice();
    if let Some((fault, help)) = choice.and_then(|choice| choice.faults(&layouts)) {
        let at = FilePosition::default();
        out.error_help(Path::new("--redefines-by"), at, fault, help);
    }
    let both = request.iter().chain(&response);
    let all: Vec<&RecordLayout> = both.map(|a| a.record.layout()).collect();
    for fault in import.overrides.faults(&all) {
        let names = all.iter().flat_map(|layout| layout.iter());
        let mut names: Vec<&str> = names.filter_map(|(_, f)| f.name.as_deref()).collect();
        names.dedup();
        names.truncate(MOST_NAMES);
        let help = format!("FIELD is a name of the copybook: {}", names.join(", "));
        out.error_help(
            Path::new("--boolean, --date, --set-by-program"),
            FilePosition::default(),
            fault,
            help,
        );
    }
    if out.has_errors() {
        return Err(out);
    }
    let program = import.program.to_ascii_uppercase();
    let root = if import.channel {
        "channel"
    } else {
        "commarea"
    };
    let shared = !import.channel
        && request.len() == 1
        && response.len() == 1
        && request[0].text == response[0].text;
    let bodies = (
        Body::new(&request, import, true, shared, None),
        Body::new(&response, import, false, shared, None),
    );
    let cases = request_cases(import, &request, shared);
    let main = Path::new("src/main");
    let asset = main.join("zosAssets").join(&program);
    let copies = asset.join("providerFiles/gen");
    let operation = main.join("operations").join(folder_name("/")).join("post");
    let mut made = ImportedProject {
        files: Vec::new(),
        generated: Vec::new(),
        layouts: request
            .iter()
            .chain(&response)
            .map(|a| a.record.layout().clone())
            .collect(),
        sample: cases
            .first()
            .map_or(&bodies.0, |(_, body)| body)
            .sample()
            .to_string(),
        left_out: bodies
            .0
            .left_out
            .iter()
            .chain(&bodies.1.left_out)
            .cloned()
            .collect(),
        open_values: open_values(import, &all),
        warnings: out,
    };
    made.left_out.sort();
    made.left_out.dedup();
    made.add(
        main.join("api/openapi.yaml"),
        document::openapi(import, &bodies.0, &cases, &bodies.1),
    );
    made.add(main.join("config/options.yaml"), document::options(import));
    made.add(
        asset.join("zosAsset.yaml"),
        document::asset(import, &program),
    );
    let mut origins = Vec::new();
    for (direction, areas) in [("request", &request), ("response", &response)] {
        for (i, area) in areas.iter().enumerate() {
            let name = format!("{}_{direction}_{i}.cpy", area.name);
            origins.push((name.clone(), area.source.clone()));
            made.generate(copies.join(name), area.text.clone());
        }
        let schema = document::asset_schema(root, areas, import);
        let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
        made.generate(copies.join(format!("{direction}Schema.json")), text);
    }
    if let Some(text) = document::sources(import, &origins) {
        made.generate(asset.join(SOURCES), text);
    }
    let asset = format!("---\nversion: 1\nzasset: \"{program}\"\n");
    made.add(operation.join("operation.yaml"), asset);
    made.add(
        operation.join("request.yaml"),
        mappings::request(&bodies.0, root),
    );
    let mut conditions = String::from("---\nversion: 1.0\n");
    for (file, condition, variant) in responses(import, &response, root) {
        let body = Body::new(&response, import, false, shared, variant.as_deref());
        made.add(operation.join(&file), mappings::response(&body, root));
        let condition = write::yaml(&condition);
        conditions += &format!("{file}:\n  condition: {condition}\n  httpStatusCode: 200\n");
    }
    made.add(operation.join("response_mapping.yaml"), conditions);
    Ok(made)
}

/// The fields whose conditions name some values, each once.
fn open_values(import: &ImportRequest, layouts: &[&RecordLayout]) -> Vec<String> {
    if import.overrides.enums {
        return Vec::new();
    }
    let fields = layouts.iter().flat_map(|layout| layout.iter());
    let open = fields.filter(|(_, field)| conditions::names_some_values(field));
    let mut names: Vec<String> = open.filter_map(|(_, field)| field.name.clone()).collect();
    names.sort();
    names.dedup();
    names
}

/// The requests, one for each description that a value chooses.
fn request_cases(
    import: &ImportRequest,
    areas: &[AreaSource],
    shared: bool,
) -> Vec<(ChoiceCase, Body)> {
    let Some(choice) = import.redefines.choice() else {
        return Vec::new();
    };
    let fits = areas
        .iter()
        .any(|a| choice.faults(&[a.record.layout()]).is_none());
    if !fits {
        return Vec::new();
    }
    let cases = choice.by_description().into_iter();
    cases
        .map(|case| {
            let body = Body::of_case(areas, import, shared, choice, &case);
            (case, body)
        })
        .collect()
}

/// The responses: file, condition, and the description of redefined storage
/// that each shows.
fn responses(
    import: &ImportRequest,
    areas: &[AreaSource],
    root: &str,
) -> Vec<(String, String, Option<String>)> {
    let usual = "$not($exists($zosAssetResponse.abendCode))".to_owned();
    let one = || vec![("response_200.yaml".to_owned(), usual, None)];
    let Some(choice) = import.redefines.choice() else {
        return one();
    };
    let has = |a: &&AreaSource| choice.faults(&[a.record.layout()]).is_none();
    let Some(area) = areas.iter().find(has) else {
        return one();
    };
    let layout = area.record.layout();
    let container = if import.channel {
        format!(".\"{}\"", area.name)
    } else {
        String::new()
    };
    let path = format!("$zosAssetResponse.{root}{container}.\"{}\"", layout.name());
    let all = choice.conditions(layout, &path).into_iter().enumerate();
    let named = all.map(|(i, (name, condition))| {
        let file = format!("response_200_{}.yaml", i + 1);
        (file, condition, Some(name))
    });
    named.collect()
}

impl ImportedProject {
    fn add(&mut self, path: PathBuf, text: String) {
        self.files.push(ImportedFile { path, text });
    }

    fn generate(&mut self, path: PathBuf, text: String) {
        self.generated.push(path.clone());
        self.add(path, text);
    }
}

fn check_names(import: &ImportRequest, out: &mut ProjectDiagnostics) {
    let at = FilePosition::default();
    if !valid_name(&import.program, 8) {
        let message = format!("{:?} is not a valid program name", import.program);
        let help = "use 1 to 8 letters, digits, @, # and $";
        out.error_help(Path::new("--program"), at, message, help);
    }
    if let Some(transid) = &import.transid
        && !valid_name(transid, 4)
    {
        let message = format!("{transid:?} is not a valid transaction id");
        out.error_help(
            Path::new("--transid"),
            at,
            message,
            "use 1 to 4 letters, digits, @, # and $",
        );
    }
    if let Some(transid) = import
        .transid
        .as_deref()
        .filter(|t| t.to_ascii_uppercase().starts_with('C'))
    {
        let message = format!("{transid}: transaction ids that begin with C are reserved for CICS");
        out.warn(Path::new("--transid"), at, message);
    }
}

/// Names of fields that are listed.
const MOST_NAMES: usize = 12;

/// One record with its place in the asset.
struct AreaSource {
    name: String,
    text: String,
    /// The path of its copybook, from the application folder.
    source: Option<String>,
    record: Record,
}

fn areas(
    books: &[ImportBook],
    import: &ImportRequest,
    out: &mut ProjectDiagnostics,
) -> Vec<AreaSource> {
    let mut areas: Vec<AreaSource> = Vec::new();
    for book in books {
        let Some(text) = with_members(book, import, out) else {
            continue;
        };
        let alone = |text: &str| {
            if import.comma() {
                copybook::with_decimal_comma(text)
            } else {
                text.to_owned()
            }
        };
        let Some(record) = Record::parse(&book.file, &alone(&text), out) else {
            continue;
        };
        let own = record.layout().name().to_string();
        let name = match (&book.container, import.channel) {
            (Some(container), true) => container.clone(),
            _ => own,
        };
        let at = FilePosition::default();
        if import.channel && (name.is_empty() || name.len() > 16) {
            let message = format!("{name:?} is not a valid container name: use 1 to 16 characters");
            out.error(&book.file, at, message);
        }
        if areas.iter().any(|a| same_name(&a.name, &name)) {
            out.error(&book.file, at, format!("{name} is described twice"));
        }
        let source = book.source.as_ref().map(|path| path.display().to_string());
        let text = alone(&with_level_01(
            &text,
            record.layout().name(),
            import.comma(),
        ));
        areas.push(AreaSource {
            name,
            text,
            source,
            record,
        });
    }
    if !import.channel && areas.len() > 1 {
        let help = "name one copybook a direction, or import the program with a channel";
        let message = "a COMMAREA has one record each way";
        out.error_help(&books[1].file, FilePosition::default(), message, help);
    }
    areas
}

/// The text with the 01 level that it lacks: a copybook that begins below it
/// is named by its file, and the project's file has another name.
fn with_level_01(text: &str, record: &str, decimal_comma: bool) -> String {
    let options = copybook::ParseOptions {
        source_name: "no-name-of-its-own",
        decimal_comma,
        ..copybook::ParseOptions::default()
    };
    let own = copybook::parse(text, &options)
        .is_ok_and(|layouts| layouts.first().is_some_and(|l| l.name() == record));
    if own {
        return text.to_owned();
    }
    let margin = match copybook::ReferenceFormat::detect(text) {
        copybook::ReferenceFormat::Free => "",
        _ => "       ",
    };
    format!("{margin}01  {record}.\n{text}")
}

/// The text of a copybook with its COPY members in it: an asset's copybook is
/// self-contained. Errors are reported where the text is written, which may be
/// in a member.
fn with_members(
    book: &ImportBook,
    import: &ImportRequest,
    out: &mut ProjectDiagnostics,
) -> Option<String> {
    let own = book.file.parent().filter(|f| !f.as_os_str().is_empty());
    let own = own.unwrap_or(Path::new(".")).to_owned();
    let folders = CopyFolders::new(std::iter::once(own).chain(import.copies.iter().cloned()));
    let name = book.file.display().to_string();
    let options = ParseOptions {
        copy: &folders,
        source_name: &name,
        decimal_comma: import.comma(),
        ..ParseOptions::default()
    };
    let (faults, layouts) = match copybook::parse_with_warnings(&book.text, &options) {
        Ok(book) => (book.warnings, Some(book.layouts)),
        Err(faults) => (faults, None),
    };
    // One copybook may be both input and output.
    let before = out.0.len();
    faults.list.into_iter().for_each(|f| out.copybook(f));
    for layout in layouts.iter().flatten() {
        namesakes(layout, &book.file, out);
        unnamed_tables(layout, &book.file, out);
    }
    for fresh in out.0.split_off(before) {
        if !out.0.contains(&fresh) {
            out.0.push(fresh);
        }
    }
    layouts?;
    let upper = book.text.to_ascii_uppercase();
    let copies = upper
        .split_whitespace()
        .any(|word| matches!(word, "COPY" | "REPLACE"));
    if !copies {
        return Some(book.text.clone());
    }
    match copybook::expand(&book.text, &options) {
        // Columns 8 to 72 where every line fits, as other tools read it.
        Ok(free) if free.lines().all(|line| line.chars().count() <= 65) => Some(
            free.lines()
                .map(|line| format!("       {line}\n"))
                .collect(),
        ),
        Ok(free) => Some(format!("       >>SOURCE FORMAT IS FREE\n{free}")),
        Err(faults) => {
            faults.list.into_iter().for_each(|f| out.copybook(f));
            None
        }
    }
}

/// Warns of fields with the name of another field of the same group: a mapping
/// reaches the first only.
fn namesakes(layout: &RecordLayout, file: &Path, out: &mut ProjectDiagnostics) {
    for (id, group) in layout.iter() {
        let mut first: Vec<(&str, u32)> = Vec::new();
        let fields = group.children.iter().map(|child| &layout[*child]);
        for (name, field) in fields.filter_map(|f| Some((f.name.as_deref()?, f))) {
            match first.iter().find(|(known, _)| *known == name) {
                None => first.push((name, field.line)),
                Some((_, line)) => out.warn_help(
                    file,
                    FilePosition::default(),
                    format!(
                        "{} has {name} twice, in lines {line} and {}: the API has the first; the \
                         second one's bytes are not changed",
                        layout.path(id),
                        field.line
                    ),
                    Some("rename one of them, which changes no byte".into()),
                ),
            }
        }
    }
}

/// Reports tables without a name: a mapping cannot reach their fields.
fn unnamed_tables(layout: &RecordLayout, file: &Path, out: &mut ProjectDiagnostics) {
    for (id, field) in layout.iter() {
        if field.name.is_some() || field.occurs.is_none() {
            continue;
        }
        let names = choice::names_of(layout, id);
        if !names.is_empty() {
            out.warn_help(
                file,
                FilePosition::default(),
                format!(
                    "the table in line {} is FILLER, so {} {} not in the API",
                    field.line,
                    names.join(", "),
                    if names.len() == 1 { "is" } else { "are" },
                ),
                Some("name the table, which changes no byte".into()),
            );
        }
    }
}

fn valid_name(name: &str, longest: usize) -> bool {
    let known = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'@' | b'#' | b'$');
    (1..=longest).contains(&name.len()) && name.bytes().all(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelt_as_requested() {
        let spell = |style, prefix: Option<&str>, name: &str| {
            let prefix = prefix.map(str::to_owned);
            ImportNames { style, prefix }.spell(name)
        };
        assert_eq!(
            spell(NameStyle::Snake, None, "ACCT-BALANCE"),
            "acct_balance"
        );
        assert_eq!(
            spell(NameStyle::Camel, None, "ACCT-BALANCE-2"),
            "acctBalance2"
        );
        assert_eq!(
            spell(NameStyle::Camel, Some("acct-"), "ACCT-BALANCE"),
            "balance"
        );
        assert_eq!(spell(NameStyle::Camel, Some("ACCT"), "ACCT"), "acct");
        assert_eq!(spell(NameStyle::Kept, Some("WS"), "WS-1ST"), "_1ST");
        let two = Some("REQ-, RSP");
        assert_eq!(spell(NameStyle::Snake, two, "REQ-KEY"), "key");
        assert_eq!(spell(NameStyle::Snake, two, "RSP-CODE"), "code");
    }
}
