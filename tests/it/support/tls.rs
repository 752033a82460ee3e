//! Certificates of the tests' own.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{ServerConfig, crypto};

/// Makes an authority and a certificate of it for `localhost` that is good until a year; returns the authority's (PEM).
pub(crate) fn tls(until: i32) -> (TlsAcceptor, String) {
    let mut authority = CertificateParams::new(Vec::new()).expect("no name is a bad one");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().expect("the system has chance");
    let ca = authority.self_signed(&authority_key).expect("a key signs").pem();
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().expect("the system has chance");
    let mut server = CertificateParams::new(vec!["localhost".to_owned()]).expect("it is a name");
    server.not_after = date_time_ymd(until, 1, 1);
    let certificate = server.signed_by(&key, &issuer).expect("a key signs");
    let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring knows TLS")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
        .expect("the key is that of the certificate");
    (TlsAcceptor::from(Arc::new(config)), ca)
}
