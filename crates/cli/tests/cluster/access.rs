//! Access to a server: who is admitted works, who is not gets an error that says so.

use crate::processes::{Server, alone, program, report};
use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a command says that does nothing but ask for a run that does not exist, and whether it was
/// admitted.
fn asks(server: &Server, address: &str, options: &[&str]) -> (bool, String) {
    let output = server
        .selvedge(&["cluster", "cancel", "nothing", "--cluster", address])
        .args(options)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    match output.status.code() {
        Some(1) => assert!(said.contains("there is no run nothing"), "{said}"),
        Some(2) => assert!(said.starts_with("error: --cluster "), "{said}"),
        code => panic!("{code:?}: {said}"),
    }
    (output.status.code() == Some(1), said)
}

fn admitted(server: &Server, address: &str, options: &[&str]) {
    let (admitted, said) = asks(server, address, options);
    assert!(admitted, "{address} {options:?}: {said}");
}

/// The error names the host, the reason, and no secret.
fn refused(server: &Server, address: &str, options: &[&str], why: &str) {
    let (admitted, said) = asks(server, address, options);
    assert!(!admitted, "{address} {options:?}");
    assert!(said.to_lowercase().contains(why), "{said}");
    assert!(said.contains("://127.0.0.1:"), "{said}");
    assert!(!said.contains("secret"), "{said}");
}

const VIOLATION: &str = "authorization violation";

#[test]
fn users_and_tokens_are_those_of_the_server() {
    let server = Server::with("authorization { user: \"a b\", password: \"secret/1\" }");
    let at = |who: &str| format!("nats://{who}127.0.0.1:{}", server.port());
    admitted(&server, &at("a%20b:secret%2F1@"), &[]);
    refused(&server, &at("a%20b:secret2@"), &[], VIOLATION);
    refused(&server, &at("secret3@"), &[], VIOLATION);
    refused(&server, &at(""), &[], VIOLATION);
    let server = Server::with("authorization { token: \"secret4\" }");
    let at = |who: &str| format!("nats://{who}127.0.0.1:{}", server.port());
    admitted(&server, &at("secret4@"), &[]);
    refused(&server, &at("secret5@"), &[], VIOLATION);
    // A worker that is not admitted ends, too.
    let worker = server
        .selvedge(&["worker", "--cluster", &at("secret6@")])
        .output()
        .unwrap();
    assert_eq!(worker.status.code(), Some(2));
}

#[test]
fn keys_are_read_from_files() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let [known, unknown] = [KeyPair::new_user(), KeyPair::new_user()];
    let server = Server::with(&format!(
        "authorization {{ users: [ {{ nkey: {} }} ] }}",
        known.public_key()
    ));
    let right = file("right.nk", &format!("{}\n", known.seed().unwrap()));
    let wrong = file("wrong.nk", &unknown.seed().unwrap());
    admitted(&server, &server.url(), &["--cluster-credentials", &right]);
    refused(
        &server,
        &server.url(),
        &["--cluster-credentials", &wrong],
        VIOLATION,
    );
    let damaged = file("damaged.creds", "secret");
    for (name, why) in [(damaged.as_str(), "damaged.creds: "), ("no.creds", "no.creds: ")] {
        refused(&server, &server.url(), &["--cluster-credentials", name], why);
    }
}

/// A claim of the operator mode, signed.
fn claim(issuer: &KeyPair, subject: &str, nats: &Value) -> String {
    let encoded = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let header = encoded(&json!({"typ": "JWT", "alg": "ed25519-nkey"}));
    let claims = encoded(&json!({
        "jti": "1", "iat": 1_700_000_000, "iss": issuer.public_key(), "name": "test", "sub": subject, "nats": nats,
    }));
    let text = format!("{header}.{claims}");
    let signature = issuer.sign(text.as_bytes()).unwrap();
    format!("{text}.{}", BASE64URL_NOPAD.encode(&signature))
}

