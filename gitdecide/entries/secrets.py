"""Recognise secrets by their published shapes: private key blocks and well-known token prefixes.

Only shapes that name their issuer count; a plain password or a base64 value is nobody's to recognise.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple


class _Kind(NamedTuple):
    """What a secret is called, the marks without which none is there, and its shape."""

    name: str
    marks: tuple[str, ...]
    shape: str


# https://docs.gitlab.com/security/tokens/#token-prefixes
_GITLAB = ("pat", "dt", "rt", "rtr", "cbt", "ptt", "ft", "imt", "agent", "soat", "ffct", "oas", "wt")
_TOKENS: Final = (
    _Kind("an age key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    _Kind(
        "a GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"gh[pousr]_[A-Za-z0-9]{36,}+|ghs_\d+_eyJ[\w-]{30,}+(?>(?:\.[\w-]++)*)|github_pat_\w{60,}+",
    ),
    _Kind(
        "a GitLab token",
        (*(f"gl{kind}-" for kind in _GITLAB), "GR1348941"),
        rf"gl(?:{'|'.join(_GITLAB)})-[\w-]{{20,}}+(?>(?:\.[\w-]++)*)|GR1348941[\w-]{{20,}}+",
    ),
    _Kind(
        "an AWS access key id",
        ("AKIA", "ASIA"),
        # Amazon's own documentation writes ids that end in EXAMPLE.
        r"A(?:KI|SI)A(?![A-Z0-9]{9}EXAMPLE)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    _Kind(
        "a Slack token",
        ("xox", "xapp-", "https://hooks.slack.com"),
        r"xox[abceoprs]-\d[A-Za-z0-9-]{14,}+|xapp-\d-[A-Z0-9]{1,20}-\d{1,20}-[a-z0-9]{16,}+"
        r"|https://hooks\.slack\.com/services/T\w{6,20}/B\w{6,20}/\w{20,}+",
    ),
    _Kind("a Stripe key", ("k_live_",), r"[sr]k_live_[A-Za-z0-9]{16,}+"),
    _Kind("a Google key", ("AIza", "GOCSPX-"), r"(?:AIza[\w-]{35}|GOCSPX-[\w-]{28})(?![\w-])"),
    _Kind("an Anthropic key", ("sk-ant-",), r"sk-ant-[a-z]{2,8}\d\d-[\w-]{32,}+"),
    _Kind("an OpenRouter key", ("sk-or-v1-",), r"sk-or-v1-[0-9a-f]{64}"),
    _Kind(
        "an OpenAI key",
        ("sk-",),
        # Three letters of URL-safe base64 are soon met by chance, so the key must stand alone.
        r"(?<![_-])sk-(?:(?:proj|svcacct|admin|None)-[\w-]{40,}+|[A-Za-z0-9]{32,64}(?![\w-]))",
    ),
    _Kind("an npm token", ("npm_",), r"npm_[A-Za-z0-9]{36}(?!\w)"),
    _Kind("a PyPI token", ("pypi-AgE",), r"pypi-AgE[\w-]{50,}+"),
    _Kind("a Hugging Face token", ("hf_",), r"hf_[A-Za-z0-9]{34}(?!\w)"),
    _Kind("a SendGrid key", ("SG.",), r"SG\.[\w-]{22}\.[\w-]{43}(?![\w-])"),
    _Kind("a Telegram bot token", (":AA",), r"\d{8,10}:AA[\w-]{33}(?![\w-])"),
    _Kind("a DigitalOcean token", ("_v1_",), r"do[opr]_v1_[0-9a-f]{64}"),
    _Kind("a Docker token", ("dckr_",), r"dckr_[po]at_[\w-]{27,}+"),
    _Kind("a Vault token", ("hvs.", "hvb."), r"hv[sb]\.[\w-]{90,}+"),
)
# A token may follow a colour code, an escaped line end or a percent escape, all of which end in a letter.
_START = r"(?:(?<![A-Za-z0-9])|(?<=[\d;\[]m)|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"

_KEY_MARK: Final = "PRIVATE KEY"
_END_ALONE: Final = "the_rest_of_a_private_key"
_LINE = "-----{} (?:[A-Z0-9]{{1,10}} ){{0,3}}PRIVATE KEY(?: BLOCK)?-----"
_BEGIN = _LINE.format("BEGIN")
_END = _LINE.format("END")
_MATERIAL = "[A-Za-z0-9+/=]"
_BLOCK = (
    # Armour headers may come first; without a line of material the text only speaks of keys.
    rf"{_BEGIN}(?:(?!-----)[\s\S]){{0,500}}?{_MATERIAL}{{40}}"
    # Without an END line, only lines of material belong to the key.
    rf"(?:(?>(?:[^-]|-(?!----(?:BEGIN|END)))*){_END}|{_MATERIAL}*+(?>(?:[\s\\>|]++{_MATERIAL}{{16,}}+)*))"
)
# What an END line closes when BEGIN was cut off, read backwards: a last line of any length, then full
# ones, and at the beginning of the text a part of one.
_LINE_END_BACKWARDS = r"[ \t>|]*+(?:\n\r?|n?\\)"
_REST_BACKWARDS = (
    rf"{_LINE_END_BACKWARDS}{_MATERIAL}{{1,100}}+(?>(?:{_LINE_END_BACKWARDS}{_MATERIAL}{{16,}}+)*)"
    rf"(?:{_LINE_END_BACKWARDS}{_MATERIAL}++\Z)?"
)


def find(text: str) -> str | None:
    """The kind of the first recognisable secret, such as "a GitHub token"."""
    return next((kind for _, _, kind in _spans(text)), None)


def mask(text: str) -> str:
    """The text with every recognisable secret replaced by its kind: ``[masked: a GitHub token]``."""
    pieces: list[str] = []
    done = 0
    for start, end, kind in _spans(text):
        pieces += text[done:start], f"[masked: {kind}]"
        done = end
    return "".join((*pieces, text[done:])) if pieces else text


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each secret, in order; most texts hold no mark and need no pattern."""
    if not any(mark in text for mark in _marks()):
        return
    seen = 0
    for match in _pattern().finditer(text):
        group = match.lastgroup or ""
        start = _rest_of_key(text, seen, match.start()) if group == _END_ALONE else match.start()
        if start is not None:
            yield start, match.end(), group.replace("_", " ")
        seen = match.end()


def _rest_of_key(text: str, low: int, end: int) -> int | None:
    """Where the key material before an END line begins, not before `low`; None where there is none."""
    rest = re.match(_REST_BACKWARDS, text[low:end][::-1])
    if rest is None or (rest.end() < end and not re.search(rf"{_MATERIAL}{{40}}", rest[0])):
        return None
    return end - rest.end()


@cache
def _marks() -> tuple[str, ...]:
    return (_KEY_MARK, *(mark for kind in _TOKENS for mark in kind.marks))


@cache
def _pattern() -> re.Pattern[str]:
    """One alternation, a named group a kind; compiled on first need, since that takes milliseconds."""
    tokens = "|".join(f"(?P<{kind.name.replace(' ', '_')}>{kind.shape})" for kind in _TOKENS)
    return re.compile(rf"(?P<a_private_key>{_BLOCK})|(?P<{_END_ALONE}>{_END})|{_START}(?:{tokens})", re.ASCII)
