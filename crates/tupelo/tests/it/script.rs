//! Scripts served by a region, over the bank's programs and files.

use std::path::Path;

use serde_json::{Value, json};

use crate::http::{self, HttpAnswer};
use crate::program::{run, text, until};
use crate::server::{Server, example};
use crate::users;

/// Runs the script text of its request, so that a test contains its own steps.
const PROBE: &str = "
const Account = new Copybook('ACCOUNT');
const Inquiry = new Copybook('ACCTINQ');
const inquire = (number) => {
  const area = Inquiry.from({ INQ_NUMBER: number });
  cics.link('ACCTINQ', { commarea: area });
  return area;
};
const record = (number, holder) => Account.from({
  ACCOUNT_NUMBER: number, ACCOUNT_HOLDER: holder, ACCOUNT_KIND: 'CURRENT' });
const Async = (async () => {}).constructor;
export async function POST(request, response) {
  const run = new Async('request', 'response', 'Account', 'inquire', 'record', request.text());
  return run(request, response, Account, inquire, record);
}
";

/// Records its START data, and the transaction under which it runs.
const STARTED: &str = include_str!("../../testdata/programs/script/STARTED.cbl");
/// Never ends: it computes or waits, by its COMMAREA.
const HANGS: &str = include_str!("../../testdata/programs/script/HANGS.cbl");

/// The bank with a script that runs the text of its request, and with settings.
pub struct ScriptBank {
    pub server: Server,
    pub folder: tempfile::TempDir,
}

impl ScriptBank {
    pub fn start(settings: &str) -> ScriptBank {
        ScriptBank::with(settings, "")
    }

    pub fn with(settings: &str, definitions: &str) -> ScriptBank {
        ScriptBank::of(ScriptBank::folder(settings, definitions))
    }

    /// The bank of a folder, which is kept as long.
    pub fn of(folder: tempfile::TempDir) -> ScriptBank {
        let server = Server::start(folder.path());
        ScriptBank { server, folder }
    }

    pub fn folder(settings: &str, definitions: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        copy(&example("bank"), folder.path());
        write(folder.path(), "scripts/probe.js", PROBE);
        let routes = "[script.routes]\n\"/probe\" = \"probe.js\"\n";
        let toml = folder.path().join("tupelo.toml");
        let bank = std::fs::read_to_string(&toml).unwrap();
        let bank = bank.replace("[script.routes]\n", &format!("{settings}\n{routes}"));
        std::fs::write(toml, bank).unwrap();
        let csd = folder.path().join("resources.csd");
        let bank = std::fs::read_to_string(&csd).unwrap();
        std::fs::write(csd, bank + definitions).unwrap();
        folder
    }

    pub fn run(&self, body: &str) -> HttpAnswer {
        self.server.send("POST", "/probe", Some(body))
    }

    /// The JSON answer to a body; the request must succeed.
    pub fn value(&self, body: &str) -> Value {
        let answer = self.run(body);
        assert_eq!(answer.status, 200, "{body}: {}", text(&answer.body));
        match answer.header("content-type") {
            None => Value::Null,
            Some(kind) if kind.starts_with("text/") => Value::String(text(&answer.body)),
            Some(_) => answer.json(),
        }
    }