/// The text of a file of credentials, as `nsc` writes it.
fn credentials(account: &KeyPair) -> String {
    let user = KeyPair::new_user();
    let rights =
        json!({"pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1, "type": "user", "version": 2});
    format!(
        "-----BEGIN NATS USER JWT-----\n{}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
        claim(account, &user.public_key(), &rights),
        user.seed().unwrap()
    )
}

#[test]
fn credentials_are_those_of_an_account() {
    let (operator, system) = (KeyPair::new_operator(), KeyPair::new_account());
    let [account, stranger] = [KeyPair::new_account(), KeyPair::new_account()];
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
    });
    let all = json!({"limits": limits, "default_permissions": {"pub": {}, "sub": {}}, "type": "account", "version": 2});
    let none =
        json!({"limits": {"conn": -1, "subs": -1, "wildcards": true}, "type": "account", "version": 2});
    let top = claim(
        &operator,
        &operator.public_key(),
        &json!({"type": "operator", "version": 2}),
    );
    let server = Server::with(&format!(
        "operator: {top}\nsystem_account: {system}\nresolver: MEMORY\n\
         resolver_preload: {{ {system}: {}, {account}: {} }}",
        claim(&operator, &system.public_key(), &none),
        claim(&operator, &account.public_key(), &all),
        system = system.public_key(),
        account = account.public_key(),
    ));
    for (who, is_known) in [(&account, true), (&stranger, false)] {
        let path = server.directory().join("user.creds");
        std::fs::write(&path, credentials(who)).unwrap();
        let options = ["--cluster-credentials", path.to_str().unwrap()];
        match is_known {
            true => admitted(&server, &server.url(), &options),
            false => refused(&server, &server.url(), &options, VIOLATION),
        }
    }
}

/// Certificates of an authority of the test.
struct Authority(tempfile::TempDir);

impl Authority {
    fn new() -> Authority {
        let authority = Authority(tempfile::tempdir().unwrap());
        let to = ["-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority"];
        authority.openssl(&[&["-x509"], &to[..]].concat());
        authority.signs("server");
        authority.signs("client");
        authority
    }

    fn signs(&self, name: &str) {
        let [key, certificate] = [format!("{name}.key"), format!("{name}.pem")];
        let names = "subjectAltName=IP:127.0.0.1";
        self.openssl(&[
            "-x509",
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-keyout",
            &key,
            "-out",
            &certificate,
            "-subj",
            &format!("/CN={name}"),
            "-addext",
            names,
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ]);
    }

    /// Makes a key and a certificate.
    fn openssl(&self, arguments: &[&str]) {
        let made = Command::new("openssl")
            .args([
                "req",
                "-new",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
            ])
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .expect("`make setup` installs openssl");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn connections_are_encrypted_and_certificates_checked() {
    let [authority, other] = [Authority::new(), Authority::new()];
    let [ca, certificate, key] = ["ca.pem", "server.pem", "server.key"].map(|name| authority.file(name));
    let files = format!(
        "cert_file: {:?}, key_file: {:?}, ca_file: {:?}",
        certificate, key, ca
    );
    let users = "authorization { user: u, password: secret1 }";
    let server = Server::with(&format!("tls {{ {files} }}\n{users}"));
    let at = |scheme: &str, password: &str| format!("{scheme}://u:{password}@127.0.0.1:{}", server.port());
    let trusts = ["--cluster-ca", text(&ca)];
    let other_ca = other.file("ca.pem");
    refused(&server, &at("tls", "secret1"), &[], "certificate");
    refused(
        &server,
        &at("tls", "secret1"),
        &["--cluster-ca", text(&other_ca)],
        "certificate",
    );
    refused(&server, &at("nats", "secret2"), &trusts, VIOLATION);
    admitted(&server, &at("nats", "secret1"), &trusts);
    // A run, from its beginning to its end.
    let transfer = program("examples/bank_transfer.c");
    let address = at("tls", "secret1");
    let _worker = server.worker_with(&["--cluster", &address, trusts[0], trusts[1]]);
    let arguments = [transfer.as_str(), "--cluster", &address, trusts[0], trusts[1]];
    let (checked, said) = report(server.check(&arguments));
    assert_eq!(checked, alone(&[&transfer]), "{said}");

    // A server that asks for certificates of clients.
    let server = Server::with(&format!("tls {{ {files}, verify: true }}"));
    let address = format!("tls://127.0.0.1:{}", server.port());
    let owns = |of: &Authority| {
        let [certificate, key] = ["client.pem", "client.key"].map(|name| of.file(name));
        let files = [&ca, &certificate, &key].map(|path| text(path).to_owned());
        let names = ["--cluster-ca", "--cluster-cert", "--cluster-key"];
        [0, 1, 2].map(|n| format!("{}={}", names[n], files[n]))
    };
    let [right, wrong] = [owns(&authority), owns(&other)];
    admitted(&server, &address, &right.each_ref().map(String::as_str));
    let wrong = wrong.each_ref().map(String::as_str);
    refused(&server, &address, &wrong, "--cluster tls");
    refused(&server, &address, &trusts, "--cluster tls");
    // A server without encryption is not good enough where encryption is asked for.
    let server = Server::with("");
    let address = format!("tls://127.0.0.1:{}", server.port());
    refused(&server, &address, &trusts, "tls");
}
