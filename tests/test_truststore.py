"""A Java from a wheel trusts the certificates that Python trusts."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12

from tests.truststore import PASSWORD, trust_options


def certificate(name: str) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    built = x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
    signed = built.not_valid_before(now).not_valid_after(now + timedelta(days=1)).sign(key, hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.PEM)


def test_the_authorities_of_python_are_handed_to_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = b"-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n"
    bundle = tmp_path / "bundle.pem"
    bundle.write_bytes(certificate("one") + broken + certificate("other"))
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    options = trust_options(tmp_path)
    kept = pkcs12.load_pkcs12((tmp_path / "truststore.p12").read_bytes(), PASSWORD.encode()).additional_certs
    assert f"-Djavax.net.ssl.trustStore={tmp_path / 'truststore.p12'}" in options
    assert {entry.certificate.subject.rfc4514_string() for entry in kept} == {"CN=one", "CN=other"}


def test_without_a_bundle_java_trusts_whom_it_always_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = SimpleNamespace(cafile=None)
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: paths)
    assert trust_options(tmp_path) == []
