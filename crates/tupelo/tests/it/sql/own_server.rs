//! A server of the user's own: two regions on it, and a password that is wrong.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;

use super::{add_settings, application, import, served, steps};
use crate::operator::ask;
use crate::program::{text, tupelo, until};
use crate::server::Server;

#[path = "../../../../sql/tests/it/cluster.rs"]
#[allow(dead_code, reason = "other crates use the rest")]
mod cluster;

use cluster::TestCluster;

/// A commit of a change of BOLT waits until there is a row in `gate`.
const GATE: &str = "CREATE TABLE public.gate (n int);
CREATE FUNCTION public.wait_at_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    LOOP
        EXIT WHEN EXISTS (SELECT 1 FROM public.gate);
        PERFORM pg_sleep(0.05);
    END LOOP;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER wait AFTER UPDATE ON \"SHOP\".\"STOCK\" DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.\"ITEM\" = 'BOLT') EXECUTE FUNCTION public.wait_at_commit();";

/// A server with the role of programs, and the settings of a region that uses it.
fn own_server() -> Option<(TestCluster, String)> {
    let cluster = TestCluster::start()?;
    cluster
        .psql("CREATE ROLE \"CICSUSER\" LOGIN PASSWORD 'hunter1'")
        .unwrap();
    let (folder, owner) = (cluster.folder().display().to_string(), cluster.user());
    let settings = format!("url = \"postgresql:///postgres?host={folder}\"\nowner = \"{owner}\"\n");
    Some((cluster, settings))
}

/// `tupelo sql` of an application.
fn sql(app: &Path, args: &[&str]) -> (bool, String) {
    let output = tupelo()
        .arg("sql")
        .args(args)
        .args(["--app", "."])
        .current_dir(app)
        .output()
        .expect("tupelo runs");
    let printed = text(&output.stdout) + &text(&output.stderr);
    (output.status.success(), printed)
}

/// Units of work that a region lists.
fn units(server: &Server) -> usize {
    let all = ask(server, &["uow", "list"]);
    all.as_array().map_or(0, Vec::len)
}

#[test]
fn regions_on_one_server_end_their_own_units() {
    let Some((cluster, settings)) = own_server() else {
        return;
    };
    let (one, first) = served(&settings);
    let (two, second) = served(&settings);
    for args in [&["setup"][..], &["apply", "ddl/stock.sql"]] {
        let (good, printed) = sql(one.path(), args);
        assert!(good, "{printed}");
    }
    let grant = "GRANT USAGE ON SCHEMA \"SHOP\" TO \"CICSUSER\"; \
                 GRANT ALL ON ALL TABLES IN SCHEMA \"SHOP\" TO \"CICSUSER\";";
    cluster.psql(&format!("{grant} {GATE}")).unwrap();
    assert_eq!(steps(&first, "UWS", "NUT").1, ["0", "", ""]);
    assert_eq!(steps(&second, "UWS", "NUT").1, ["0", "", ""]);
    assert_eq!(steps(&first, "Q", "NUT").1, ["9"]);
    // The first region dies while the server commits a unit of its own.
    let body = "{\"steps\":\"UW\",\"item\":\"BOLT\"}";
    let mut client = TcpStream::connect(&first.gateway).unwrap();
    let head = format!(
        "POST /stock HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    client.write_all((head + body).as_bytes()).unwrap();
    let committing =
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT'";
    until("the commit", || {
        cluster.psql(committing).as_deref() == Ok("1")
    });
    let state = first.kill();
    let first = Server::start_in(one.path(), state);
    until("its unit in doubt", || units(&first) == 1);
    // The second knows nothing of it, commits its own, and starts again.
    assert_eq!(units(&second), 0);
    assert_eq!(steps(&second, "UWS", "NUT").1, ["0", "", ""]);
    let state = second.kill();
    let second = Server::start_in(two.path(), state);
    assert_eq!(steps(&second, "QL", "NUT").1, ["10", "NUT"]);
    assert_eq!((units(&first), units(&second)), (1, 0));
    let counted = "SELECT \"COUNTED\" FROM \"SHOP\".\"STOCK\" WHERE \"ITEM\" = 'BOLT'";
    assert_eq!(cluster.psql(counted).as_deref(), Ok("40"));
    cluster.psql("INSERT INTO public.gate VALUES (1)").unwrap();
    until("the outcome", || units(&first) == 0);
    assert_eq!(steps(&first, "Q", "BOLT").1, ["41"]);
    assert_eq!(steps(&second, "Q", "BOLT").1, ["41"]);
    assert_eq!(units(&second), 0);
}

#[test]
fn a_wrong_password_is_sqlcode_922_and_printed_nowhere() {
    let Some((cluster, settings)) = own_server() else {
        return;
    };
    cluster
        .psql(
            "COPY (SELECT 'local all \"CICSUSER\" scram-sha-256') TO PROGRAM \
             'cat > hba.new; cat pg_hba.conf >> hba.new; mv hba.new pg_hba.conf'; \
             SELECT pg_reload_conf();",
        )
        .unwrap();
    let app = application();
    add_settings(app.path(), &format!("{settings}password_file = \"pw\"\n"));
    std::fs::write(app.path().join("pw"), "hunter2\n").unwrap();
    import(app.path());
    let log = tempfile::NamedTempFile::new().unwrap();
    let server = Server::start_logging(app.path(), log.reopen().unwrap());
    assert_eq!(steps(&server, "Q", "BOLT"), (200, vec!["-922".to_owned()]));
    // The right one.
    std::fs::write(app.path().join("pw"), "hunter1\n").unwrap();
    let state = server.stop();
    let printed = std::fs::read_to_string(log.path()).unwrap();
    assert!(
        printed.contains("CICSUSER") && !printed.contains("hunter"),
        "{printed}"
    );
    let server = Server::start_in(app.path(), state);
    assert_eq!(steps(&server, "Q", "BOLT").1, ["-204"]);
}
