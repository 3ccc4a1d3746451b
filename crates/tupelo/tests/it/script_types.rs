//! The TypeScript declarations, checked by the compiler: with
//! the examples' scripts, which have no mistakes, and with mistakes, which it
//! must find.

use std::path::Path;
use std::process::Command;

use crate::program::{run, text};
use crate::script::write;
use crate::server::example;

const SETTINGS: &str = r#"{
  "compilerOptions": {
    "allowJs": true, "checkJs": true, "noEmit": true, "strict": true, "noImplicitAny": false,
    "target": "esnext", "module": "es2022", "moduleDetection": "force", "lib": ["esnext"], "types": []
  },
  "include": ["scripts"]
}"#;

/// Everything that the declarations name, used as it is meant.
const RIGHT: &str = r#"
const Inquiry = new Copybook("ACCTINQ");
/**
 * @param {Request} request
 * @param {Response} response
 */
export const GET = async (request, response) => {
  const area = Inquiry.from({ INQ_NUMBER: 10000001 });
  const { commarea } = cics.link("ACCTINQ", { commarea: area });
  const balance = commarea.INQ_BALANCE.toFixed(2), holder = area.INQ_HOLDER.trim();
  const { channel } = cics.link("ACCTLIST", { channel: { A: "b" } });
  const reply = new Copybook("LISTRPL").view(channel.get("LIST-REPLY") ?? new Uint8Array(0));
  const holders = reply.LIST_ENTRY.map((e) => e.ENTRY_HOLDER.trim());
  const file = cics.file("ACCTFILE");
  const found = file.read("10000001", { update: true, into: new Copybook("ACCOUNT").view() });
  if (found) file.rewrite(found);
  for (const { key, record } of file.browse()) console.log(key.length + record.length);
  const answer = await fetch("https://rates.example/v1", { timeout: 5, json: { a: 1 } });
  response.status = answer.ok ? 200 : 502;
  response.write(holder).write(new Uint8Array([1])).flush();
  const all = await Promise.all([cics.run("ACCTINQ", { commarea: area }), cics.run(null, { transid: "BINQ" })]);
  try { cics.syncpoint(); } catch (e) { if (e instanceof CicsAbend) return e.code + e.line; throw e; }
  const form = request.form().get("file");
  if (form !== undefined && typeof form !== "string") return form.bytes();
  cics.start("BINQ", { data: "x", seconds: 1 });
  const small = new Copybook("LISTRPL", { names: "lower" }).from("{}");
  const tick = setInterval(() => clearInterval(tick), 5);
  if (small.list_entry.some((e) => e.entry_holder === cics.text(area.bytes))) reply.LIST_ENTRY = reply.LIST_ENTRY.slice(0, 1);
  const other = new Copybook("LISTRPL", { record: "LIST-REPLY", names: "lower" }).view();
  request.headers.append("x", new TextDecoder().decode(new TextEncoder().encode(other.any_name)));
  return response.xml({ balance, holders, all: all.length, n: request.xml().get("a/b")?.text }, "answer");
};
/** @type {LinkHandler} */
export const LINK = ({ commarea, channel, program }) => {
  channel?.put("BACK", program);
  commarea?.set([1]);
};
"#;

/// Mistakes, each with the number of the line that the error must name.
const WRONG: &str = r#"const area = new Copybook("ACCTINQ").view();
area.INQ_HOLDR;
area.INQ_NUMBER = "seven";
new Copybook("ACCOUNT").view().ACCOUNT_HOLDER.toFixed();
cics.link(5);
cics.link("ACCTINQ", { commarea: 7 });
cics.unknown();
new Copybook("LISTRPL", { names: "lower" }).view().list_entry[0].ENTRY_HOLDER;
new Copybook("LISTRPL").view().LIST_ENTRY = [{ ENTRY_HOLDER: 7 }];
new Channel().get("A").length;
export const GET = (/** @type {Request} */ request) => request.nothing;
"#;

/// The compiler's messages for a folder; `None` without a compiler.
fn checked(folder: &Path) -> Option<(bool, String)> {
    let tsc = std::env::var_os("TUPELO_TSC").unwrap_or_else(|| "tsc".into());
    let run = Command::new(tsc).arg("-p").arg(folder).output();
    match run {
        Ok(run) => Some((run.status.success(), text(&run.stdout))),
        Err(why) => {
            skipped::lacking("tsc", why);
            None
        }
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "tsconfig.json", SETTINGS);
    let out = folder.path().join("scripts/tupelo.d.ts");
    std::fs::create_dir_all(out.parent().unwrap()).unwrap();
    let bank = example("bank");
    let generated = run(&[
        "script",
        "types",
        bank.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ]);
    assert!(generated.status.success(), "{}", text(&generated.stderr));
    folder
}

#[test]
fn the_compiler_finds_no_mistake_in_the_declarations_and_the_examples() {
    let folder = folder();
    let scripts = example("bank").join("scripts");
    for script in std::fs::read_dir(scripts).unwrap().flatten() {
        let to = folder.path().join("scripts").join(script.file_name());
        std::fs::copy(script.path(), to).unwrap();
    }
    write(folder.path(), "scripts/right.js", RIGHT);
    if let Some((good, messages)) = checked(folder.path()) {
        assert!(good, "{messages}");
    }
}

#[test]
fn the_compiler_finds_what_is_wrong_in_a_script() {
    let folder = folder();
    write(folder.path(), "scripts/wrong.js", WRONG);
    let Some((good, messages)) = checked(folder.path()) else {
        return;
    };
    assert!(!good);
    for line in 2..=WRONG.lines().count() {
        let place = format!("wrong.js({line},");
        assert!(messages.contains(&place), "{place} is not in {messages}");
    }
}
