//! One API that programs call: its structures, its server, and its credentials.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fetch::{FetchSettings, FetchedResponse, HttpFetcher, Request, SettingsError};
use gateway::{CallInterface, CallableApi, OutboundRequest};
use link::CommandOperands;
use worker::baq::{operand, pairs};

use super::credential::{ApiCredentials, CallerParameters};
use super::result::CallResult;
use crate::app::Application;
use crate::app::config::RequesterApi;
use crate::app::finding::Findings;

/// An API and the connection to its server.
pub struct RemoteApi {
    requester: CallableApi,
    url: String,
    fetcher: HttpFetcher,
    credentials: ApiCredentials,
}

/// APIs by the names that programs use: the title of the document (as in Tupelo's
/// information blocks), the name of its settings and folder (as in those of z/OS
/// Connect), and the name that the toolkit of z/OS Connect EE gives.
#[derive(Debug, Default)]
pub struct CallableApis {
    all: Vec<Arc<RemoteApi>>,
    by_name: BTreeMap<String, Arc<RemoteApi>>,
}

impl CallableApis {
    fn add(&mut self, name: &str, api: RemoteApi) {
        let api = Arc::new(api);
        for own in [api.requester.name(), api.requester.toolkit_name()] {
            let entry = self.by_name.entry(own.to_owned());
            entry.or_insert_with(|| api.clone());
        }
        self.by_name.insert(name.to_owned(), api.clone());
        self.all.push(api);
    }

    /// The API of a name.
    pub fn get(&self, name: &str) -> Option<&Arc<RemoteApi>> {
        self.by_name.get(name)
    }

    /// The number of APIs.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The names, as text.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.by_name.keys().map(String::as_str).collect();
        if names.is_empty() {
            "no API can be called".to_owned()
        } else {
            format!("expected {}", names.join(", "))
        }
    }
}

impl std::fmt::Debug for RemoteApi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// Reads the APIs that an application calls; errors go to `findings`.
pub fn read(app: &Application, findings: &mut Findings) -> CallableApis {
    let section = &app.config.requester;
    let mut all = CallableApis::default();
    for (name, config) in &section.apis {
        let folder = app.folder.join(&section.folder).join(name);
        let requester = match CallableApi::load(&folder, app.code_page()) {
            Ok((requester, notes)) => {
                findings.extend(notes.0);
                requester
            }
            Err(faults) => {
                findings.extend(faults.0);
                continue;
            }
        };
        match RemoteApi::new(requester, config, &app.folder) {
            Ok(api) => all.add(name, api),
            Err(why) => findings.warn(format!("[requester.apis.{name}] is not called: {why}")),
        }
    }
    all
}

impl RemoteApi {
    fn new(
        requester: CallableApi,
        config: &RequesterApi,
        folder: &Path,
    ) -> Result<RemoteApi, String> {
        let credentials = ApiCredentials::read(config, folder)?;
        let own = (!credentials.are_none()).then_some(config.url.as_str());
        if let Some(url) = own
            .into_iter()
            .chain(credentials.urls())
            .find(|url| fetch::is_in_the_clear(url))
        {
            return Err(format!(
                "credentials leave this machine only over https://, and {url} begins with http://"
            ));
        }
        let shown = match (&config.certificate, &config.key) {
            (Some(certificate), Some(key)) => Some((folder.join(certificate), folder.join(key))),
            (None, None) => None,
            _ => return Err("certificate and key go together".into()),
        };
        let secure = std::iter::once(config.url.as_str())
            .chain(credentials.urls())
            .any(|url| url.starts_with("https://"));
        if shown.is_some() && !secure {
            return Err("a certificate needs https://".into());
        }
        let token_urls = credentials.urls().map(str::to_owned);
        let settings = FetchSettings {
            allow: std::iter::once(config.url.clone())
                .chain(token_urls)
                .collect(),
            timeout: Duration::from_millis(config.timeout_ms.into()),
            most_bytes: (config.max_kib as usize) << 10,
            trusted: config.trusted.as_ref().map(|file| folder.join(file)),
            shown,
        };
        let fetcher = HttpFetcher::new(&settings).map_err(|wrong| match wrong {
            SettingsError::Address { .. } => format!("url: {wrong}"),
            SettingsError::Trusted(_) => format!("trusted: {wrong}"),
            SettingsError::Shown(_) => format!("certificate: {wrong}"),
        })?;
        Ok(RemoteApi {
            requester,
            url: config.url.trim_end_matches('/').to_owned(),
            fetcher,
            credentials,
        })
    }

    /// Makes a call.
    pub async fn call(&self, given: &CommandOperands) -> CallResult {
        self.attempt(given).await.unwrap_or_else(|failed| failed)
    }

    async fn attempt(&self, given: &CommandOperands) -> Result<CallResult, CallResult> {
        let stub = given.get_int(operand::STUB) == Some(1);
        let calling = if stub {
            CallInterface::Stub
        } else {
            CallInterface::HostApi
        };
        let text = |index| String::from_utf8_lossy(given.get_bytes(index).unwrap_or_default());
        let (path, method) = (text(operand::PATH), text(operand::METHOD));
        let operation = (&*path, &*method);
        let areas = named(given, operand::AREAS);
        let base = given.get_bytes(operand::BASE).unwrap_or_default();
        let outbound = self.requester.request(calling, operation, base, &areas);
        let outbound = outbound.map_err(|fault| CallResult::refused(fault.0))?;
        let own = CallerParameters(named(given, operand::PARAMETERS));
        let fetched = self.send(outbound, &own).await?;
        let (status, body) = (fetched.status, &fetched.body);
        match self.requester.response(calling, operation, status, body) {
            Ok(returned) => Ok(CallResult::answered(&fetched, returned, stub)),
            Err(fault) => Err(CallResult::refused(fault.0).with_status(status)),
        }
    }

    /// Sends a request with its credentials; again with a new token if the server rejects
    /// the old one.
    async fn send(
        &self,
        outbound: OutboundRequest,
        own: &CallerParameters,
    ) -> Result<FetchedResponse, CallResult> {
        let mut renew = false;
        loop {
            let identity = self.credentials.identity(&self.fetcher, own, renew).await?;
            let mut headers = outbound.headers.clone();
            headers.push(("Accept".into(), "application/json".into()));
            if outbound.body.is_some() {
                headers.push(("Content-Type".into(), outbound.media.clone()));
            }
            headers.extend(identity.headers);
            let request = Request {
                method: outbound.method.clone(),
                url: format!("{}{}", self.url, outbound.path),
                headers,
                body: outbound.body.clone().unwrap_or_default(),
                timeout: None,
            };
            let fetched = fetched(&self.fetcher, request).await?;
            if fetched.status != 401 || !identity.by_token || renew {
                return Ok(fetched);
            }
            renew = true;
        }
    }
}

/// The response to a request, or the result that the program gets instead.
pub async fn fetched(
    fetcher: &HttpFetcher,
    request: Request,
) -> Result<FetchedResponse, CallResult> {
    let fetching = fetcher.fetch(request);
    let fetching = fetching.map_err(|why| CallResult::refused(why.to_string()))?;
    let fetched = fetching.await;
    fetched.map_err(|why| CallResult::no_response(why.to_string()))
}

fn named(given: &CommandOperands, index: u8) -> Vec<(String, Vec<u8>)> {
    let all = pairs(given.get_bytes(index).unwrap_or_default()).into_iter();
    let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    all.map(|(n, value)| (name(n), value.to_vec())).collect()
}