    /// The abend code that a body ends with.
    pub fn abend(&self, body: &str) -> String {
        let answer = self.run(body);
        let problem = answer.json();
        problem["abendCode"]
            .as_str()
            .unwrap_or_else(|| panic!("{body}: {problem}"))
            .to_owned()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true if entry.file_name() == ".tupelo" => {}
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

pub fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn the_banks_overview_answers_json_or_xml() {
    let bank = Server::start(&example("bank"));
    let answer = bank.get("/bank/overview/10000001");
    assert_eq!(answer.status, 200, "{}", text(&answer.body));
    let overview = answer.json();
    assert_eq!(overview["holder"], "Ada Byron");
    assert!(
        overview["account"]
            .as_array()
            .unwrap()
            .iter()
            .any(|a| a["number"] == 10_000_001 && a["interest"] == 0.125 && a["fee"] == 4.9)
    );
    let request = "GET /bank/overview/10000001 HTTP/1.1\r\nhost: x\r\naccept: application/xml\r\nconnection: close\r\n\r\n";
    let answer = http::raw(&bank.gateway, request.as_bytes()).unwrap();
    assert_eq!(answer.header("content-type"), Some("application/xml"));
    let xml = text(&answer.body);
    assert!(
        xml.contains("<overview><holder>Ada Byron</holder>"),
        "{xml}"
    );
    assert_eq!(bank.get("/bank/overview/99999999").status, 404);
    assert_eq!(bank.get("/bank/overview/1a").status, 400);
    let body = "<inquiry><account>10000001</account></inquiry>";
    let answer = bank.send("POST", "/bank/overview", Some(body));
    assert!(
        text(&answer.body).contains("<holder>Ada Byron</holder>"),
        "{answer:?}"
    );
    let bomb = "<!DOCTYPE a [<!ENTITY b \"c\">]><inquiry>&b;</inquiry>";
    assert_eq!(bank.send("POST", "/bank/overview", Some(bomb)).status, 400);
    let before = bank.get("/bank/accounts/10000001");
    assert_eq!(before.status, 200, "the API is served too");
}

#[test]
fn a_script_and_its_programs_share_a_unit_of_work() {
    let bank = ScriptBank::start("");
    let made = bank.value(
        "cics.file('ACCTFILE').write(record(30000001, 'Grace'));
         return [inquire(30000001).INQ_HOLDER, cics.task.transid]",
    );
    assert_eq!(
        made,
        json!(["Grace", "CJSR"]),
        "the program sees what the script wrote"
    );
    assert_eq!(
        bank.value("return inquire(30000001).INQ_HOLDER"),
        "Grace",
        "it is committed"
    );
    let code =
        bank.abend("cics.file('ACCTFILE').write(record(30000002, 'Lost')); cics.abend('MINE')");
    assert_eq!(code, "MINE");
    assert_eq!(
        bank.value("return inquire(30000002).RESULT_CODE"),
        404,
        "it was backed out"
    );
    let parts = bank.value(
        "const file = cics.file('ACCTFILE');
         file.write(record(30000003, 'Kept')); cics.syncpoint();
         file.write(record(30000004, 'Gone')); cics.rollback();
         return [3, 4].map((n) => inquire(30000000 + n).RESULT_CODE)",
    );
    assert_eq!(parts, json!([0, 404]));
    let updated = bank.value(
        "const file = cics.file('ACCTFILE'), a = Account.view();
         file.read('30000001', { update: true, into: a });
         a.ACCOUNT_BALANCE = 12.5; file.rewrite(a);
         return [inquire(30000001).INQ_BALANCE, file.read('39999999')?.length ?? null,
                 [...file.browse('3')].length, file.delete('30000003'), inquire(30000003).RESULT_CODE]",
    );
    assert_eq!(updated, json!([12.5, null, 2, 1, 404]));
}

#[test]
fn an_abend_of_a_program_is_an_exception_that_can_be_caught() {
    let bank = ScriptBank::start("");
    let caught = bank.value(
        "try { cics.link('ACCTINQ', { commarea: 'short' }) } catch (e) { return [e.name, e.code, e.program] }",
    );
    assert_eq!(caught, json!(["CicsAbend", "BKCA", "ACCTINQ"]));
    assert_eq!(
        bank.abend("cics.link('ACCTINQ', { commarea: 'short' })"),
        "BKCA"
    );
    let missing =
        bank.value("try { cics.link('NOWHERE') } catch (e) { return [e.condition, e.resp] }");
    assert_eq!(missing, json!(["PGMIDERR", 27]));
    assert_eq!(
        bank.value("return inquire(10000001).INQ_HOLDER"),
        "Ada Byron"
    );
}

#[test]
fn a_script_that_does_not_end_is_ended_and_the_region_goes_on() {
    let bank = ScriptBank::start("[script]\nrunaway_ms = 200\nmemory_mib = 8\n");
    for (body, code) in [
        ("for (;;) {}", "AICA"),
        ("const f = () => f() + 1; return f()", "AJSS"),
        ("return new Array(1e8).fill(0).length", "AJSM"),
        ("await new Promise(() => {})", "AJSP"),
        ("Promise.reject(new Error('lost')); return 1", "AJSP"),
        ("throw { not: 'an error' }", "AJST"),
        ("return nowhere", "AJST"),
    ] {
        assert_eq!(bank.abend(body), code, "{body}");
        assert_eq!(
            bank.value("return inquire(10000001).INQ_HOLDER"),
            "Ada Byron"
        );
    }
}

#[test]
fn a_task_whose_time_is_over_is_ended_wherever_it_is() {
    let bank = ScriptBank::start("[script]\ntimeout_ms = 700\nrunaway_ms = 0\n");
    for body in [
        "for (;;) {}",
        "cics.delay(60000)",
        "await new Promise((r) => setTimeout(r, 60000))",
        "for (;;) inquire(10000001)",
        "cics.delay(100); cics.file('ACCTFILE').write(record(40000001, 'Late')); for (;;) cics.ts('A').read(1)",
    ] {
        let answer = bank.run(body);
        assert_eq!(answer.status, 504, "{body}: {}", text(&answer.body));
        assert_eq!(answer.json()["abendCode"], "AEXY");
    }
    assert_eq!(bank.value("return inquire(40000001).RESULT_CODE"), 404);
}

#[test]
fn queues_counters_and_names_are_those_of_the_region() {
    let bank = ScriptBank::start("");
    let queue = bank.value(
        "const q = cics.ts('SCRIPTQ');
         const numbers = [q.write('one'), q.write('two')];
         const read = [...q].map((item) => String.fromCharCode(...item));
         q.rewrite(2, 'zwei');
         const second = String.fromCharCode(...q.read(2));
         q.delete();
         return [numbers, read, second, q.read(1) ?? null]",
    );
    assert_eq!(queue, json!([[1, 2], ["one", "two"], "zwei", null]));
    let wrong = bank.value("try { cics.td('NONE').write('x') } catch (e) { return e.condition }");
    assert_eq!(wrong, "QIDERR");
    let held = bank.value("return [cics.enq('name'), cics.deq('name') ?? null]");
    assert_eq!(held, json!([true, null]));
    let unknown = bank.value(
        "try { cics.exec('WRITEQ TS', { QUEU: 'x' }) } catch (e) { return [e.name, e.message] }",
    );
    assert_eq!(unknown[0], "TypeError");
    assert!(
        unknown[1].as_str().unwrap().contains("no option QUEU"),
        "{unknown}"
    );
}

#[test]
fn tasks_started_by_a_script_run_together_and_commit_for_themselves() {
    let bank = ScriptBank::start("");
    let all = bank.value(
        "const Inquiry = new Copybook('ACCTINQ');
         const ask = (n) => cics.run('ACCTINQ', { commarea: Inquiry.from({ INQ_NUMBER: n }) });
         const all = await Promise.all([10000001, 10000008, 1].map(ask));
         return all.map(({ commarea }) => commarea.RESULT_CODE)",
    );
    assert_eq!(all, json!([0, 0, 404]));
    let failed = bank
        .value("try { await cics.run('ACCTINQ', { commarea: 'x' }) } catch (e) { return e.code }");
    assert_eq!(failed, "BKCA");
}

#[test]
fn more_scripts_than_there_are_places_for_their_children_come_to_an_end() {
    let settings = "[script]\nengines = 8\n";
    let definitions = "\nDEFINE TRANCLASS(SCRCLS) GROUP(BANK) MAXACTIVE(2)\nDEFINE TRANSACTION(CJSR) GROUP(BANK) PROGRAM(PROBE) TRANCLASS(SCRCLS)\n";
    let bank = ScriptBank::with(settings, definitions);
    let body = "const Inquiry = new Copybook('ACCTINQ');
        const all = await Promise.all([1, 2, 3].map((n) => cics.run('ACCTINQ', { commarea: Inquiry.from({ INQ_NUMBER: n }) })));
        return all.length";
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..12).map(|_| scope.spawn(|| bank.value(body))).collect();
        for answer in asked {
            assert_eq!(answer.join().unwrap(), 3);
        }
    });
}

