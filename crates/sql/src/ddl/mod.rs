//! Db2's definitions for PostgreSQL: what DSNTIAD and DSNTEP2 read.
//!
//! A text is cut into statements as DSNTIAD does: `*` in column 1 or 7 and `--`
//! begin comments, `;` ends a statement. Of card images only columns 1 to 72 count;
//! of other files whole lines do. Each is rewritten, or
//! left out with a note that names it: storage groups, table spaces, buffer
//! pools and their clauses have no meaning here.
//!
//! Reference: Db2 for z/OS SQL Reference, "CREATE TABLE", "CREATE INDEX",
//! "ALTER TABLE", "GRANT".

mod writer;

use crate::rewrite::{RewriteOptions, rewrite};
use crate::statement::Statement;
use crate::text::{NoHostVariables, SqlToken, StatementProblem, TokenKind, lex};
use crate::types::{Catalog, NoCatalog};

use writer::Writer;

/// The translation of a statement of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedStatement {
    /// Line that it begins on, from 1.
    pub line: u32,
    /// The statement as it is written.
    pub text: String,
    /// Statements for the server, in their order; `None` if it is left out.
    pub sql: Vec<String>,
    /// The parts of the statement that were left out.
    pub notes: Vec<String>,
    /// The statement's error.
    pub problem: Option<StatementProblem>,
}

/// A statement of a text that is not translated yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenStatement {
    /// Line that it begins on, from 1.
    pub line: u32,
    /// The statement as it is written.
    pub text: String,
    /// How it is to be translated, with the schema that SET CURRENT SQLID chose before it.
    options: RewriteOptions,
}

impl WrittenStatement {
    /// The translation with the types of tables. Statements before it may have made the
    /// tables, so it is for the moment before the statement runs: then constants for dates,
    /// truncation and decimal division are Db2's.
    #[must_use]
    pub fn translate(&self, catalog: &dyn Catalog) -> AppliedStatement {
        one(self.line, &self.text, &mut self.options.clone(), catalog)
    }
}

/// Columns of a card that hold text; a sequence number may follow.
const CARD_TEXT: usize = 72;
/// Columns of a card.
const CARD: usize = 80;

/// Whether the lines are card images: none is longer, and any characters after the text are
/// a sequence number.
fn is_cards(text: &str) -> bool {
    text.lines().map(str::trim_end).all(|line| {
        let rest: String = line.chars().skip(CARD_TEXT).collect();
        let digits = rest.chars().rev().take_while(char::is_ascii_digit).count();
        let is_sequence = digits >= 4 && !rest.trim_start().contains(' ');
        line.chars().count() <= CARD && (rest.is_empty() || is_sequence)
    })
}

/// The statements of a text, with the line that each begins on.
pub fn statements(text: &str) -> Vec<(u32, String)> {
    statements_ended_by(text, ';')
}

/// The same where another character than the semicolon ends a statement (SQLTERM). A
/// line `--#SET TERMINATOR c` chooses another one for what follows.
pub fn statements_ended_by(text: &str, mut terminator: char) -> Vec<(u32, String)> {
    let mut out = Vec::new();
    let mut current = String::new();
    let mut start = 1;
    let mut quote: Option<char> = None;
    let mut block = false;
    let columns = if is_cards(text) {
        CARD_TEXT
    } else {
        usize::MAX
    };
    for (number, line) in (1..).zip(text.lines()) {
        let line: String = line.chars().take(columns).collect();
        let is_comment = line.starts_with('*')
            || line.chars().nth(6) == Some('*') && line[..6].trim().is_empty();
        if quote.is_none() && !block && is_comment {
            continue;
        }
        if quote.is_none()
            && !block
            && let Some(chosen) = chosen_terminator(&line)
        {
            terminator = chosen;
            continue;
        }
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            let pair = (c, chars.peek().copied().unwrap_or(' '));
            if block {
                block = pair != ('*', '/');
                if !block {
                    chars.next();
                }
            } else if let Some(open) = quote {
                current.push(c);
                quote = (c != open).then_some(open);
            } else if pair == ('-', '-') {
                break;
            } else if pair == ('/', '*') {
                block = true;
                chars.next();
            } else if c == terminator {
                push(&mut out, start, &mut current);
            } else {
                if current.trim().is_empty() && !c.is_whitespace() {
                    start = number;
                }
                quote = matches!(c, '\'' | '"').then_some(c);
                current.push(c);
            }
        }
        current.push('\n');
    }
    push(&mut out, start, &mut current);
    out
}

