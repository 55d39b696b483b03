"""A certificate on disk: written whole or not at all, and believed only after checking."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from counterproof.certificate.document import Certificate, digest_of_document, seal

_SHOWN_FAULTS = 3


class CertificateError(ValueError):
    """A file that is no certificate, or not the one that was written."""


class CertificateWriteError(OSError):
    """A place where no certificate can be written."""


def write(certificate: Certificate, path: str | os.PathLike[str]) -> Certificate:
    """Seal a certificate and write it to ``path``, whole or not at all.

    Args:
        certificate: the certificate; an earlier footer is replaced.
        path: the file; one that is there is replaced in one step.

    Returns:
        The certificate as written.

    Raises:
        CertificateWriteError: it cannot be written there; the message says why.
    """
    sealed = seal(certificate)
    text = json.dumps(sealed.plain(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    target = _target(path)
    beside = _beside(target)
    try:
        with open(beside, "xb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except OSError as error:
        raise _unwritable(target, error) from error
    finally:
        # Nothing is left behind, whatever ended the writing: an error or an interrupt.
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
    return sealed


def probe_writable(path: str | os.PathLike[str]) -> None:
    """Find out before a long run whether a certificate can be written to ``path``.

    Raises:
        CertificateWriteError: it cannot; the message says why.
    """
    target = _target(path)
    beside = _beside(target)
    try:
        with open(beside, "xb"):
            pass
    except OSError as error:
        raise _unwritable(target, error) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> Certificate:
    """The certificate in a file, once its shape, its completeness and its digest are checked.

    Raises:
        CertificateError: it cannot be read or believed; the message says why.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        document = json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse_constant)
    except OSError as error:
        raise CertificateError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"{path}: not a JSON document ({error})") from error
    try:
        return _believed(text, document)
    except ValueError as error:
        raise CertificateError(f"{path}: {error}") from error


def _believed(text: str, document: Any) -> Certificate:
    found = document.get("schema") if isinstance(document, dict) else None
    if found != "counterproof/certificate/v1":
        raise ValueError(f"not a counterproof/certificate/v1 document; its schema is {found!r}")
    footer = document.get("footer")
    if not (isinstance(footer, dict) and footer.get("complete") is True and "sha256" in footer):
        raise ValueError("an incomplete certificate: the run that wrote it did not finish")
    try:
        # From the text, strictly: nothing may be read as what it is not.
        certificate = Certificate.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise ValueError(_faults(error)) from error
    if digest_of_document(document) != footer["sha256"]:
        raise ValueError("changed since it was written: its digest is not the one in its footer")
    return certificate


def _faults(error: ValidationError) -> str:
    """The first faults of a document, each with its place."""
    faults = error.errors(include_url=False, include_input=False)
    said = [
        f"{'.'.join(map(str, each['loc'])) or 'the document'}: {each['msg']}"
        for each in faults[:_SHOWN_FAULTS]
    ]
    more = f"; and {len(faults) - _SHOWN_FAULTS} more" if len(faults) > _SHOWN_FAULTS else ""
    return f"not a valid certificate: {'; '.join(said)}{more}"


def _distinct(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """An object of these members, none of them given twice (readers would differ on which)."""
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise ValueError(f"the member {key!r} is given twice")
        members[key] = value
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _target(path: str | os.PathLike[str]) -> Path:
    """The file to replace: a link's goal, so that a link stays one."""
    target = Path(os.path.realpath(path))
    if not os.path.isdir(target.parent):
        raise CertificateWriteError(f"{path}: there is no folder {target.parent}")
    try:
        ordinary = stat.S_ISREG(target.stat().st_mode)
    except FileNotFoundError:
        return target
    except OSError as error:
        raise _unwritable(target, error) from error
    if not ordinary:
        raise CertificateWriteError(f"{path}: not an ordinary file; give the path of one")
    return target


def _beside(target: Path) -> Path:
    # In the same folder, so that replacing is one step; with a name nobody else draws.
    return target.parent / f".counterproof-{secrets.token_hex(8)}.tmp"


def _unwritable(target: Path, error: OSError) -> CertificateWriteError:
    why = error.strerror or str(error)
    return CertificateWriteError(f"{target}: the certificate cannot be written there ({why})")