#[test]
fn changed_scripts_are_taken_over_and_broken_ones_are_not() {
    let bank = ScriptBank::start("");
    assert_eq!(bank.value("return 1"), 1);
    let good = "export default () => ({ version: 2 })";
    write(bank.folder.path(), "scripts/probe.js", good);
    until("the new script", || bank.value("")["version"] == 2);
    write(
        bank.folder.path(),
        "scripts/probe.js",
        "export default () => {",
    );
    write(bank.folder.path(), "scripts/other.js", "");
    for _ in 0..20 {
        assert_eq!(bank.run("").json()["version"], 2);
    }
}

#[test]
fn check_warns_of_a_route_that_no_request_reaches() {
    let definitions = "\nDEFINE URIMAP(SAME) GROUP(BANK) USAGE(SERVER) PATH(/probe) PROGRAM(OVERVIEW)\n\
                       DEFINE URIMAP(OWN) GROUP(BANK) USAGE(SERVER) PATH(/own) PROGRAM(OVERVIEW)\n";
    let folder = ScriptBank::folder("", definitions);
    let toml = folder.path().join("tupelo.toml");
    let settings = std::fs::read_to_string(&toml).unwrap();
    let hidden =
        "\"/bank/accounts/{id}\" = \"probe.js\"\n\"/bank/accounts/{id}/notes\" = \"probe.js\"\n";
    std::fs::write(&toml, settings + hidden).unwrap();
    let report = text(&run(&["check", folder.path().to_str().unwrap()]).stdout);
    let warnings: Vec<&str> = report
        .lines()
        .filter(|l| l.starts_with("warning"))
        .collect();
    assert_eq!(
        warnings,
        [
            "warning: script route /bank/accounts/{id} (probe.js): no request reaches it, since API accounts serves /bank/accounts/{number}",
            "warning: script route /probe (overview.js): no request reaches it, since /probe (probe.js) is the same path",
        ]
    );
}

