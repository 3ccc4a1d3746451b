//! TLS to a server of the settings: Debian's PostgreSQL with certificates of the test.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use sql::wire::LoginCredentials;

use crate::address::ServerUrl;
use crate::connection::{ConnectError, Connection};
use crate::testing::{refused, run, soon};

#[path = "../../sql/tests/it/cluster.rs"]
#[allow(dead_code, reason = "other crates use the rest")]
mod cluster;

use cluster::TestCluster;

/// An authority, a server's certificate for `localhost` and one of the role `clerk`, both
/// signed by it.
fn certificates(folder: &Path) -> PathBuf {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let server = server.signed_by(&key, &issuer).unwrap();
    std::fs::write(folder.join("server.pem"), server.pem()).unwrap();
    std::fs::write(folder.join("server.key"), key.serialize_pem()).unwrap();
    let key = KeyPair::generate().unwrap();
    let mut clerk = CertificateParams::new(Vec::new()).unwrap();
    clerk.distinguished_name.push(DnType::CommonName, "clerk");
    let clerk = clerk.signed_by(&key, &issuer).unwrap();
    std::fs::write(folder.join("clerk.pem"), clerk.pem()).unwrap();
    std::fs::write(folder.join("clerk.key"), key.serialize_pem()).unwrap();
    let file = folder.join("authority.pem");
    std::fs::write(&file, issuer.pem()).unwrap();
    file
}

/// Lines of pg_hba.conf.
const BY_PASSWORD: &str = "host all clerk 127.0.0.1/32 scram-sha-256";
const BY_CERTIFICATE: &str = "hostssl all clerk 127.0.0.1/32 cert";

/// Has a server listen on a port of 127.0.0.1, with TLS unless it is without `ssl`, and log
/// its clients in by `method`.
fn listen(cluster: &TestCluster, files: &Path, ssl: &str, method: &str) -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let read = |name: &str| std::fs::read_to_string(files.join(name)).unwrap();
    // The server's own user must own its key: the server writes the files itself.
    for name in ["server.pem", "server.key", "authority.pem"] {
        let lines = read(name).trim().replace('\n', "','");
        cluster
            .psql(&format!(
                "COPY (SELECT unnest(ARRAY['{lines}'])) TO PROGRAM 'umask 077; cat > {name}'"
            ))
            .unwrap();
    }
    cluster
        .psql(&format!(
            "CREATE ROLE clerk LOGIN PASSWORD 'secret'; \
             COPY (SELECT '{method}') TO PROGRAM 'cat > hba.new; cat pg_hba.conf >> hba.new; mv hba.new pg_hba.conf'"
        ))
        .unwrap();
    let data = cluster.folder().join("data").display().to_string();
    let options = format!(
        "-c listen_addresses=127.0.0.1 -c fsync=off -k {} -p {port} -c ssl={ssl} \
         -c ssl_cert_file=server.pem -c ssl_key_file=server.key \
         -c ssl_ca_file=authority.pem",
        cluster.folder().display()
    );
    let log = cluster.folder().join("log").display().to_string();
    let arguments = [
        "-D", &data, "-w", "-t", "60", "-m", "fast", "-o", &options, "-l", &log, "restart",
    ];
    let (good, text) = cluster.run("pg_ctl", &arguments);
    assert!(good, "{text}");
    port
}

fn open(url: &str) -> Result<Connection, ConnectError> {
    let url: ServerUrl = url.parse().unwrap();
    let credentials = LoginCredentials {
        user: "clerk".into(),
        database: url.database.clone(),
        password: Some("secret".to_owned()),
        settings: Vec::new(),
    };
    Connection::open(&url.address, credentials, soon())
}

