//! Copybooks for scripts: layouts, and fields read and written where they lie.
//!
//! A layout is parsed and compiled once for each state of the application, for
//! all engines. A script has the bytes and an object whose properties read and
//! write single fields of them; fields that are not used cost nothing. Whole
//! records are converted to and from JSON in one call.
//!
//! A field's type in JavaScript follows from its PICTURE alone: a number where
//! a double holds every value exactly, else a BigInt or a decimal in text.
//!
//! Records with OCCURS DEPENDING ON are held in their longest form and brought
//! to their real length when they leave the script.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use copybook::codec::{CodecOptions, RedefinesChoice, RedefinesRule};
use copybook::{
    CodePage, CopyFolders, FieldCodec, FieldId, FieldKind, JsonNames, NamingStyle, ParseOptions,
    RecordCodec, RecordLayout,
};
use rquickjs::function::Rest;
use rquickjs::{Ctx, Function, IntoJs, Object, Result, String as JsString, TypedArray, Value};
use serde_json::{Value as Json, json};

use crate::accessors;
use crate::engine::EngineState;
use crate::natives::{bytes_of, with_bytes};
use crate::overdue;

/// Digits that a double represents exactly in every case.
const EXACT_DIGITS: u16 = 15;

/// The copybooks of an application, each compiled when it is first asked for.
#[derive(Debug)]
pub struct CopybookLibrary {
    folders: Vec<PathBuf>,
    code_page: CodePage,
    known: Mutex<HashMap<Key, Arc<Record>>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    copybook: String,
    record: String,
    lower: bool,
    /// By redefined item, the description that JSON shows.
    redefines: BTreeMap<String, String>,
}

/// A compiled record.
#[derive(Debug)]
pub struct Record {
    layout: RecordLayout,
    codec: RecordCodec,
    /// A codec with every description of storage that has several.
    each: RecordCodec,
    fields: Vec<Field>,
    /// A new record.
    initial: Vec<u8>,
    /// The fields as a tree, for the own part.
    tree: String,
}

#[derive(Debug)]
struct Field {
    codec: FieldCodec,
    shape: FieldType,
    /// The subject of a RangeError.
    error_subject: String,
}

/// The JavaScript type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// A string.
    Text,
    /// A number.
    Number,
    /// A BigInt; natives give its digits.
    BigInt,
    /// A decimal in text.
    Decimal,
    /// A group.
    Group,
}

/// The records that an engine's script has asked for.
#[derive(Clone, Default)]
pub struct EngineRecords {
    library: Option<Arc<CopybookLibrary>>,
    opened: Rc<RefCell<Opened>>,
}

#[derive(Default)]
struct Opened(Vec<(Key, Arc<Record>, usize)>);

impl Drop for Opened {
    fn drop(&mut self) {
        self.0
            .iter()
            .for_each(|(.., slot)| accessors::dismiss(*slot));
    }
}

impl CopybookLibrary {
    /// Copybooks from these folders; text is in this code page.
    pub fn new(folders: Vec<PathBuf>, code_page: CodePage) -> CopybookLibrary {
        CopybookLibrary {
            folders,
            code_page,
            known: Mutex::default(),
        }
    }

    /// The record of a copybook: the named one, or the only one.
    fn record(&self, key: &Key) -> std::result::Result<Arc<Record>, String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(key) {
            return Ok(found.clone());
        }
        let made = Arc::new(self.compile(key)?);
        known.insert(key.clone(), made.clone());
        Ok(made)
    }

    fn compile(&self, key: &Key) -> std::result::Result<Record, String> {
        let name = &key.copybook;
        let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@' | '#' | '$');
        if name.is_empty() || !name.chars().all(good) {
            return Err(format!("{name:?} is not the name of a copybook"));
        }
        let found = self.folders.iter().find_map(|folder| find(folder, name));
        let Some(path) = found else {
            return Err(format!("no copybook {name} in the application"));
        };
        let bytes = sources::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect());
        let folders = CopyFolders::new(self.folders.iter().cloned());
        let shown = path.display().to_string();
        let options = ParseOptions {
            copy: &folders,
            source_name: &shown,
            ..ParseOptions::default()
        };
        let mut layouts = copybook::parse(&text, &options).map_err(|e| e.to_string())?;
        let at = if !key.record.is_empty() {
            layouts.iter().position(|l| l.name() == key.record)
        } else if layouts.len() == 1 {
            Some(0)
        } else {
            None
        };
        let Some(at) = at else {
            let names: Vec<&str> = layouts.iter().map(RecordLayout::name).collect();
            return Err(format!(
                "{name} has the records {}; name one with {{record: \"…\"}}",
                names.join(", ")
            ));
        };
        let layout = layouts.swap_remove(at);
        Record::new(layout, key.lower, self.code_page, &key.redefines)
    }
}