#[test]
fn check_reports_a_mistake_with_its_line_and_a_caret() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank"), folder.path());
    let path = folder.path().to_str().unwrap().to_owned();
    write(
        folder.path(),
        "scripts/overview.js",
        "export function GET() {\n  return = 1;\n}\n",
    );
    let out = run(&["check", &path]);
    let report = text(&out.stdout);
    assert!(
        report.contains("scripts/overview.js:2:") && report.contains("^"),
        "{report}"
    );
    assert_eq!(out.status.code(), Some(1));
    write(
        folder.path(),
        "scripts/overview.js",
        "new Copybook('NOWHERE'); export const GET = 1",
    );
    let report = text(&run(&["check", &path]).stdout);
    assert!(
        report.contains("scripts/overview.js:1:") && report.contains("no copybook NOWHERE"),
        "{report}"
    );
    write(
        folder.path(),
        "scripts/overview.js",
        "export const answer = 1",
    );
    let report = text(&run(&["check", &path]).stdout);
    assert!(report.contains("exports no handler"), "{report}");
}

#[test]
fn a_urimap_names_a_script_by_its_program_name() {
    let definitions = "\nDEFINE URIMAP(MAPPED) GROUP(BANK) USAGE(SERVER) PATH(/mapped/*) PROGRAM(PROBE) TRANSACTION(BINQ)\n";
    let bank = ScriptBank::with("", definitions);
    let answer = bank.server.send(
        "POST",
        "/mapped/a/b",
        Some("return [request.params['*'], cics.task.transid]"),
    );
    assert_eq!(answer.json(), json!(["a/b", "BINQ"]));
}