/// The character of a line `--#SET TERMINATOR c`.
fn chosen_terminator(line: &str) -> Option<char> {
    let mut words = line.split_whitespace();
    let is_set = words.next()?.eq_ignore_ascii_case("--#SET");
    let is_terminator = is_set && words.next()?.eq_ignore_ascii_case("TERMINATOR");
    words.next().filter(|_| is_terminator)?.chars().next()
}

fn push(out: &mut Vec<(u32, String)>, line: u32, current: &mut String) {
    let text = std::mem::take(current);
    if !text.trim().is_empty() {
        out.push((line, text.trim().to_owned()));
    }
}

/// Rewrites every statement of a text.
pub fn apply(text: &str, options: &RewriteOptions) -> Vec<AppliedStatement> {
    let list = written(text, ';', options);
    list.iter().map(|s| s.translate(&NoCatalog)).collect()
}

/// The statements of a text, ended by a character, with the schema of each: SET CURRENT
/// SQLID and SET SCHEMA qualify the names of the statements after them.
pub fn written(text: &str, terminator: char, options: &RewriteOptions) -> Vec<WrittenStatement> {
    let mut options = options.clone();
    let list = statements_ended_by(text, terminator).into_iter();
    list.map(|(line, text)| {
        let statement = WrittenStatement {
            line,
            text,
            options: options.clone(),
        };
        let is_set = statement.text.get(..3);
        if is_set.is_some_and(|word| word.eq_ignore_ascii_case("SET"))
            && let Some(schema) = lex(&statement.text).ok().and_then(|t| chosen_schema(&t))
        {
            options.qualifier = Some(schema);
        }
        statement
    })
    .collect()
}

fn one(
    line: u32,
    text: &str,
    options: &mut RewriteOptions,
    catalog: &dyn Catalog,
) -> AppliedStatement {
    let mut applied = AppliedStatement {
        line,
        text: text.to_owned(),
        sql: Vec::new(),
        notes: Vec::new(),
        problem: None,
    };
    let result = lex(text).and_then(|tokens| match chosen_schema(&tokens) {
        Some(schema) => {
            applied
                .notes
                .push(format!("names without a schema are of schema {schema}"));
            options.qualifier = Some(schema);
            Ok(())
        }
        None => statement(&tokens, text, options, catalog, &mut applied),
    });
    applied.problem = result.err();
    applied
}

/// The schema of SET CURRENT SQLID = 'X', SET CURRENT SCHEMA = X and SET SCHEMA X. USER
/// and other special registers choose none.
fn chosen_schema(tokens: &[SqlToken]) -> Option<String> {
    const FORMS: &[&[&str]] = &[
        &["SET", "CURRENT", "SQLID"],
        &["SET", "CURRENT", "SCHEMA"],
        &["SET", "CURRENT_SCHEMA"],
        &["SET", "SCHEMA"],
    ];
    let form = FORMS.iter().find(|form| starts(tokens, form))?;
    let rest = &tokens[form.len()..];
    let rest = if rest.first()?.is_mark("=") {
        &rest[1..]
    } else {
        rest
    };
    let [name] = rest else {
        return None;
    };
    let is_name = match name.kind {
        TokenKind::Word => !name.is("USER") && form.last() != Some(&"SQLID"),
        TokenKind::Quoted | TokenKind::Text => true,
        _ => false,
    };
    let schema = name.text.trim();
    (is_name && !schema.is_empty()).then(|| schema.to_owned())
}

/// Statements that are read and left out.
const LEFT_OUT: &[&[&str]] = &[
    &["CREATE", "STOGROUP"],
    &["CREATE", "DATABASE"],
    &["CREATE", "TABLESPACE"],
    &["CREATE", "LOB", "TABLESPACE"],
    &["CREATE", "AUXILIARY"],
    &["CREATE", "LARGE", "TABLESPACE"],
    &["ALTER", "STOGROUP"],
    &["ALTER", "DATABASE"],
    &["ALTER", "TABLESPACE"],
    &["ALTER", "INDEX"],
    &["DROP", "STOGROUP"],
    &["DROP", "DATABASE"],
    &["DROP", "TABLESPACE"],
    &["GRANT", "USE", "OF"],
    &["GRANT", "DBADM"],
    &["GRANT", "CREATETAB"],
    &["GRANT", "BIND"],
    &["GRANT", "EXECUTE"],
    &["RUNSTATS"],
    &["REORG"],
    &["SET", "CURRENT"],
    &["SET", "SCHEMA"],
    &["LABEL"],
];