fn refusal(url: &str) -> String {
    match open(url) {
        Ok(_) => panic!("{url} was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_servers_certificate_is_checked_as_the_address_asks() {
    let Some(cluster) = TestCluster::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let authority = certificates(folder.path());
    let other = tempfile::tempdir().unwrap();
    let stranger = certificates(other.path());
    let port = listen(&cluster, folder.path(), "on", BY_PASSWORD);
    let url = |host: &str, mode: &str, file: &Path| {
        format!(
            "postgresql://{host}:{port}/postgres?sslmode={mode}&sslrootcert={}",
            file.display()
        )
    };
    let is_encrypted = |connection: &mut Connection| {
        let sql = "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        let answer = run(connection, sql);
        assert_eq!(answer.text(0, 0), Some("true"));
    };
    let required = format!("postgresql://127.0.0.1:{port}/postgres?sslmode=require");
    is_encrypted(&mut open(&required).unwrap());
    is_encrypted(&mut open(&url("127.0.0.1", "verify-ca", &authority)).unwrap());
    let mut named = open(&url("localhost", "verify-full", &authority)).unwrap();
    is_encrypted(&mut named);
    // Another name than the certificate's, and an authority that did not sign it.
    let message = refusal(&url("127.0.0.1", "verify-full", &authority));
    assert!(message.contains("certificate"), "{message}");
    let message = refusal(&url("localhost", "verify-ca", &stranger));
    assert!(message.contains("certificate"), "{message}");
    // Results of many megabytes, and statements of one, pass both ways.
    let text = "x".repeat(1 << 20);
    let answer = run(
        &mut named,
        &format!("SELECT repeat('{text}', 8), length('{text}')::text"),
    );
    assert_eq!(answer.text(0, 0).map(str::len), Some(8 << 20));
    assert_eq!(answer.text(0, 1), Some("1048576"));
    // A statement is cancelled over a connection of its own.
    let key = named.cancel_key().unwrap();
    let address = url("localhost", "verify-full", &authority);
    let address = address.parse::<ServerUrl>().unwrap().address;
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        Connection::cancel(&address, key, soon()).unwrap();
    });
    assert_eq!(refused(&mut named, "SELECT pg_sleep(30)"), "57014");
    canceller.join().unwrap();
    // The end of the region's descriptor is that of the connection.
    named.socket().shut_down();
    let mut watcher = open(&required).unwrap();
    let count = "SELECT count(*)::text FROM pg_stat_activity WHERE usename = 'clerk' AND pid <> pg_backend_pid()";
    let begin = std::time::Instant::now();
    while run(&mut watcher, count).text(0, 0) != Some("0") {
        assert!(begin.elapsed().as_secs() < 20, "the session stays");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_server_without_tls_is_refused_where_it_is_required() {
    let Some(cluster) = TestCluster::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let port = listen(&cluster, folder.path(), "off", BY_PASSWORD);
    let url = format!("postgresql://127.0.0.1:{port}/postgres");
    open(&url).unwrap();
    let message = refusal(&format!("{url}?sslmode=require"));
    assert!(message.contains("does not accept TLS"), "{message}");
}

#[test]
fn a_server_that_asks_for_a_certificate_gets_that_of_the_address() {
    let Some(cluster) = TestCluster::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let authority = certificates(folder.path());
    let other = tempfile::tempdir().unwrap();
    certificates(other.path());
    let port = listen(&cluster, folder.path(), "on", BY_CERTIFICATE);
    let url = |mode: &str, from: &Path| {
        format!(
            "postgresql://localhost:{port}/postgres?sslmode={mode}&sslcert={0}/clerk.pem&sslkey={0}/clerk.key",
            from.display()
        )
    };
    let roots = format!("&sslrootcert={}", authority.display());
    for mode in ["require", "verify-ca", "verify-full"] {
        let roots = if mode == "require" { "" } else { &roots };
        let mut connection = open(&(url(mode, folder.path()) + roots)).unwrap();
        let sql = "SELECT client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        assert!(
            run(&mut connection, sql)
                .text(0, 0)
                .is_some_and(|dn| dn.contains("clerk"))
        );
    }
    // None, one of another authority, and files that are none.
    let message = refusal(&format!(
        "postgresql://localhost:{port}/postgres?sslmode=require"
    ));
    assert!(message.contains("certificate"), "{message}");
    refusal(&url("require", other.path()));
    let message = refusal(&url("require", Path::new("/nowhere")));
    assert!(message.contains("/nowhere/clerk"), "{message}");
}