#[test]
fn declarations_name_every_field_of_every_copybook() {
    let bank = example("bank");
    let out = run(&["script", "types", bank.to_str().unwrap()]);
    let types = text(&out.stdout);
    for wanted in [
        "declare const cics",
        "\"ACCTINQ\": Record_ACCTINQ;",
        "  INQ_BALANCE: number;",
        "  LIST_ENTRY: CopybookTable<{",
        "    ENTRY_HOLDER: string;",
    ] {
        assert!(types.contains(wanted), "{wanted} in {types}");
    }
}

#[test]
fn a_scripts_task_has_a_record_with_what_its_programs_cost() {
    let bank = ScriptBank::start("");
    let toml = bank.folder.path().join("tupelo.toml");
    let settings = std::fs::read_to_string(&toml).unwrap();
    let settings = settings.replace("[region]\n", "[region]\nmonitoring = \"records.jsonl\"\n");
    std::fs::write(toml, settings).unwrap();
    let folder = bank.folder;
    drop(bank.server);
    let server = Server::start(folder.path());
    let bank = ScriptBank { server, folder };
    bank.value("inquire(10000001); inquire(10000001); return cics.task.number");
    let path = bank.server.state.path().join("records.jsonl");
    let mut found = Value::Null;
    until("the record", || {
        let records = std::fs::read_to_string(&path).unwrap_or_default();
        let records = records.lines().filter_map(|l| serde_json::from_str(l).ok());
        let of_script: Vec<Value> = records.filter(|r: &Value| r["transid"] == "CJSR").collect();
        found = of_script.first().cloned().unwrap_or_default();
        of_script.len() == 1
    });
    assert_eq!(found["program"], "PROBE");
    assert_eq!(found["file_commands"], 2, "{found}");
    assert!(
        found["general_cpu_ns"].as_u64() > Some(0) && found["offload_cpu_ns"].as_u64() > Some(0)
    );
}

