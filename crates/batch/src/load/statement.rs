//! The statements of DSNUTILB's SYSIN.
//!
//! A utility begins with its name as the first word of a line. LOAD is read whole; others that
//! keep table spaces in order have no meaning here and are left out.

use copybook::CodePage;
use sql::{SqlToken, TokenKind, ddl, lex};

use super::{ConditionPlace, ConditionValue, FieldCondition, FieldKind, LoadField};

/// Utilities that are left out: there is nothing to do for them.
const LEFT_OUT: &[&str] = &[
    "RUNSTATS",
    "REORG",
    "QUIESCE",
    "COPY",
    "MODIFY",
    "REPAIR",
    "CHECK",
    "STOSPACE",
    "MERGECOPY",
    "OPTIONS",
    "REBUILD",
];
/// Utilities that are refused.
const REFUSED: &[&str] = &[
    "UNLOAD", "RECOVER", "TEMPLATE", "LISTDEF", "EXEC", "REPORT", "DIAGNOSE",
];
/// Options of LOAD without an effect here, with the number of words after them.
const IGNORED: &[(&str, usize)] = &[
    ("LOG", 1),
    ("NOCOPYPEND", 0),
    ("SHRLEVEL", 1),
    ("ERRDDN", 1),
    ("MAPDDN", 1),
    ("WORKDDN", 0),
    ("SORTDEVT", 1),
    ("SORTNUM", 1),
    ("SORTKEYS", 0),
    ("KEEPDICTIONARY", 0),
    ("REUSE", 0),
    ("COPYDDN", 0),
    ("RECOVERYDDN", 0),
    ("PREFORMAT", 0),
    ("NUMRECS", 1),
    ("FLOAT", 0),
    ("STATISTICS", 0),
    ("NOSUBS", 0),
    ("ENFORCE", 1),
    ("SORTCLUSTER", 1),
    ("DEFINEAUX", 1),
    ("BACKUP", 1),
    ("DRAIN_WAIT", 1),
    ("RETRY", 1),
    ("RETRY_DELAY", 1),
    ("PARALLEL", 0),
    ("FLASHCOPY", 1),
];
/// Options of STATISTICS, with the number of words after them and their list.
const STATISTICS: &[(&str, usize)] = &[
    ("TABLE", 0),
    ("INDEX", 0),
    ("COLUMN", 0),
    ("COLGROUP", 0),
    ("KEYCARD", 0),
    ("SAMPLE", 1),
    ("FREQVAL", 0),
    ("NUMCOLS", 1),
    ("COUNT", 1),
    ("HISTOGRAM", 0),
    ("NUMQUANTILES", 1),
    ("REPORT", 1),
    ("UPDATE", 1),
    ("HISTORY", 1),
    ("FORCEROLLUP", 1),
    ("INVALIDATECACHE", 1),
];

/// What LOAD is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadStatement {
    /// DD of the input: INDDN.
    pub input: String,
    /// DD of records that are not loaded: DISCARDDN.
    pub discards: String,
    /// Most records that may be discarded; 0 for any number.
    pub most_discards: u64,
    /// The table is emptied first: REPLACE.
    pub replaces: bool,
    /// The table may have rows: RESUME YES.
    pub resumes: bool,
    /// Code page that the statement names: EBCDIC, ASCII, CCSID.
    pub code_page: Option<CodePage>,
    /// Schema of the table, if it is named.
    pub schema: Option<String>,
    /// The table.
    pub table: String,
    /// The fields; empty for the default layout.
    pub fields: Vec<LoadField>,
    /// Options that are left out.
    pub left_out: Vec<String>,
}

/// A utility of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadItem {
    /// LOAD.
    Load(Box<LoadStatement>),
    /// One that is left out, by its name.
    LeftOut(String),
}

/// A statement cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LoadError(pub String);

