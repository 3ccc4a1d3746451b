//! EXEC SQL in a unit of work that another region decides: the table of one region and
//! a recoverable queue of the other are changed together or not at all.

use super::{add_settings, application, apply_in, is_installed};
use crate::http;
use crate::ipconn::ServerProcess;
use crate::program::{text, tupelo, until};
use crate::units::{COMMIT, COMMITTED, LossyProxy, PREPARED};

/// STOCK of the other region does the steps; this program writes a queue and ends as the
/// twelfth step says: A abends.
const FRONT: &str = include_str!("../../../testdata/programs/sql/links/FRONT.cbl");

const OPTIONS: [&str; 4] = ["--listen", "127.0.0.1:0", "--ipconn", "127.0.0.1:0"];

/// A region with the application.
struct ShopRegions {
    app: tempfile::TempDir,
    process: ServerProcess,
    http: String,
    admin: String,
    ipconn: String,
}

impl ShopRegions {
    /// Serves `program` as the API `stock`, with tables where `has_tables`.
    fn start(program: &str, settings: &str, has_tables: bool) -> ShopRegions {
        let app = application();
        add_settings(app.path(), settings);
        std::fs::write(app.path().join("cobol/FRONT.cbl"), FRONT).unwrap();
        let more = "DEFINE TRANSACTION(FRNT) GROUP(SHOP) PROGRAM(FRONT)\n";
        let csd = app.path().join("resources.csd");
        let old = std::fs::read_to_string(&csd).unwrap();
        std::fs::write(&csd, old + more).unwrap();
        let imported = tupelo()
            .args(["api", "import", "stock", "--program", program])
            .args([
                "--transid",
                if program == "FRONT" { "FRNT" } else { "STCK" },
            ])
            .args([
                "--request",
                "copybooks/STOCKCA.cpy",
                "--strip-prefix",
                "CA",
                "--app",
                ".",
            ])
            .current_dir(app.path())
            .output()
            .unwrap();
        assert!(imported.status.success(), "{}", text(&imported.stderr));
        let state = tempfile::tempdir().unwrap();
        if has_tables {
            apply_in(app.path(), &state.path().join("state"));
        }
        let process = ServerProcess::start_in(state, app.path(), &OPTIONS);
        let mut shop = ShopRegions {
            app,
            process,
            http: String::new(),
            admin: String::new(),
            ipconn: String::new(),
        };
        shop.find();
        shop
    }

    fn find(&mut self) {
        self.http = self.process.address("gateway");
        self.admin = self.process.address("admin");
        self.ipconn = self.process.address("ipconn");
    }

    fn restart(&mut self) {
        self.process.restart(self.app.path(), &OPTIONS);
        self.find();
    }

    fn steps(&self, steps: &str) -> (u16, String) {
        steps_at(&self.http, steps)
    }

    fn units(&self) -> usize {
        let all = http::send(&self.admin, "GET", "/uow", None).json();
        all.as_array().map_or(0, Vec::len)
    }
}

/// Calls the API's program with steps. Returns the status and the first result.
fn steps_at(http: &str, steps: &str) -> (u16, String) {
    let body = format!("{{\"steps\":\"{steps}\",\"item\":\"BOLT\"}}");
    let answer = http::send(http, "POST", "/stock", Some(&body));
    let reply: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let first = reply["result"][0].as_str().unwrap_or_default();
    (answer.status, first.trim().to_owned())
}

/// The region that decides, the region with the tables, and the proxy between them.
fn shops() -> (ShopRegions, ShopRegions, LossyProxy) {
    let far = ShopRegions::start(
        "STOCK",
        "[region]\napplid = \"FAR\"\nsysid = \"FAR\"\n",
        true,
    );
    let (way, address) = LossyProxy::new();
    way.lead_to(&far.ipconn);
    let settings = format!(
        "[region]\napplid = \"NEAR\"\nsysid = \"NEAR\"\n[ipconn.connections.PEER]\naddress = \"{address}\"\n"
    );
    let near = ShopRegions::start("FRONT", &settings, false);
    until("the regions are connected", || {
        let all = http::send(&near.admin, "GET", "/connections", None).json();
        all["connections"][0]["state"] == "ACQUIRED"
    });
    (near, far, way)
}

#[test]
fn a_table_of_one_region_and_a_queue_of_another_change_together() {
    if !is_installed() {
        return;
    }
    let (near, far, _way) = shops();
    assert_eq!(near.steps("UW"), (200, "0".to_owned()));
    // The row is locked until the server has committed it, and read as it was.
    until("the row", || far.steps("Q") == (200, "41".to_owned()));
    assert_eq!(near.steps("L"), (200, "BOLT".to_owned()));
    assert_eq!(far.steps("L"), (200, "BOLT".to_owned()));
    // An abend in the region that decides backs the table out.
    assert_eq!(near.steps("U          A").0, 500);
    assert_eq!(far.steps("Q"), (200, "41".to_owned()));
    // So does an abend in the region with the table.
    assert_eq!(near.steps("UA").0, 500);
    assert_eq!(far.steps("Q"), (200, "41".to_owned()));
    // A unit that only reads in the other region.
    assert_eq!(near.steps("Q"), (200, "41".to_owned()));
    assert_eq!((near.units(), far.units()), (0, 0));
}

#[test]
fn a_prepared_branch_outlives_its_region_and_the_server() {
    if !is_installed() {
        return;
    }
    let (near, mut far, way) = shops();
    assert_eq!(near.steps("U"), (200, "0".to_owned()));
    let mut expected = 41;
    for lost in [PREPARED, COMMIT, COMMITTED] {
        way.lose(lost);
        std::thread::scope(|scope| {
            let http = near.http.clone();
            let task = scope.spawn(move || steps_at(&http, "U"));
            way.wait();
            // Its private server ends with the region.
            far.restart();
            way.lead_to(&far.ipconn);
            way.open();
            let (status, _) = task.join().unwrap();
            assert_eq!(status == 200, lost != PREPARED, "{lost:?}");
        });
        expected += i32::from(lost != PREPARED);
        until("nothing is in doubt", || {
            (near.units(), far.units()) == (0, 0)
        });
        until("the row", || far.steps("UR").1 == "0");
        let log = far.process.log();
        assert_eq!(
            far.steps("Q"),
            (200, expected.to_string()),
            "{lost:?}\n{log}"
        );
    }
}