#[test]
fn scripts_ask_who_calls_where_settings_say_so() {
    let rule = "[security.apis.scripts.operations]\n\"POST /probe\" = [\"teller\"]\n\
                \"POST /nowhere\" = [\"teller\"]\n";
    let folder = ScriptBank::folder(rule, "");
    for (user, roles) in [("ada", "teller"), ("eve", "guest")] {
        let app = folder.path().to_str().unwrap();
        let added = ["user", "add", user, "--roles", roles, "--app", app];
        assert_eq!(users::enter(&added, "open sesame\n"), 0);
    }
    let report = run(&["check", folder.path().to_str().unwrap()]);
    let report = text(&[report.stdout, report.stderr].concat());
    assert!(
        report.contains("POST /nowhere") && !report.contains("POST /probe"),
        "{report}"
    );
    let server = Server::start(folder.path());
    let ask = |user: Option<&str>| {
        let header = user.map(|u| gateway::security::users::basic(u, "open sesame"));
        let header = header.map_or(String::new(), |h| format!("authorization: {h}\r\n"));
        let body = "return cics.task.userid";
        let request = format!(
            "POST /probe HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{header}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        http::raw(&server.gateway, request.as_bytes()).unwrap()
    };
    assert_eq!(ask(None).status, 401);
    assert_eq!(ask(Some("eve")).status, 403);
    let answer = ask(Some("ada"));
    assert_eq!((answer.status, text(&answer.body).trim()), (200, "ADA"));
}

#[test]
fn functions_of_the_language_that_cannot_be_asked_to_end_are_ended() {
    let bank = ScriptBank::start("[script]\nrunaway_ms = 200\nmemory_mib = 64\n");
    for body in [
        "const a = 'a'.repeat(2e7); return a.indexOf(a.slice(0, 1e7) + 'b')",
        "return Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)",
        "return Array.prototype.reverse.call({ length: 2 ** 53 - 1 }).length",
        "return Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1).length",
    ] {
        assert_eq!(bank.abend(body), "AICA", "{body}");
        assert_eq!(
            bank.value("return inquire(10000001).INQ_HOLDER"),
            "Ada Byron",
            "after {body}"
        );
    }
    assert_eq!(bank.server.get("/bank/accounts/10000001").status, 200);
}

#[test]
fn a_script_that_computes_lets_others_go_on() {
    let bank = ScriptBank::start("[script]\nengines = 1\nrunaway_ms = 0\ntimeout_ms = 20000\n");
    std::thread::scope(|scope| {
        let long = scope.spawn(|| {
            bank.value(
                "while (!cics.ts('GO').read(1)) for (let i = 0; i < 1e6; i++); return 'done'",
            )
        });
        for _ in 0..30 {
            assert_eq!(
                bank.value("return inquire(10000001).INQ_HOLDER"),
                "Ada Byron"
            );
        }
        assert_eq!(bank.value("return cics.ts('GO').write('go')"), 1);
        assert_eq!(long.join().unwrap(), "done");
    });
}

#[test]
fn a_brief_script_that_turns_endless_is_ended_where_it_runs() {
    let bank = ScriptBank::start("[script]\nrunaway_ms = 200\n");
    for _ in 0..40 {
        assert_eq!(bank.value("return 1"), 1);
    }
    assert_eq!(bank.abend("for (;;) {}"), "AICA");
    let held = "return Array.prototype.reverse.call({ length: 2 ** 53 - 1 }).length";
    for _ in 0..40 {
        assert_eq!(bank.value("return 1"), 1);
    }
    assert_eq!(bank.abend(held), "AICA");
    assert_eq!(
        bank.value("return inquire(10000001).INQ_HOLDER"),
        "Ada Byron"
    );
}

#[test]
fn what_a_request_leaves_is_gone_with_it() {
    let bank = ScriptBank::start("");
    for body in [
        "Object.prototype.left = 1; Array.prototype.map = null; String.prototype.trim = () => 'x'",
        "globalThis.left = Symbol.for('left'); /(l)(e)ft/.exec('left')",
        "Copybook.prototype.view = null; Map.prototype.get = null; Promise.prototype.then = null",
        "globalThis.ref = new WeakRef({}); new FinalizationRegistry(() => {}).register({}, 1)",
        "setTimeout(() => { throw new Error('late') }, 1); return 1",
        "new Promise((resolve) => setTimeout(resolve, 1)).then(() => { Object.prototype.late = 1 })",
        "Object.freeze(globalThis); delete Array.prototype[Symbol.iterator]",
        "Error.prepareStackTrace = () => 'mine'; Error.stackTraceLimit = 0; throw new Error('x')",
        "const a = []; for (;;) a.push({})",
        "Account.view().ACCOUNT_HOLDER = 'left'; Object.getPrototypeOf(Account.view()).json = () => 'mine'",
    ] {
        bank.run(body);
        let clean = bank.value(
            "await new Promise((resolve) => setTimeout(resolve, 3));
             return [typeof left, typeof ref, typeof late, [1].map((n) => n + 1)[0], ' a '.trim(),
                     Account.view().ACCOUNT_HOLDER, JSON.parse(Account.view().json()).ACCOUNT_NUMBER,
                     Object.keys({}).length, inquire(10000001).INQ_HOLDER]",
        );
        let undefined = "undefined";
        assert_eq!(
            clean,
            json!([
                undefined,
                undefined,
                undefined,
                2,
                "a",
                "",
                0,
                0,
                "Ada Byron"
            ]),
            "after {body}"
        );
    }
}

#[test]
fn transactions_queues_and_names_of_others_are_reached() {
    let definitions = "\nDEFINE TDQUEUE(SCRQ) GROUP(BANK) TYPE(INTRA)\n";
    let bank = ScriptBank::with("", definitions);
    let queue = bank.value(
        "const q = cics.td('SCRQ'); q.write('first'); q.write('second');
         return [String.fromCharCode(...q.read()), String.fromCharCode(...q.read()), q.read() ?? null]",
    );
    assert_eq!(queue, json!(["first", "second", null]));
    let counted = bank.value(
        "cics.exec('DEFINE COUNTER', { COUNTER: 'ORDERS', VALUE: 5 });
         return [cics.counter('ORDERS'), cics.counter('ORDERS'), cics.counter('NEW'), cics.counter('NEW')]",
    );
    assert_eq!(
        counted,
        json!([5, 6, 0, 1]),
        "one is made with its first use"
    );
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            bank.value(
                "cics.enq('held'); cics.ts('HELD').write('x'); cics.syncpoint();
                 cics.enq('held'); while (!cics.ts('GO').read(1)) cics.delay(5); return 'freed'",
            )
        });
        until("the name is held", || {
            bank.value("return cics.ts('HELD').read(1) ? 1 : 0") == 1
        });
        until("another task finds it taken", || {
            bank.value("return cics.enq('held', { nosuspend: true })") == false
        });
        bank.value("cics.ts('GO').write('x')");
        assert_eq!(first.join().unwrap(), "freed");
    });
    let started =
        bank.value("try { cics.start('NONE') } catch (e) { return [e.name, e.condition] }");
    assert_eq!(started, json!(["CicsCondition", "TRANSIDERR"]));
}

