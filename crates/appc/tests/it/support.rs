//! Two nodes joined by DLSw over loopback.

use appc::config::AppcConfig;
use appc::{NodeHost, aping, transactions};

/// A server with every program, on its own port.
pub fn server(lu: &str) -> NodeHost {
    server_with(AppcConfig::named(lu).unwrap())
}

/// A server with this configuration.
pub fn server_with(mut config: AppcConfig) -> NodeHost {
    config.listen = Some("127.0.0.1:0".parse().unwrap());
    let host = NodeHost::start(config).unwrap();
    aping::define(&host).unwrap();
    transactions::define(&host).unwrap();
    host
}

/// A client that knows where `server` is.
pub fn client(lu: &str, server: &NodeHost) -> NodeHost {
    client_with(AppcConfig::named(lu).unwrap(), server)
}

/// A client with this configuration that knows where `server` is.
pub fn client_with(config: AppcConfig, server: &NodeHost) -> NodeHost {
    let host = NodeHost::start(config).unwrap();
    let at = server.listening().unwrap().to_string();
    host.define_partner(server.lu(), &at).unwrap();
    host
}