/// The utilities of a text, in their order.
///
/// # Errors
/// One is not supported, or its syntax is wrong.
pub fn items(text: &str) -> Result<Vec<LoadItem>, LoadError> {
    let mut items = Vec::new();
    for (first, text) in ddl::statements(text) {
        let line = |at: usize| {
            let before = text.get(..at).unwrap_or_default().matches('\n').count();
            first.saturating_add(u32::try_from(before).unwrap_or(0))
        };
        let in_line = |at: usize, message: &str| LoadError(format!("line {}: {message}", line(at)));
        let tokens = lex(&text).map_err(|problem| in_line(problem.at, &problem.message))?;
        for tokens in utilities(&text, &tokens).map_err(|error| in_line(0, &error.0))? {
            let name = tokens[0].text.clone();
            if name == "LOAD" {
                let mut reader = LoadReader { tokens, at: 1 };
                let read = load(&mut reader);
                let at = reader.at.clamp(1, tokens.len()) - 1;
                let read = read.map_err(|error| in_line(tokens[at].at, &error.0))?;
                items.push(LoadItem::Load(Box::new(read)));
            } else {
                items.push(LoadItem::LeftOut(name));
            }
        }
    }
    Ok(items)
}

/// The tokens of each utility.
fn utilities<'t>(text: &str, tokens: &'t [SqlToken]) -> Result<Vec<&'t [SqlToken]>, LoadError> {
    let is_first = |token: &SqlToken| {
        let line = text[..token.at].rsplit('\n').next().unwrap_or_default();
        line.trim().is_empty()
    };
    let is_start = |token: &SqlToken| {
        let is_utility = token.is("LOAD") || token.is_any(LEFT_OUT) || token.is_any(REFUSED);
        is_utility && is_first(token)
    };
    let starts: Vec<usize> = (0..tokens.len())
        .filter(|at| is_start(&tokens[*at]))
        .collect();
    match tokens.first() {
        Some(first) if starts.first() != Some(&0) => {
            return Err(LoadError(format!("{} is not a utility", first.text)));
        }
        _ => {}
    }
    let mut parts = Vec::new();
    for (number, from) in starts.iter().enumerate() {
        let to = starts.get(number + 1).copied().unwrap_or(tokens.len());
        if tokens[*from].is_any(REFUSED) {
            let help = "LOAD is supported; `tupelo sql` prints the rows of a query";
            return Err(LoadError(format!(
                "{} is not supported: {help}",
                tokens[*from].text
            )));
        }
        parts.push(&tokens[*from..to]);
    }
    Ok(parts)
}

struct LoadReader<'t> {
    tokens: &'t [SqlToken],
    at: usize,
}

type ReadResult<T> = Result<T, LoadError>;

fn load(reader: &mut LoadReader<'_>) -> ReadResult<LoadStatement> {
    let mut load = LoadStatement {
        input: "SYSREC".to_owned(),
        discards: "SYSDISC".to_owned(),
        most_discards: 0,
        replaces: false,
        resumes: false,
        code_page: None,
        schema: None,
        table: String::new(),
        fields: Vec::new(),
        left_out: Vec::new(),
    };
    reader.accept("DATA");
    while !reader.accept("INTO") {
        reader.option(&mut load)?;
    }
    reader.expect("TABLE")?;
    let mut name = reader.name()?;
    if reader.accept_mark(".") {
        load.schema = Some(std::mem::replace(&mut name, reader.name()?));
    }
    load.table = name;
    while let Some(token) = reader.peek() {
        if token.is_mark("(") {
            reader.at += 1;
            load.fields = reader.fields()?;
            break;
        }
        reader.option(&mut load)?;
    }
    match reader.peek() {
        Some(token) if token.is("INTO") => refuse("a second INTO TABLE"),
        Some(token) => Err(LoadError(format!(
            "{} after the fields of LOAD",
            token.text
        ))),
        None => Ok(load),
    }
}

fn refuse<T>(what: &str) -> ReadResult<T> {
    Err(LoadError(format!("LOAD: {what} is not supported")))
}