#[test]
fn a_transaction_that_a_script_starts_runs_and_gets_its_data() {
    let definitions = "\nDEFINE PROGRAM(STARTED) GROUP(BANK)\n\
                       DEFINE TRANSACTION(STRT) GROUP(BANK) PROGRAM(STARTED)\n";
    let folder = ScriptBank::folder("", definitions);
    write(folder.path(), "cobol/STARTED.cbl", STARTED);
    let bank = ScriptBank::of(folder);
    let notes =
        || bank.value("return [...cics.ts('STARTED')].map((i) => String.fromCharCode(...i))");
    bank.value("cics.start('STRT', { data: 'from afar' })");
    until("it has noted its data", || {
        notes() == json!(["STRTfrom afar   "])
    });
    bank.value("cics.start('STRT'); cics.start('STRT', { data: 'later', seconds: 1 })");
    until("both others have run", || {
        notes() == json!(["STRTfrom afar   ", "STRT            ", "STRTlater       "])
    });
    // A task's STARTs begin whether it abends or not, unless they are protected.
    assert_eq!(
        bank.abend("cics.start('STRT', { data: 'before' }); cics.abend('USER')"),
        "USER"
    );
    until("it has run", || {
        notes().as_array().is_some_and(|all| all.len() == 4)
    });
}

#[test]
fn a_program_that_hangs_under_a_script_is_ended_and_the_script_with_it() {
    let definitions = "\nDEFINE PROGRAM(HANGS) GROUP(BANK)\n";
    let folder = ScriptBank::folder("[script]\ntimeout_ms = 4000\n", definitions);
    write(folder.path(), "cobol/HANGS.cbl", HANGS);
    let bank = ScriptBank::of(folder);
    let compute = "cics.link('HANGS', { commarea: 'C' })";
    let caught = "try { cics.link('HANGS', { commarea: 'C' }) } catch {} return 'went on'";
    // A program that computes is ended with its process, and its unit of work
    // with it: the script cannot continue the unit.
    for body in ["cics.link('HANGS', { commarea: 'W' })", compute, caught] {
        let answer = bank.run(body);
        assert_eq!(answer.status, 504, "{body}: {}", text(&answer.body));
        assert_eq!(answer.json()["abendCode"], "AEXY", "{body}");
        assert_eq!(
            bank.value("return inquire(10000001).INQ_HOLDER"),
            "Ada Byron"
        );
    }
    let handled = "try { cics.link('HANGS', { commarea: 'W' }) } catch (e) { return e.code }";
    assert_eq!(bank.value(handled), "AEXY");
}