fn find(folder: &std::path::Path, name: &str) -> Option<PathBuf> {
    let endings = ["cpy", "CPY", "cbl", "CBL", "cob", "copy", ""];
    let spelled = [
        name.to_owned(),
        name.to_ascii_lowercase(),
        name.to_ascii_uppercase(),
    ];
    let mut paths = spelled.iter().flat_map(|name| {
        endings.iter().map(move |ending| {
            if ending.is_empty() {
                folder.join(name)
            } else {
                folder.join(format!("{name}.{ending}"))
            }
        })
    });
    paths.find(|path| path.is_file())
}

impl Key {
    /// `redefines` is an object of names in JSON.
    fn new(
        copybook: &str,
        record: &str,
        lower: bool,
        redefines: &str,
    ) -> std::result::Result<Key, String> {
        let wrong = |_| format!("redefines must be an object of names, not {redefines}");
        Ok(Key {
            copybook: copybook.to_owned(),
            record: record.to_ascii_uppercase(),
            lower,
            redefines: serde_json::from_str(redefines).map_err(wrong)?,
        })
    }
}

/// A field's name in COBOL, by that or by the one that scripts have.
fn cobol_name(layout: &RecordLayout, name: &str) -> String {
    match layout.find(name) {
        Some(_) => name.to_owned(),
        None => name.trim_start_matches('_').replace('_', "-"),
    }
}

impl Record {
    /// Compiles a layout; member names are in lower case when `lower`. JSON has of
    /// redefined items the description that `redefines` names, else the first.
    fn new(
        layout: RecordLayout,
        lower: bool,
        code_page: CodePage,
        redefines: &BTreeMap<String, String>,
    ) -> std::result::Result<Record, String> {
        let naming = NamingStyle::JsonSafe { lowercase: lower };
        let rule = |(item, named): (&String, &String)| RedefinesRule {
            item: cobol_name(&layout, item),
            choice: RedefinesChoice::Named(cobol_name(&layout, named)),
        };
        let options = CodecOptions {
            code_page,
            naming,
            redefines: redefines.iter().map(rule).collect(),
            ..CodecOptions::default()
        };
        let codec = RecordCodec::build(&layout, &options).map_err(|e| e.to_string())?;
        // Every description of storage that has several can be asked for.
        let each = CodecOptions {
            other_redefines: RedefinesChoice::AllValid,
            redefines: Vec::new(),
            ..options
        };
        let each = RecordCodec::build(&layout, &each).map_err(|e| e.to_string())?;
        let root = each.field("").map_err(|e| e.to_string())?;
        let mut made = Fields {
            layout: &layout,
            names: JsonNames::new(&layout, naming),
            list: Vec::new(),
        };
        let tree = made.node(RecordLayout::RECORD, root)?;
        let fields = made.list;
        let mut initial = vec![0; codec.max_len()];
        let _ = codec.initialise(&mut initial);
        Ok(Record {
            initial,
            codec,
            each,
            fields,
            tree: tree.to_string(),
            layout,
        })
    }

    /// Its layout.
    pub fn layout(&self) -> &RecordLayout {
        &self.layout
    }
}

/// The JavaScript type of a field, by its description.
pub fn shape_of(layout: &RecordLayout, id: FieldId) -> FieldType {
    match &layout[id].kind {
        FieldKind::Group => FieldType::Group,
        FieldKind::Numeric(n) if n.digits + n.scale.min(0).unsigned_abs() <= EXACT_DIGITS => {
            FieldType::Number
        }
        FieldKind::Numeric(n) if n.scale <= 0 => FieldType::BigInt,
        FieldKind::Numeric(_) | FieldKind::DecimalFloat => FieldType::Decimal,
        FieldKind::Float | FieldKind::Double | FieldKind::Index => FieldType::Number,
        FieldKind::Pointer => FieldType::BigInt,
        _ => FieldType::Text,
    }
}