fn starts(tokens: &[SqlToken], words: &[&str]) -> bool {
    tokens.len() >= words.len() && tokens.iter().zip(words).all(|(t, w)| t.is(w))
}

/// GRANT and REVOKE of CREATEIN, ALTERIN and DROPIN ON SCHEMA with the server's one
/// privilege. Altering and dropping is the owner's there.
fn schema_grant(tokens: &[SqlToken]) -> Option<Vec<SqlToken>> {
    const PRIVILEGES: &[&str] = &["CREATEIN", "ALTERIN", "DROPIN"];
    let on = tokens.iter().position(|t| t.is("ON"))?;
    let is_privilege = |t: &SqlToken| t.is_mark(",") || t.is_any(PRIVILEGES);
    let fits = tokens[0].is_any(&["GRANT", "REVOKE"])
        && tokens.get(on + 1).is_some_and(|t| t.is("SCHEMA"))
        && tokens[1..on].iter().all(is_privilege)
        && tokens[1..on].iter().any(|t| t.is("CREATEIN"));
    if !fits {
        return None;
    }
    let mut create = tokens[1].clone();
    "CREATE".clone_into(&mut create.text);
    let mut out = vec![tokens[0].clone(), create];
    out.extend_from_slice(&tokens[on..]);
    Some(out)
}

/// CREATE and DROP of an ALIAS or SYNONYM: a view has its place.
fn alias(tokens: &[SqlToken]) -> Option<Vec<SqlToken>> {
    let verb = tokens.first()?.is_any(&["CREATE", "DROP"]);
    let at = tokens
        .iter()
        .take(3)
        .position(|t| t.is_any(&["ALIAS", "SYNONYM"]))?;
    if !verb || at == 0 || (at == 2 && !tokens[1].is("PUBLIC")) {
        return None;
    }
    let mut view = tokens[at].clone();
    "VIEW".clone_into(&mut view.text);
    let mut out = vec![tokens[0].clone(), view];
    out.extend_from_slice(&tokens[at + 1..]);
    Some(out)
}

/// The end of a view's query, and its check option as the server has it.
fn check_option(tokens: &[SqlToken]) -> (usize, &'static str) {
    const FORMS: &[(&[&str], &str)] = &[
        (&["WITH", "CHECK", "OPTION"], " WITH CASCADED CHECK OPTION"),
        (
            &["WITH", "CASCADED", "CHECK", "OPTION"],
            " WITH CASCADED CHECK OPTION",
        ),
        (
            &["WITH", "LOCAL", "CHECK", "OPTION"],
            " WITH LOCAL CHECK OPTION",
        ),
    ];
    let ends = |words: &[&str]| {
        let from = tokens.len().checked_sub(words.len());
        from.filter(|from| starts(&tokens[*from..], words))
    };
    let found = FORMS
        .iter()
        .find_map(|(words, text)| Some((ends(words)?, *text)));
    found.unwrap_or((tokens.len(), ""))
}

fn statement(
    tokens: &[SqlToken],
    text: &str,
    options: &RewriteOptions,
    catalog: &dyn Catalog,
    applied: &mut AppliedStatement,
) -> Result<(), StatementProblem> {
    if let Some(words) = LEFT_OUT.iter().find(|w| starts(tokens, w)) {
        applied
            .notes
            .push(format!("{} is left out", words.join(" ")));
        return Ok(());
    }
    if starts(tokens, &["COMMIT"]) || starts(tokens, &["ROLLBACK"]) {
        applied.sql.push(tokens[0].text.clone());
        return Ok(());
    }
    if let Some(tokens) = schema_grant(tokens) {
        return Writer::new(&tokens, options, applied).plain();
    }
    if let Some(tokens) = alias(tokens) {
        let mut writer = Writer::new(&tokens, options, applied);
        return if tokens[0].is("DROP") {
            writer.plain()
        } else {
            writer.alias()
        };
    }
    let mut writer = Writer::new(tokens, options, applied);
    if starts(tokens, &["CREATE", "TABLE"]) {
        return writer.create_table();
    }
    let index = tokens.iter().take(4).any(|t| t.is("INDEX"));
    if starts(tokens, &["CREATE"]) && index {
        return writer.create_index();
    }
    if starts(tokens, &["ALTER", "TABLE"]) {
        return writer.alter_table();
    }
    let plain = [
        &["DROP"][..],
        &["GRANT"],
        &["REVOKE"],
        &["CREATE", "SEQUENCE"],
        &["CREATE", "SCHEMA"],
        &["COMMENT", "ON"],
        &["TRUNCATE"],
    ];
    if plain.iter().any(|w| starts(tokens, w)) {
        return writer.plain();
    }
    let view = starts(tokens, &["CREATE", "VIEW"]);
    if view && let Some(at) = tokens.iter().position(|t| t.is("AS")) {
        let (end, check) = check_option(tokens);
        let query = text.get(tokens[at].end..tokens[end - 1].end);
        let sql = data(query.unwrap_or_default(), options, catalog)?;
        Writer::new(&tokens[..=at], options, applied).plain()?;
        if let Some(last) = applied.sql.last_mut() {
            last.push_str(&format!(" {sql}{check}"));
        }
        return Ok(());
    }
    applied.sql.push(data(text, options, catalog)?);
    Ok(())
}