#[test]
fn a_script_inquires_of_the_region_and_gets_an_error_for_what_it_cannot_ask() {
    let bank = ScriptBank::start("");
    assert_eq!(
        bank.value(
            "const { TRANSACTION } = cics.exec('INQUIRE TASK', { TASK: cics.task.number, TRANSACTION: true });
             const { PROGRAM } = cics.exec('INQUIRE TRANSACTION', { TRANSACTION: 'BINQ', PROGRAM: true });
             return [TRANSACTION, PROGRAM]"
        ),
        json!(["CJSR", "ACCTINQ"])
    );
    // A browse returns each name, alone or with the requested options.
    assert_eq!(
        bank.value(
            "const all = (kind, wanted) => {
               const entries = [];
               cics.exec(`INQUIRE ${kind} START`);
               try { for (;;) entries.push(cics.exec(`INQUIRE ${kind} NEXT`, wanted)) }
               catch (e) { if (e.condition !== 'END') throw e }
               cics.exec(`INQUIRE ${kind} END`);
               return entries;
             };
             cics.enq('held');
             const only = (name) => name.startsWith('ACCT');
             return [
               all('PROGRAM', { PROGRAM: true }).map((p) => p.PROGRAM).filter(only),
               all('FILE', { FILE: true })[0],
               all('PROGRAM').filter((p) => only(p.PROGRAM) && 'STATUS' in p).length,
               all('TRANSACTION').find((t) => t.TRANSACTION === 'BINQ').PROGRAM,
               all('UOW', { UOW: true, TASKID: true }).filter((u) => u.TASKID === cics.task.number).length,
               all('UOWENQ').map((e) => e.RESOURCE),
               all('UOWENQ', { RESOURCE: true }),
             ]"
        ),
        json!([
            ["ACCTINQ", "ACCTLIST", "ACCTMOVE", "ACCTOPEN", "ACCTTERM", "ACCTXFER"],
            { "FILE": "ACCTFILE" },
            6,
            "ACCTINQ",
            1,
            ["held"],
            [{ "RESOURCE": "held" }],
        ])
    );
    let detail_of = |body: &str| {
        let answer = bank.run(body);
        assert_eq!(answer.status, 500, "{body}");
        answer.json()["detail"].as_str().unwrap().to_owned()
    };
    for (body, wanted) in [
        ("cics.exec('INQUIRE TASK', { TASK: 999999 })", "TASKIDERR"),
        (
            "cics.exec('WEB READ HTTPHEADER')",
            "use request, response, fetch",
        ),
        ("cics.exec('SEND MAP')", "a script has no terminal"),
        (
            "cics.exec('SQL SELECT')",
            "EXEC SQL is not supported in scripts",
        ),
    ] {
        let detail = detail_of(body);
        assert!(detail.contains(wanted), "{body}: {detail}");
    }
}

#[test]
fn lines_of_scripts_are_in_the_log_with_their_task_and_never_without_bound() {
    let folder = ScriptBank::folder("", "");
    let path = folder.path().join("said.txt");
    let log = std::fs::File::create(&path).unwrap();
    let server = Server::start_logging(folder.path(), log);
    let bank = ScriptBank { server, folder };
    bank.value("console.log('paid', { order: 7 }); cics.log('x'.repeat(100000) + 'END')");
    bank.value("for (let i = 0; i < 30000; i++) console.log('many')");
    until("the omitted lines are reported", || {
        bank.value("console.warn('one more')");
        let said = std::fs::read_to_string(&path).unwrap();
        said.contains("lines of programs and scripts were left out")
    });
    let said = std::fs::read_to_string(&path).unwrap();
    let paid = said.lines().find(|l| l.contains("paid {\"order\":7}"));
    let paid = paid.unwrap_or_else(|| panic!("{said}"));
    assert!(
        paid.contains("task=") && paid.contains("script=probe.js"),
        "{paid}"
    );
    assert!(!said.contains("xEND") && said.contains("more bytes)"));
    assert!(said.matches("many").count() < 25_000);
}

#[test]
fn a_stack_shows_the_scripts_own_calls_alone() {
    let bank = ScriptBank::start("");
    let stacks = bank.value(
        "const stacks = [];
         for (const wrong of [() => cics.link('NOWHERE'), () => cics.file('NONE'), () => Account.view('x'),
                              () => cics.exec('NOSUCH'), () => XML.parse('<'), () => inquire.nothing.at(0)]) {
           try { wrong() } catch (e) { stacks.push(e.stack) }
         }
         return stacks.join('|')",
    );
    let stacks = stacks.as_str().unwrap();
    assert!(!stacks.contains("tupelo:"), "{stacks}");
    assert_eq!(stacks.matches("POST (probe.js").count(), 6, "{stacks}");
}