/// Collects the fields of a record.
struct Fields<'l> {
    layout: &'l RecordLayout,
    names: JsonNames,
    list: Vec<Field>,
}

impl Fields<'_> {
    /// A field and those beneath it: its name, number, shape, table and
    /// members.
    fn node(&mut self, id: FieldId, codec: FieldCodec) -> std::result::Result<Json, String> {
        let field = &self.layout[id];
        let wrong = |e: copybook::codec::PathError| e.to_string();
        let shape = shape_of(self.layout, id);
        let subject = match &field.picture {
            Some(picture) => format!("{} PIC {picture}", self.layout.path(id)),
            None => self.layout.path(id),
        };
        let element = if field.occurs.is_some() {
            codec.element(0).map_err(wrong)?
        } else {
            codec.clone()
        };
        let number = self.add(codec, shape, &subject);
        let own = if field.occurs.is_some() {
            self.add(element.clone(), shape, &subject)
        } else {
            number
        };
        let mut members = Vec::new();
        for &child in &field.children {
            let Some(name) = self.names.json(child).map(str::to_owned) else {
                continue;
            };
            members.push(self.node(child, element.child(&name).map_err(wrong)?)?);
        }
        // The field's name for messages, if a number may lose digits.
        let named =
            matches!(shape, FieldType::BigInt | FieldType::Decimal) || self.limit(id).is_some();
        let subject = named.then_some(subject);
        Ok(json!({
            "subject": subject,
            "name": self.names.json(id).unwrap_or("RECORD"),
            "field": number,
            "own": own,
            "shape": shape.word(),
            "varies": field.occurs.as_ref().is_some_and(|o| o.depending_on.is_some()),
            "most": field.occurs.as_ref().map_or(0, |o| o.max),
            "members": members,
            "limit": self.limit(id),
        }))
    }

    /// Most that a counter may be, by the tables that depend on it.
    fn limit(&self, id: FieldId) -> Option<u32> {
        let tables = self.layout.iter().filter_map(|(_, f)| f.occurs.as_ref());
        let its = tables.filter(|occurs| occurs.depending_on == Some(id));
        its.map(|occurs| occurs.max).min()
    }

    fn add(&mut self, codec: FieldCodec, shape: FieldType, subject: &str) -> usize {
        self.list.push(Field {
            codec,
            shape,
            error_subject: subject.to_owned(),
        });
        self.list.len() - 1
    }
}

impl FieldType {
    fn word(self) -> &'static str {
        match self {
            FieldType::Text => "text",
            FieldType::Number => "number",
            FieldType::BigInt => "bigint",
            FieldType::Decimal => "decimal",
            FieldType::Group => "group",
        }
    }
}

impl EngineRecords {
    /// Records from a library.
    pub fn new(library: Arc<CopybookLibrary>) -> EngineRecords {
        EngineRecords {
            library: Some(library),
            ..EngineRecords::default()
        }
    }

    /// The region's code page.
    pub fn code_page(&self) -> CodePage {
        match &self.library {
            Some(library) => library.code_page,
            None => CodePage::ascii(),
        }
    }

    /// The number of a record from now on.
    fn open(&self, key: Key) -> std::result::Result<usize, String> {
        let _native = overdue::native();
        let mut opened = self.opened.borrow_mut();
        if let Some(at) = opened.0.iter().position(|(k, ..)| *k == key) {
            return Ok(at);
        }
        let library = self.library.as_ref();
        let library = library.ok_or_else(|| "the application has no copybooks".to_owned())?;
        let record = library.record(&key)?;
        let slot = accessors::enlist(record.clone());
        opened.0.push((key, record, slot));
        Ok(opened.0.len() - 1)
    }

    fn with<R>(&self, number: usize, act: impl FnOnce(&Record) -> R) -> Option<R> {
        let _native = overdue::native();
        let opened = self.opened.borrow();
        opened.0.get(number).map(|(_, record, _)| act(record))
    }