/// INSERT, UPDATE, DELETE and queries.
fn data(
    text: &str,
    options: &RewriteOptions,
    catalog: &dyn Catalog,
) -> Result<String, StatementProblem> {
    let statement = Statement::parse_dynamic(text)?;
    let rewritten = rewrite(&statement, catalog, &NoHostVariables, options);
    rewritten
        .map(|r| r.sql)
        .map_err(|mut problems| problems.swap_remove(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sql(text: &str) -> Vec<String> {
        let list = apply(text, &RewriteOptions::default());
        list.into_iter()
            .flat_map(|a| {
                assert_eq!(a.problem, None, "{text}");
                a.sql
            })
            .collect()
    }

    #[test]
    fn text_ends_in_column_72_and_stars_are_comments() {
        let long = format!("{:<72}00010000", "DELETE FROM T");
        let text = format!(
            "* A COMMENT; WITH A SEMICOLON\n      * ANOTHER\n{long}\n  WHERE A = ';' -- x;\n;\nCOMMIT;"
        );
        let list = statements(&text);
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].0, 3);
        assert!(list[0].1.ends_with("WHERE A = ';'") && !list[0].1.contains("0001"));
    }

    #[test]
    fn lines_that_are_no_cards_count_whole() {
        let long = format!("INSERT INTO T VALUES({}); DELETE FROM T;", "1, ".repeat(30));
        assert_eq!(statements(&long).len(), 2);
        let text = format!("{:<70}AND B = 2;\nCOMMIT;", "DELETE FROM T WHERE A = 1");
        let list = statements(&text);
        assert!(list[0].1.ends_with("AND B = 2"), "{list:?}");
    }

    #[test]
    fn data_is_translated_with_the_types_of_its_table() {
        use crate::types::{SqlType, Table, TableColumn};
        let column = |name: &str, sql_type| TableColumn {
            name: name.to_owned(),
            sql_type,
            nullable: true,
            identity: false,
        };
        let tables = vec![Table {
            schema: Some("S".to_owned()),
            name: "T".to_owned(),
            columns: vec![
                column("D", SqlType::Date),
                column("N", SqlType::Decimal(5, 2)),
            ],
        }];
        let text = "SET CURRENT SQLID = 'S'; INSERT INTO T VALUES ('01.02.2026', 1.999);";
        let list = written(text, ';', &RewriteOptions::default());
        let typed = list[1].translate(&tables);
        assert_eq!(typed.problem, None);
        assert!(
            typed.sql[0].contains("2026-02-01") && typed.sql[0].contains("trunc"),
            "{:?}",
            typed.sql
        );
        assert_ne!(typed.sql, list[1].translate(&NoCatalog).sql);
    }

    #[test]
    fn storage_is_named_and_left_out() {
        let text = "CREATE STOGROUP S VOLUMES('*') VCAT X; CREATE TABLE DB1.T (A INTEGER NOT NULL GENERATED BY DEFAULT \
                    AS IDENTITY (START WITH 1, INCREMENT BY 1, CACHE 20), B CHAR(02) NOT NULL WITH DEFAULT, \
                    C VARCHAR(20), PRIMARY KEY(A)) IN DB1.TS CCSID EBCDIC NOT VOLATILE AUDIT NONE;";
        let list = apply(text, &RewriteOptions::default());
        assert_eq!(list[1].problem, None);
        assert_eq!(list[0].notes, ["CREATE STOGROUP is left out"]);
        assert!(list[1].notes.iter().any(|n| n == "CCSID is left out"));
        assert_eq!(
            list[1].sql.last().unwrap().as_str(),
            "CREATE TABLE \"DB1\".\"T\" (\"A\" integer NOT NULL GENERATED BY DEFAULT AS IDENTITY (START WITH 1 \
             INCREMENT BY 1 CACHE 20), \"B\" character(2) NOT NULL DEFAULT '', \"C\" db2.varchar_20, PRIMARY KEY (\"A\"))"
        );
    }

    #[test]
    fn indexes_keys_and_grants_keep_what_has_a_meaning() {
        assert_eq!(
            sql(
                "CREATE UNIQUE INDEX A.X ON A.T (K ASC, V DESC) USING STOGROUP S PRIQTY 48 ERASE NO CLUSTER BUFFERPOOL BP0 CLOSE NO"
            ),
            ["CREATE UNIQUE INDEX \"X\" ON \"A\".\"T\" (\"K\" ASC, \"V\" DESC)"]
        );
        assert_eq!(
            sql("ALTER TABLE T FOREIGN KEY FK (K) REFERENCES P ON DELETE CASCADE"),
            [
                "ALTER TABLE \"T\" ADD CONSTRAINT \"FK\" FOREIGN KEY (\"K\") REFERENCES \"P\" ON DELETE CASCADE"
            ]
        );
        assert_eq!(
            sql("GRANT CREATEIN, DROPIN ON SCHEMA A TO PUBLIC"),
            ["GRANT CREATE ON SCHEMA \"A\" TO PUBLIC"]
        );
        assert_eq!(
            sql("GRANT SELECT, DELETE ON TABLE A.T TO PUBLIC"),
            ["GRANT SELECT, DELETE ON TABLE \"A\".\"T\" TO PUBLIC"]
        );
        assert_eq!(
            sql("GRANT CREATEIN, DROPIN ON SCHEMA A TO PUBLIC"),
            ["GRANT CREATE ON SCHEMA \"A\" TO PUBLIC"]
        );
        assert_eq!(
            sql("GRANT DBADM ON DATABASE D TO PUBLIC"),
            Vec::<String>::new()
        );
        assert_eq!(
            sql("INSERT INTO T VALUES (1, '31.12.2026')"),
            ["INSERT INTO \"T\" VALUES (1, '31.12.2026')"]
        );
    }

    #[test]
    fn views_keep_their_check_option_and_aliases_are_views() {
        assert_eq!(
            sql("CREATE VIEW A.V AS SELECT K FROM A.T WHERE K > 1 WITH CHECK OPTION"),
            [
                "CREATE VIEW \"A\".\"V\" AS SELECT \"K\" FROM \"A\".\"T\" WHERE \"K\" > 1 WITH CASCADED CHECK OPTION"
            ]
        );
        assert_eq!(
            sql("CREATE ALIAS A.X FOR B.T; DROP ALIAS A.X"),
            [
                "CREATE VIEW \"A\".\"X\" AS SELECT * FROM \"B\".\"T\"",
                "DROP VIEW \"A\".\"X\""
            ]
        );
    }

    #[test]
    fn a_chosen_schema_qualifies_the_statements_after_it() {
        let text = "DELETE FROM T; SET CURRENT SQLID = 'GENA'; DELETE FROM T; SET SCHEMA OTHER; \
                    CREATE TABLE U (A INTEGER); SET CURRENT SQLID = USER;";
        let list = apply(text, &RewriteOptions::default());
        let last = |at: usize| list[at].sql.last().cloned().unwrap_or_default();
        assert_eq!(last(0), "DELETE FROM \"T\"");
        assert_eq!(last(2), "DELETE FROM \"GENA\".\"T\"");
        assert!(
            last(4).starts_with("CREATE TABLE \"OTHER\".\"U\""),
            "{}",
            last(4)
        );
        assert_eq!(list[1].notes, ["names without a schema are of schema GENA"]);
        assert_eq!(list[5].notes, ["SET CURRENT is left out"]);
    }

    #[test]
    fn another_character_ends_statements_where_one_is_chosen() {
        let text = "SELECT 1 FROM T;\n--#SET TERMINATOR #\nSELECT ';' FROM T;\n#\nCOMMIT#";
        let list = statements(text);
        let texts: Vec<&str> = list.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["SELECT 1 FROM T", "SELECT ';' FROM T;", "COMMIT"]);
        assert_eq!(statements_ended_by("A;B!C", '!').len(), 2);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(CREATE|ALTER|TABLE|INDEX|T|\\(|\\)|,|INTEGER|NOT|NULL|KEY|ON|'|;|\\*|\n| ){0,30}") {
            apply(&text, &RewriteOptions::default());
        }
    }
}
