//! How a client gets access to a server.
//!
//! The NATS client does not look at the user and the password of an address, so they are taken from
//! it here.

use super::fault::Fault;
use async_nats::{ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;
use std::path::PathBuf;

/// How to get access to a server, besides what its address says.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// A file with credentials, as `nsc` writes it, or with the seed of an nkey.
    pub credentials: Option<PathBuf>,
    /// A file with certificates of authorities that are trusted, besides those of the system.
    pub authority: Option<PathBuf>,
    /// Files with this client's certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// An address as it may be shown: without user, password and token.
pub fn shown(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if scheme < at => format!("{}{}", &url[..scheme + 3], &url[at + 1..]),
        (None, Some(at)) => url[at + 1..].to_owned(),
        _ => url.to_owned(),
    }
}

/// Adds what is needed for access to the options of a connection.
pub(super) fn with_access(
    mut options: ConnectOptions,
    address: &ServerAddr,
    access: &Access,
) -> Result<ConnectOptions, Fault> {
    let word = |encoded: &str| {
        let decoded = percent_decode_str(encoded).decode_utf8();
        decoded
            .map(|word| word.into_owned())
            .map_err(|error| Fault::of("the address", error))
    };
    options = match (address.username(), address.password()) {
        (None, None) => options,
        (Some(token), None) => options.token(word(token)?),
        (user, password) => {
            let [user, password] = [user, password].map(Option::unwrap_or_default);
            options.user_and_password(word(user)?, word(password)?)
        }
    };
    if let Some(file) = &access.credentials {
        let fault = |error: &dyn std::fmt::Display| {
            Fault::of("the credentials", format!("{}: {error}", file.display()))
        };
        let text = std::fs::read_to_string(file).map_err(|error| fault(&error))?;
        options = match seed(&text) {
            Some(seed) => options.nkey(seed.to_owned()),
            None => options.credentials(&text).map_err(|error| fault(&error))?,
        };
    }
    if let Some(file) = &access.authority {
        options = options.add_root_certificates(file.clone()).require_tls(true);
    }
    if let Some((certificate, key)) = &access.certificate {
        options = options.add_client_certificate(certificate.clone(), key.clone());
    }
    Ok(options)
}

/// The seed of a user's nkey, if the text is nothing else.
fn seed(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    let seed = words.next().filter(|word| word.starts_with("SU"))?;
    words.next().is_none().then_some(seed)
}

#[cfg(test)]
mod tests {
    #[test]
    fn addresses_are_shown_without_secrets() {
        for (url, shown) in [
            ("nats://host", "nats://host"),
            ("tls://user:p@ss@host:4222", "tls://host:4222"),
            ("nats://token@host", "nats://host"),
            ("user:password@host", "host"),
        ] {
            assert_eq!(super::shown(url), shown);
        }
    }

    #[test]
    fn a_seed_stands_alone() {
        assert_eq!(super::seed("SUABC\n"), Some("SUABC"));
        assert_eq!(super::seed("SUABC and more"), None);
        assert_eq!(super::seed("-----BEGIN NATS USER JWT-----"), None);
    }
}