    /// The number of a record among the accessors of the thread.
    fn slot(&self, number: usize) -> Option<usize> {
        self.opened.borrow().0.get(number).map(|(.., slot)| *slot)
    }
}

/// Natives of copybook objects. A refusal is a string; results are not.
pub fn install<'js>(ctx: &Ctx<'js>, own: &Object<'js>, shared: &Rc<EngineState>) -> Result<()> {
    let records = || shared.records.clone();
    let c = || ctx.clone();

    let r = records();
    let open =
        move |ctx: Ctx<'js>, copybook: String, record: String, lower: bool, redefines: String| {
            let made = Object::new(ctx.clone())?;
            let key = Key::new(&copybook, &record, lower, &redefines);
            match key.and_then(|key| r.open(key)) {
                Ok(number) => {
                    made.set("number", number as u32)?;
                    let sizes = r.with(number, |record| {
                        let bytes = record.codec.max_len() as u32;
                        (record.tree.clone(), bytes, record.codec.is_variable())
                    });
                    let (tree, bytes, variable) = sizes.unwrap_or_default();
                    made.set("tree", tree)?;
                    made.set("bytes", bytes)?;
                    made.set("variable", variable)?;
                }
                Err(why) => made.set("wrong", why)?,
            }
            Ok::<_, rquickjs::Error>(made)
        };
    own.set("recordOpen", Function::new(c(), open)?)?;

    let r = records();
    let access =
        move |ctx: Ctx<'js>, number: usize, field: usize, bytes: Value<'js>| match r.slot(number) {
            Some(slot) => accessors::of_field(&ctx, slot, field, &bytes)?.into_js(&ctx),
            None => ().into_js(&ctx),
        };
    own.set("recordAccessors", Function::new(c(), access)?)?;

    let r = records();
    let initial = move |ctx: Ctx<'js>, number: usize| {
        let made = r.with(number, |record| {
            TypedArray::<u8>::new_copy(ctx.clone(), &record.initial)
        });
        made.unwrap_or_else(|| TypedArray::<u8>::new_copy(ctx, []))
    };
    own.set("recordInitial", Function::new(c(), initial)?)?;

    let r = records();
    let get =
        move |ctx: Ctx<'js>, number: usize, field: usize, bytes: Value<'js>, at: Rest<u32>| {
            let record = bytes_of(&bytes).unwrap_or_default();
            let read = r.with(number, |r| r.read(&ctx, field, record, &at.0));
            read.unwrap_or_else(|| ().into_js(&ctx))
        };
    own.set("recordGet", Function::new(c(), get)?)?;

    let r = records();
    let set = move |number: usize,
                    field: usize,
                    bytes: Value<'js>,
                    value: Value<'js>,
                    at: Rest<u32>|
          -> Result<Option<String>> {
        let text = match text_of_value(&value)? {
            Ok(text) => text,
            Err(why) => {
                let message = r.with(number, |r| r.wrong(field, &why));
                return Ok(Some(message.unwrap_or(why)));
            }
        };
        let write = |area: &mut [u8]| r.with(number, |r| r.write(field, area, &text, &at.0));
        // SAFETY: the value that is written was copied out before.
        Ok(unsafe { with_bytes(&bytes, write) }.flatten().flatten())
    };
    own.set("recordSet", Function::new(c(), set)?)?;

    let r = records();
    let to_json =
        move |ctx: Ctx<'js>, number: usize, field: usize, bytes: Value<'js>, at: Rest<u32>| {
            let record = bytes_of(&bytes).unwrap_or_default();
            let made = r.with(number, |r| r.json(field, record, &at.0));
            match made.unwrap_or_else(|| Err("there is no such record".into())) {
                Ok(text) => JsString::from_str(ctx.clone(), &text)?.into_js(&ctx),
                Err(why) => {
                    let made = Object::new(ctx.clone())?;
                    made.set("wrong", why)?;
                    made.into_js(&ctx)
                }
            }
        };
    own.set("recordToJson", Function::new(c(), to_json)?)?;

    let r = records();
    let from_json =
        move |number: usize, field: u32, bytes: Value<'js>, text: String, at: Rest<u32>| {
            let take = |area: &mut [u8]| {
                r.with(number, |r| r.take_json(field as usize, area, &text, &at.0))
            };
            // SAFETY: nothing else has the bytes borrowed.
            unsafe { with_bytes(&bytes, take) }.flatten().flatten()
        };
    own.set("recordFromJson", Function::new(c(), from_json)?)?;

    let r = records();
    let count = move |ctx: Ctx<'js>, number: usize, field: usize, bytes: Value<'js>| {
        let record = bytes_of(&bytes).unwrap_or_default();
        match r.with(number, |r| r.count(field, record)) {
            Some(Err(wrong)) => wrong.into_js(&ctx),
            Some(Ok(count)) => count.into_js(&ctx),
            None => 0_u32.into_js(&ctx),
        }
    };
    own.set("recordCount", Function::new(c(), count)?)?;

    let r = records();
    let compact = move |ctx: Ctx<'js>, number: usize, bytes: Value<'js>| {
        let record = bytes_of(&bytes).unwrap_or_default();
        let made = r.with(number, |r| r.compact(record));
        match made.unwrap_or_else(|| Err("there is no such record".into())) {
            Ok(bytes) => TypedArray::<u8>::new_copy(ctx.clone(), bytes)?.into_js(&ctx),
            Err(why) => why.into_js(&ctx),
        }
    };
    own.set("recordCompact", Function::new(c(), compact)?)?;

    let r = records();
    let expand = move |ctx: Ctx<'js>, number: usize, bytes: Value<'js>| {
        let record = bytes_of(&bytes).unwrap_or_default();
        let made = r.with(number, |r| {
            let mut area = vec![0; r.codec.max_len()];
            let expanded = r.codec.expand(record, &mut area);
            expanded.map(|()| area).map_err(|e| e.to_string())
        });
        match made.unwrap_or_else(|| Err("there is no such record".into())) {
            Ok(bytes) => TypedArray::<u8>::new_copy(ctx.clone(), bytes)?.into_js(&ctx),
            Err(why) => why.into_js(&ctx),
        }
    };
    own.set("recordExpand", Function::new(c(), expand)?)
}

