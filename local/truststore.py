"""Lets Java trust whom Python trusts: a Java from a wheel knows nothing of a certificate authority of the user's own,
such as that of a proxy which looks into TLS."""

import re
import ssl
import warnings
from contextlib import suppress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

PEM = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
PASSWORD = "changeit"  # noqa: S105 - Java's own default; the file holds public certificates alone


def trust_options(folder: Path) -> list[str]:
    """Return the options for a Java that is to trust Python's certificate authorities, written into a folder."""
    bundle = ssl.get_default_verify_paths().cafile
    if bundle is None:
        return []
    certificates = readable(Path(bundle).read_bytes())
    entries = [pkcs12.PKCS12Certificate(each, str(number).encode()) for number, each in enumerate(certificates)]
    store = folder / "truststore.p12"
    encryption = BestAvailableEncryption(PASSWORD.encode())
    store.write_bytes(pkcs12.serialize_java_truststore(entries, encryption))
    properties = {"trustStore": store, "trustStoreType": "PKCS12", "trustStorePassword": PASSWORD}
    return [f"-Djavax.net.ssl.{name}={value}" for name, value in properties.items()]


def readable(bundle: bytes) -> list[x509.Certificate]:
    """Return the certificates of a bundle; one that breaks the rules, as some old authorities' do, is left out."""
    found: list[x509.Certificate] = []
    for pem in PEM.findall(bundle):
        with warnings.catch_warnings(), suppress(ValueError, UserWarning):
            warnings.simplefilter("error")
            found.append(x509.load_pem_x509_certificate(pem))
    return found
