"""The certificate: the verdicts, the evidence, and the identity of what was tested (design §4).

One JSON document; every report is rendered from it alone. It refuses what no honest run could
have found, such as a PASS that no counterproof stands behind.
"""

from counterproof.certificate.document import (
    Certificate,
    Counts,
    Footer,
    Kit,
    Outcome,
    Run,
    Stale,
    Subject,
    digest,
    schema,
    seal,
)
from counterproof.certificate.files import (
    CertificateError,
    CertificateWriteError,
    probe_writable,
    read,
    write,
)
from counterproof.certificate.findings import (
    CheckResult,
    Counterexample,
    CounterproofResult,
    Known,
    Level,
    Requirement,
    Verdict,
)

__all__ = [
    "Certificate",
    "CertificateError",
    "CertificateWriteError",
    "CheckResult",
    "Counterexample",
    "CounterproofResult",
    "Counts",
    "Footer",
    "Kit",
    "Known",
    "Level",
    "Outcome",
    "Requirement",
    "Run",
    "Stale",
    "Subject",
    "Verdict",
    "digest",
    "probe_writable",
    "read",
    "schema",
    "seal",
    "write",
]
