"""The keys that actors sign with: ssh public keys, and the fingerprints of OpenPGP keys and certificates."""

import base64
import binascii
import re

_SSH = re.compile(r"\s*((?:ssh|ecdsa|sk)-[\w@.-]+)\s+([A-Za-z0-9+/]+={0,2})(?:\s.*)?", re.ASCII)
_FINGERPRINT = re.compile(r"(?:[0-9A-F]{40}|[0-9A-F]{64})")


def canonical(typed: str) -> str | None:
    """A key as the log keeps it, without a comment; None for what is no key.

    The short ids of OpenPGP keys can be forged, and are none.
    """
    if ssh := _SSH.fullmatch(typed):
        kind, encoded = ssh.groups()
        return f"{kind} {encoded}" if _blob(kind, encoded) else None
    bare = re.sub(r"[\s:]", "", typed).upper().removeprefix("0X")
    return bare if _FINGERPRINT.fullmatch(bare) else None


def fingerprint(key: str | None) -> str | None:
    """What git calls a key that it verified a signature with; None for what is no key."""
    found = canonical(key or "")
    if found is None or " " not in found:
        return found
    import hashlib  # loads a large library, which most commands do not need

    digest = hashlib.sha256(_blob(*found.split(" "))).digest()
    return f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}"


def _blob(kind: str, encoded: str) -> bytes:
    """The bytes of an ssh key; none unless they begin with its kind (RFC 4253, section 6.6)."""
    name = kind.encode()
    try:
        data = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return b""
    return data if data.startswith(len(name).to_bytes(4, "big") + name) and "-cert-" not in kind else b""