impl Record {
    fn field(&self, field: usize, at: &[u32]) -> Option<std::borrow::Cow<'_, FieldCodec>> {
        let found = &self.fields.get(field)?.codec;
        if at.is_empty() {
            Some(std::borrow::Cow::Borrowed(found))
        } else {
            found.with_elements(at).ok().map(std::borrow::Cow::Owned)
        }
    }

    /// A record as the codec reads it: of its real length.
    fn real<'r>(
        &self,
        record: &'r [u8],
    ) -> std::result::Result<std::borrow::Cow<'r, [u8]>, String> {
        if self.codec.is_variable() {
            self.compact(record).map(Into::into)
        } else {
            Ok(record.into())
        }
    }

    fn compact(&self, record: &[u8]) -> std::result::Result<Vec<u8>, String> {
        let mut area = record.to_vec();
        let length = self.codec.finish(&mut area).map_err(|e| e.to_string())?;
        area.truncate(length);
        Ok(area)
    }

    /// A field's value; an object with `wrong` when its bytes are not a value.
    pub fn read<'js>(
        &self,
        ctx: &Ctx<'js>,
        field: usize,
        record: &[u8],
        at: &[u32],
    ) -> Result<Value<'js>> {
        let wrong = |why: String| {
            let made = Object::new(ctx.clone())?;
            made.set("wrong", why)?;
            made.into_js(ctx)
        };
        let Some(codec) = self.field(field, at) else {
            return ().into_js(ctx);
        };
        let record = match self.real(record) {
            Ok(record) => record,
            Err(why) => return wrong(why),
        };
        SCRATCH.with_borrow_mut(|out| {
            out.clear();
            if let Err(error) = codec.write_json(&record, out) {
                return wrong(error.to_string());
            }
            match (self.fields[field].shape, out.as_slice()) {
                (_, b"null") => Ok(Value::new_null(ctx.clone())),
                (_, [b'"', inner @ .., b'"']) if !inner.contains(&b'\\') => {
                    // The codec writes UTF-8.
                    let text = std::str::from_utf8(inner).unwrap_or_default();
                    JsString::from_str(ctx.clone(), text)?.into_js(ctx)
                }
                (_, [b'"', ..]) => {
                    let text: String = serde_json::from_slice(out).unwrap_or_default();
                    JsString::from_str(ctx.clone(), &text)?.into_js(ctx)
                }
                (FieldType::Number, number) => {
                    let text = std::str::from_utf8(number).unwrap_or_default();
                    let number = match text.parse::<i32>() {
                        Ok(number) => Value::new_int(ctx.clone(), number),
                        Err(_) => Value::new_number(ctx.clone(), text.parse().unwrap_or_default()),
                    };
                    Ok(number)
                }
                (_, text) => {
                    let text = std::str::from_utf8(text).unwrap_or_default();
                    JsString::from_str(ctx.clone(), text)?.into_js(ctx)
                }
            }
        })
    }

    /// Writes a field. Returns why it does not fit.
    pub fn write(&self, field: usize, area: &mut [u8], text: &str, at: &[u32]) -> Option<String> {
        let codec = self.field(field, at)?;
        let error = codec.read_text(text, area).err()?;
        Some(self.wrong(field, &error.to_string()))
    }

    /// Why a field cannot hold a value, with its name and PICTURE once.
    pub fn wrong(&self, field: usize, why: &str) -> String {
        match self.fields.get(field) {
            Some(field) if !names(why, &field.error_subject) => {
                format!("{}: {why}", field.error_subject)
            }
            _ => why.to_owned(),
        }
    }

    /// JSON of the record, which is field 0, or of a field.
    fn json(&self, field: usize, record: &[u8], at: &[u32]) -> std::result::Result<String, String> {
        let record = self.real(record)?;
        let mut out = Vec::with_capacity(record.len() * 2);
        let decoded = match field {
            0 => self.codec.decode(&record, &mut out),
            field => match self.field(field, at) {
                Some(codec) => codec.write_json(&record, &mut out),
                None => return Err("there is no such element".into()),
            },
        };
        decoded.map_err(|e| e.to_string())?;
        String::from_utf8(out).map_err(|e| e.to_string())
    }

    /// Takes JSON of the record, or of a field. Returns why it does not fit.
    fn take_json(&self, field: usize, area: &mut [u8], text: &str, at: &[u32]) -> Option<String> {
        if field == 0 {
            // A whole record begins again.
            let mut made = vec![0; self.codec.max_len()];
            let taken = self.each.encode(text.as_bytes(), &mut made);
            return match taken {
                Err(error) => Some(error.to_string()),
                Ok(length) if self.codec.is_variable() => {
                    made.truncate(length);
                    let error = self.codec.expand(&made, area).err();
                    error.map(|e| e.to_string())
                }
                Ok(_) => {
                    let n = area.len().min(made.len());
                    area[..n].copy_from_slice(&made[..n]);
                    None
                }
            };
        }
        let codec = self.field(field, at)?;
        let error = codec.read_json(text.as_bytes(), area).err()?;
        Some(self.wrong(field, &error.to_string()))
    }

    /// Elements of a table in a record.
    fn count(&self, field: usize, record: &[u8]) -> std::result::Result<u32, String> {
        let Some(found) = self.fields.get(field) else {
            return Ok(0);
        };
        let record = self.real(record)?;
        let count = found.codec.count(&record);
        count.map_err(|error| self.wrong(field, &error.to_string()))
    }
}

/// Whether a message begins with this field's name, with or without subscripts.
fn names(why: &str, subject: &str) -> bool {
    let path = subject.split(' ').next().unwrap_or_default();
    let mut within = false;
    let mut named = why.split(' ').next().unwrap_or_default().to_owned();
    named.retain(|c| {
        within |= c == '(';
        let kept = !within;
        within &= c != ')';
        kept
    });
    named.trim_end_matches(':') == path
}

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The text to write into a field: text, or a number's digits.
fn text_of_value(value: &Value<'_>) -> Result<std::result::Result<String, String>> {
    if let Some(text) = value.as_string() {
        return Ok(Ok(text.to_string()?));
    }
    Ok(match value.as_number() {
        Some(n) if n.is_finite() => Ok(format!("{n}")),
        Some(n) => Err(format!("{n} is not a number that a field can contain")),
        None => Err(format!("a field cannot contain {}", value.type_name())),
    })
}
