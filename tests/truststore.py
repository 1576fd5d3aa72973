"""A trust store for Java with the certificate authorities that Python trusts.

A Java from a wheel lacks the authorities that the user added, such as the authority of a proxy that inspects TLS.
"""

import re
import ssl
import warnings
from contextlib import suppress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

PEM = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
PASSWORD = "changeit"


def trust_options(folder: Path) -> list[str]:
    """Write the trust store into a folder, and return Java's options for the trust store."""
    bundle = ssl.get_default_verify_paths().cafile
    if bundle is None:
        return []
    certificates = valid_certificates(Path(bundle).read_bytes())
    entries = [
        pkcs12.PKCS12Certificate(certificate, str(number).encode()) for number, certificate in enumerate(certificates)
    ]
    store = folder / "truststore.p12"
    encryption = BestAvailableEncryption(PASSWORD.encode())
    store.write_bytes(pkcs12.serialize_java_truststore(entries, encryption))
    properties = {"trustStore": store, "trustStoreType": "PKCS12", "trustStorePassword": PASSWORD}
    return [f"-Djavax.net.ssl.{name}={value}" for name, value in properties.items()]


def valid_certificates(bundle: bytes) -> list[x509.Certificate]:
    """Return the certificates of a bundle that cryptography accepts: it rejects those of some old authorities."""
    certificates: list[x509.Certificate] = []
    for pem in PEM.findall(bundle):
        with warnings.catch_warnings(), suppress(ValueError, UserWarning):
            warnings.simplefilter("error")
            certificates.append(x509.load_pem_x509_certificate(pem))
    return certificates