impl<'t> LoadReader<'t> {
    fn peek(&self) -> Option<&'t SqlToken> {
        self.tokens.get(self.at)
    }

    fn next(&mut self, wanted: &str) -> ReadResult<&'t SqlToken> {
        let token = self.peek();
        self.at += 1;
        token.ok_or_else(|| LoadError(format!("LOAD ends where {wanted} is expected")))
    }

    fn accept(&mut self, word: &str) -> bool {
        let is_there = self.peek().is_some_and(|token| token.is(word));
        self.at += usize::from(is_there);
        is_there
    }

    fn accept_mark(&mut self, mark: &str) -> bool {
        let is_there = self.peek().is_some_and(|token| token.is_mark(mark));
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, word: &str) -> ReadResult<()> {
        let token = self.next(word)?;
        if token.is(word) || token.is_mark(word) {
            return Ok(());
        }
        Err(LoadError(format!(
            "LOAD: {} where {word} is expected",
            token.text
        )))
    }

    fn name(&mut self) -> ReadResult<String> {
        let token = self.next("a name")?;
        if matches!(token.kind, TokenKind::Word | TokenKind::Quoted) {
            return Ok(token.text.clone());
        }
        Err(LoadError(format!("LOAD: {} is not a name", token.text)))
    }

    fn number(&mut self) -> ReadResult<u32> {
        let token = self.next("a number")?;
        let number = token.text.parse().ok();
        number.ok_or_else(|| LoadError(format!("LOAD: {} is not a number", token.text)))
    }

    /// Passes over a list in parentheses, if there is one.
    fn skip_list(&mut self) -> ReadResult<()> {
        if !self.accept_mark("(") {
            return Ok(());
        }
        let mut depth = 1;
        while depth > 0 {
            let token = self.next(")")?;
            depth += i32::from(token.is_mark("(")) - i32::from(token.is_mark(")"));
        }
        Ok(())
    }

    fn is_at(&self, kind: TokenKind) -> bool {
        self.peek().is_some_and(|token| token.kind == kind)
    }

    /// Passes over the options of STATISTICS.
    fn skip_statistics(&mut self) -> ReadResult<()> {
        while let Some((_, words)) = self
            .peek()
            .and_then(|token| STATISTICS.iter().find(|(name, _)| token.is(name)))
        {
            self.at += 1 + words;
            self.skip_list()?;
        }
        Ok(())
    }

    /// An option before the list of fields.
    fn option(&mut self, load: &mut LoadStatement) -> ReadResult<()> {
        let token = self.next("INTO TABLE")?;
        match token.text.as_str() {
            "INDDN" => load.input = self.name()?,
            "DISCARDDN" => load.discards = self.name()?,
            "DISCARDS" => load.most_discards = self.number()?.into(),
            "REPLACE" => load.replaces = true,
            "RESUME" => load.resumes = self.accept("YES") || !self.accept("NO"),
            "EBCDIC" => load.code_page = CodePage::by_ccsid(37).ok(),
            "ASCII" => load.code_page = Some(CodePage::latin1()),
            "UNICODE" => load.code_page = Some(CodePage::utf8()),
            "CCSID" => load.code_page = Some(self.ccsid()?),
            "FORMAT" | "WHEN" | "CONTINUEIF" | "PART" | "INCURSOR" | "PRESORTED" => {
                return refuse(&token.text);
            }
            option => {
                let Some((name, words)) = IGNORED.iter().find(|(name, _)| *name == option) else {
                    return Err(LoadError(format!("LOAD has no option {}", token.text)));
                };
                let from = self.at;
                self.skip_list()?;
                if self.at == from {
                    self.at += words;
                    self.skip_list()?;
                }
                match *name {
                    // The number of keys is optional.
                    "SORTKEYS" if self.is_at(TokenKind::Number) => self.at += 1,
                    "STATISTICS" => self.skip_statistics()?,
                    _ => {}
                }
                load.left_out.push((*name).to_owned());
            }
        }
        Ok(())
    }

    /// CCSID(n, …): the first is that of characters of one byte.
    fn ccsid(&mut self) -> ReadResult<CodePage> {
        self.expect("(")?;
        let number = self.number()?;
        while !self.accept_mark(")") {
            self.next(")")?;
        }
        let page = u16::try_from(number).ok().map(CodePage::by_ccsid);
        match page {
            Some(Ok(page)) => Ok(page),
            _ => refuse(&format!("CCSID {number}")),
        }
    }

    fn fields(&mut self) -> ReadResult<Vec<LoadField>> {
        let mut fields = Vec::new();
        loop {
            fields.push(self.field()?);
            if self.accept_mark(")") {
                return Ok(fields);
            }
            self.expect(",")?;
        }
    }

    fn field(&mut self) -> ReadResult<LoadField> {
        let mut field = LoadField {
            column: self.name()?,
            from: None,
            to: None,
            kind: FieldKind::Char(None),
            null_if: None,
            default_if: None,
        };
        if self.accept("POSITION") {
            self.expect("(")?;
            if !self.accept_mark("*") {
                field.from = Some(self.number()?.max(1));
            }
            field.to = self.end_of_range()?;
            if let (Some(from), Some(to)) = (field.from, field.to)
                && to < from
            {
                let column = &field.column;
                let message =
                    format!("LOAD: {column} ends before it begins: POSITION({from}:{to})");
                return Err(LoadError(message));
            }
            self.expect(")")?;
        }
        field.kind = self.kind()?;
        loop {
            if self.accept("NULLIF") {
                field.null_if = Some(self.condition()?);
            } else if self.accept("DEFAULTIF") {
                field.default_if = Some(self.condition()?);
            } else {
                return Ok(field);
            }
        }
    }

    /// `:end` of a range; to the lexer a number after a colon is a host variable.
    fn end_of_range(&mut self) -> ReadResult<Option<u32>> {
        if self
            .peek()
            .is_some_and(|token| token.kind == TokenKind::Host)
            || self.accept_mark(":")
        {
            return self.number().map(Some);
        }
        Ok(None)
    }

    /// The length in parentheses, and a second number.
    fn lengths(&mut self) -> ReadResult<(Option<u32>, Option<u32>)> {
        if !self.accept_mark("(") {
            return Ok((None, None));
        }
        let length = self.number()?;
        let scale = if self.accept_mark(",") {
            Some(self.number()?)
        } else {
            None
        };
        self.expect(")")?;
        Ok((Some(length), scale))
    }

    fn kind(&mut self) -> ReadResult<FieldKind> {
        let Some(token) = self.peek() else {
            return Ok(FieldKind::Char(None));
        };
        let word = token.text.clone();
        if token.kind != TokenKind::Word || token.is_any(&["NULLIF", "DEFAULTIF"]) {
            return Ok(FieldKind::Char(None));
        }
        self.at += 1;
        let kind = match word.as_str() {
            "CHAR" | "CHARACTER" => FieldKind::Char(self.lengths()?.0),
            "VARCHAR" => FieldKind::Varchar,
            "BINARY" => FieldKind::Binary(self.lengths()?.0),
            "VARBINARY" => FieldKind::Varbinary,
            "SMALLINT" => FieldKind::Integer(2),
            "BIGINT" => FieldKind::Integer(8),
            "INTEGER" | "INT" => self.external_or(FieldKind::Integer(4))?,
            "DECIMAL" | "DEC" => self.decimal()?,
            "REAL" => FieldKind::Float(4),
            "DOUBLE" => FieldKind::Float(8),
            "FLOAT" => match self.external_or(FieldKind::Float(8))? {
                FieldKind::Float(_) => match self.lengths()?.0 {
                    Some(1..=21) => FieldKind::Float(4),
                    _ => FieldKind::Float(8),
                },
                other => other,
            },
            "DATE" | "TIME" | "TIMESTAMP" => {
                self.expect("EXTERNAL")?;
                FieldKind::Datetime(self.lengths()?.0)
            }
            other => return refuse(&format!("a field of type {other}")),
        };
        if self.accept("FOR") {
            return refuse("a field FOR BIT DATA");
        }
        self.accept("MIXED");
        match self.peek() {
            Some(token) if token.is_any(&["STRIP", "PRESERVE"]) => refuse(&token.text),
            _ => Ok(kind),
        }
    }

    fn external_or(&mut self, binary: FieldKind) -> ReadResult<FieldKind> {
        if !self.accept("EXTERNAL") {
            return Ok(binary);
        }
        Ok(FieldKind::External(self.lengths()?.0, 0))
    }

    fn decimal(&mut self) -> ReadResult<FieldKind> {
        if self.accept("EXTERNAL") {
            let (length, scale) = self.lengths()?;
            return Ok(FieldKind::External(
                length,
                scale.unwrap_or(0).min(255) as u8,
            ));
        }
        if self.accept("ZONED") {
            return Ok(FieldKind::Zoned(self.lengths()?.0, None));
        }
        self.accept("PACKED");
        Ok(FieldKind::Packed(self.lengths()?.0, None))
    }

    /// `(start:end) = constant`, `(field = constant)` or `field = constant`.
    fn condition(&mut self) -> ReadResult<FieldCondition> {
        let is_enclosed = self.accept_mark("(");
        let is_bare = self
            .peek()
            .is_some_and(|token| token.kind == TokenKind::Number);
        let place = if is_enclosed && (is_bare || self.accept_mark("(")) {
            self.bytes_until_close()?
        } else {
            ConditionPlace::Field(self.name()?)
        };
        self.expect("=")?;
        let token = self.next("a constant")?;
        let value = match token.kind {
            TokenKind::Text => ConditionValue::Text(token.text.clone()),
            TokenKind::Hex => ConditionValue::Bytes(
                base::hex::bytes(&token.text)
                    .ok_or_else(|| LoadError(format!("X'{}'", token.text)))?,
            ),
            _ if token.is("CONV_ERROR") => return refuse("CONV_ERROR"),
            _ => return Err(LoadError(format!("LOAD: {} is not a constant", token.text))),
        };
        if is_enclosed && !is_bare {
            self.expect(")")?;
        }
        match self.peek() {
            Some(token) if token.is_any(&["AND", "OR"]) => refuse("AND and OR in a condition"),
            _ => Ok(FieldCondition { place, value }),
        }
    }

    /// `start:end)` or `start)`.
    fn bytes_until_close(&mut self) -> ReadResult<ConditionPlace> {
        let from = self.number()?.max(1);
        let to = self.end_of_range()?;
        self.expect(")")?;
        Ok(ConditionPlace::Bytes(from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> LoadStatement {
        match items(text).expect("a statement").pop() {
            Some(LoadItem::Load(load)) => *load,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_statement_with_all_its_parts_is_read() {
        let load = one("  LOAD DATA INDDN INREC LOG NO REPLACE ENFORCE NO
    EBCDIC CCSID(37,0,0) SORTKEYS 100 WORKDDN(SYSUT1,SORTOUT)
    DISCARDS 5 STATISTICS
  INTO TABLE SHOP.STOCK
    (A POSITION(1:8) CHAR(8) NULLIF(50)='?',
     B POSITION(9:12) DECIMAL PACKED NULLIF((51:52)=X'00FF'),
     C POSITION(*) DECIMAL EXTERNAL(5,2), D DECIMAL ZONED, E INTEGER,
     F DATE EXTERNAL(10), G VARCHAR NULLIF(G='NONE'))
");
        assert_eq!((load.input.as_str(), load.most_discards), ("INREC", 5));
        assert!(load.replaces && !load.resumes);
        assert_eq!(load.code_page, CodePage::by_ccsid(37).ok());
        assert_eq!(
            (load.schema.as_deref(), load.table.as_str()),
            (Some("SHOP"), "STOCK")
        );
        let left_out = ["LOG", "ENFORCE", "SORTKEYS", "WORKDDN", "STATISTICS"];
        assert_eq!(load.left_out, left_out);
        let kinds: Vec<FieldKind> = load.fields.iter().map(|field| field.kind).collect();
        let expected = [
            FieldKind::Char(Some(8)),
            FieldKind::Packed(None, None),
            FieldKind::External(Some(5), 2),
            FieldKind::Zoned(None, None),
            FieldKind::Integer(4),
            FieldKind::Datetime(Some(10)),
            FieldKind::Varchar,
        ];
        assert_eq!(kinds, expected);
        assert_eq!(
            (load.fields[1].from, load.fields[1].to),
            (Some(9), Some(12))
        );
        assert_eq!(load.fields[2].from, None);
        let null_if = |at: usize| load.fields[at].null_if.clone().unwrap();
        assert_eq!(null_if(0).place, ConditionPlace::Bytes(50, None));
        assert_eq!(null_if(0).value, ConditionValue::Text("?".to_owned()));
        assert_eq!(null_if(1).place, ConditionPlace::Bytes(51, Some(52)));
        assert_eq!(null_if(1).value, ConditionValue::Bytes(vec![0, 255]));
        assert_eq!(null_if(6).place, ConditionPlace::Field("G".to_owned()));
    }

    #[test]
    fn options_without_a_number_leave_those_after_them() {
        let load = one(
            "LOAD DATA SORTKEYS REPLACE STATISTICS TABLE(ALL) SAMPLE 25 INDEX(ALL) KEYCARD \
             REPORT NO UPDATE ALL DISCARDDN D FLASHCOPY NO INTO TABLE T",
        );
        assert!(load.replaces);
        assert_eq!(load.discards, "D");
        assert_eq!(load.left_out, ["SORTKEYS", "STATISTICS", "FLASHCOPY"]);
    }

    #[test]
    fn utilities_that_keep_table_spaces_in_order_are_left_out() {
        let text = "  LOAD DATA RESUME YES INTO TABLE T\n  RUNSTATS TABLESPACE D.T\n  QUIESCE TABLESPACE D.T\n";
        let found = items(text).unwrap();
        assert!(
            matches!(&found[0], LoadItem::Load(load) if load.resumes && load.fields.is_empty())
        );
        let names = ["RUNSTATS", "QUIESCE"].map(|name| LoadItem::LeftOut(name.to_owned()));
        assert_eq!(found[1..], names);
    }

    #[test]
    fn what_is_not_supported_is_named() {
        let wrong = [
            ("UNLOAD TABLESPACE A.B", "UNLOAD is not supported"),
            (
                "LOAD DATA FORMAT DELIMITED INTO TABLE T",
                "FORMAT is not supported",
            ),
            (
                "LOAD DATA INTO TABLE T WHEN (1)='A' (B CHAR(1))",
                "WHEN is not supported",
            ),
            ("LOAD DATA INTO TABLE T (A GRAPHIC(3))", "type GRAPHIC"),
            ("LOAD DATA FROBNICATE INTO TABLE T", "no option FROBNICATE"),
            ("LOAD DATA INTO TABLE", "ends where a name"),
            (
                "LOAD DATA\n  RESUME YES\n  INTO TABLE T\n  (A CHAR(1),\n   B POSITION(6:1) CHAR(6))",
                "line 5: LOAD: B ends before it begins: POSITION(6:1)",
            ),
            (
                "LOAD DATA\n  RESUME YES FROBNICATE INTO TABLE T",
                "line 2: LOAD has no option FROBNICATE",
            ),
            ("SELECT 1", "SELECT is not a utility"),
        ];
        for (text, message) in wrong {
            let error = items(text).unwrap_err();
            assert!(error.0.contains(message), "{text}: {error}");
        }
    }
}
