import base64
import hashlib
import subprocess
import sys
import uuid

import pytest

from gitdecide.entries.secrets import find, mask

# Every secret is put together here, so that no scanner takes this file for a leak.
DASHES = "-" * 5
MIXED = "aB3dE6gH9" * 12
HEX = "0123456789abcdef" * 4
UPPER = "ABCDEFGHIJKLMNOP"
LINE = "MIIEpAIBAAKCAQEA" * 4

TOKENS = {
    "an age key": ["AGE-SECRET" + "-KEY-1" + (UPPER * 4)[:58]],
    "a GitHub token": [
        *("gh" + kind + "_" + MIXED[:36] for kind in "pousr"),
        "github" + "_pat_" + MIXED[:22] + "_" + MIXED[:59],
        "ghs" + "_12345_" + "eyJ" + MIXED[:40] + "." + MIXED[:40] + "." + MIXED[:20],
    ],
    "a GitLab token": [
        *("gl" + kind + "-" + MIXED[:20] for kind in ("pat", "dt", "rt", "ft", "soat", "agent", "ptt")),
        "gl" + "cbt-64_" + MIXED[:20],
        "gl" + "pat-" + MIXED[:27] + ".01." + MIXED[:9],
        "GR" + "1348941" + MIXED[:20],
    ],
    "an AWS access key id": ["AK" + "IA" + UPPER, "AS" + "IA" + UPPER],
    "a Slack token": [
        *(
            "xo" + kind + "-123456789012-1234567890123-" + MIXED[:24]
            for kind in ("xb", "xp", "xa", "xr", "xs")
        ),
        "xa" + "pp-1-A0B1C2D3E4F-1234567890123-" + HEX,
        "https://hooks.slack" + ".com/services/T0000000/B00000000/" + MIXED[:24],
    ],
    "a Stripe key": ["sk" + "_live_" + MIXED[:24], "rk" + "_live_" + MIXED[:99]],
    "a Google key": ["AI" + "za" + MIXED[:35], "GOC" + "SPX-" + MIXED[:28]],
    "an Anthropic key": [
        "sk-" + "ant-api03-" + MIXED[:93] + "AA",
        "sk-" + "ant-admin01-" + MIXED[:93] + "AA",
    ],
    "an OpenRouter key": ["sk-" + "or-v1-" + HEX],
    "an OpenAI key": ["sk-" + MIXED[:48], "sk-" + "proj-" + MIXED[:60] + "-_" + MIXED[:60]],
    "an npm token": ["np" + "m_" + MIXED[:36]],
    "a PyPI token": ["py" + "pi-AgEIcHlwaS5vcmc" + MIXED[:100]],
    "a Hugging Face token": ["h" + "f_" + (UPPER * 3)[:34]],
    "a SendGrid key": ["S" + "G." + MIXED[:22] + "." + MIXED[:43]],
    "a Telegram bot token": ["123456789" + ":AA" + MIXED[:33]],
    "a DigitalOcean token": ["do" + "p_v1_" + HEX],
    "a Docker token": ["dck" + "r_pat_" + MIXED[:27]],
    "a Vault token": ["hv" + "s." + MIXED[:95]],
}
EACH = [pytest.param(kind, token, id=f"{kind} {token[:6]}") for kind in TOKENS for token in TOKENS[kind]]


def block(kind: str, body: str) -> str:
    return f"{DASHES}BEGIN {kind}{DASHES}\n{body}\n{DASHES}END {kind}{DASHES}"


BODY = f"{LINE}\n{LINE}\nAB=="
KEY = block("PRIVATE KEY", BODY)
MASKED_KEY = "[masked: a private key]"


@pytest.mark.parametrize(("kind", "token"), EACH)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("it is ", ", see there"),
        ("TOKEN=", "\n"),
        ('{"key": "', '"}'),
        ("https://", "@example.com/"),
        ("\x1b[31m", "\x1b[0m"),
        (r"first\n", r"\n"),
        ("?token%3D", "&x"),
        ("ends a sentence: ", ". Then"),
    ],
)
def test_a_token_is_found_and_masked(kind: str, token: str, before: str, after: str) -> None:
    """Every kind is recognised wherever it stands, and nothing around it is lost."""
    text = before + token + after

    assert find(text) == kind
    assert mask(text) == f"{before}[masked: {kind}]{after}"
    assert find(mask(text)) is None


@pytest.mark.parametrize(("kind", "token"), EACH)
def test_the_inside_of_a_word_is_no_token(kind: str, token: str) -> None:
    """A prefix in the middle of a word begins nothing."""
    assert find(f"wordx{token}") is None


@pytest.mark.parametrize(
    "text",
    [
        "tokens start with ghp_ or github_pat_, sometimes glpat-",
        "ghp_xxxx, glpat-your-token-here, xoxb-your-token-goes-here-please, sk-ant-api03-...",
        "sk_live_..., sk-proj-, npm_config_registry_of_the_whole_organisation_here, hf_hub_download",
        "AKIA, ASIAPACIFIC and ASIAPACIFICHEADQUARTERS, " + "AK" + "IAIOSFODNN7" + "EXAMPLE",
        "task-sk-and-risk-assessment-of-the-whole-migration-to-the-new-thing",
        "the line is -----BEGIN PRIVATE KEY----- and then -----END PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
        "a key must not be pasted:\n-----END PRIVATE KEY-----",
        "git grep -n 'BEGIN .*PRIVATE KEY' finds src/keys.py",
        block("CERTIFICATE", BODY) + " is no PRIVATE KEY",
        block("PUBLIC KEY", BODY) + " is no PRIVATE KEY",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + MIXED[:32] + " ada@example.com",
        HEX[:40],
        HEX,
        str(uuid.UUID(int=2**127 + 12345)),
        base64.b64encode(hashlib.sha512(b"x").digest()).decode(),
        "integrity sha512-" + base64.b64encode(hashlib.sha512(b"y").digest()).decode(),
        "",
    ],
)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    """Prose about secrets, ids, digests and public keys stay as they are."""
    assert find(text) is None
    assert mask(text) == text


@pytest.mark.parametrize(
    "kind",
    [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "DSA PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ],
)
def test_a_private_key_block_is_masked(kind: str) -> None:
    """Each kind of block goes, up to its last line and no further."""
    text = f"before\n{block(kind, BODY)}\nafter\n"

    assert find(text) == "a private key"
    assert mask(text) == f"before\n{MASKED_KEY}\nafter\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(KEY.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(KEY.replace("\n", r"\n"), id="JSON"),
        pytest.param(KEY.replace("\n", "\n    "), id="indented"),
        pytest.param(KEY.replace("\n", "\n+"), id="diff"),
        pytest.param(KEY.replace("\n", "\nconf/id_rsa-12-"), id="grep"),
        pytest.param(KEY.replace("\n", " "), id="one line"),
        pytest.param(
            block("RSA PRIVATE KEY", f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{HEX[:32]}\n\n{BODY}"),
            id="encrypted",
        ),
        pytest.param(
            block("PGP PRIVATE KEY BLOCK", f"Version: GnuPG v2\nComment: a - b\n\n{BODY}\n=aBcD"), id="PGP"
        ),
    ],
)
def test_a_private_key_is_masked_as_tools_print_it(text: str) -> None:
    """Indented, quoted, escaped or with headers: no line of the key stays."""
    assert mask(f"x {text} y") == f"x {MASKED_KEY} y"


def test_a_private_key_without_its_last_line_is_masked() -> None:
    """Only the lines of key material go with it, not what follows."""
    cut = KEY[: KEY.index("AB==")]

    assert mask(f"{cut}Then: all is well") == f"{MASKED_KEY}\nThen: all is well"


@pytest.mark.parametrize("start", [30, 90, 155, 158])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n  ", r"\n"])
def test_a_private_key_without_its_first_line_is_masked(start: int, line_end: str) -> None:
    """However much of its beginning was cut off, the rest of a key goes up to its last line."""
    text = KEY[start:].replace("\n", line_end) + "\nafter"

    assert find(text) == "the rest of a private key"
    assert mask(text) == "[masked: the rest of a private key]\nafter"


def test_text_before_the_rest_of_a_key_stays() -> None:
    """The rest of a key begins with its first line of key material."""
    text = f"made in 3 s: ok\n{LINE}\n{LINE}\nAB==\n{DASHES}END RSA PRIVATE KEY{DASHES}\n"

    assert mask(text) == "made in 3 s: ok\n[masked: the rest of a private key]\n"


def test_every_secret_is_masked_and_the_first_is_named() -> None:
    """Several secrets in one text are masked each for itself."""
    github, stripe = TOKENS["a GitHub token"][0], TOKENS["a Stripe key"][0]
    text = f"{github} {KEY}\nmiddle\n{KEY}{stripe}"

    assert find(text) == "a GitHub token"
    assert mask(text) == f"[masked: a GitHub token] {MASKED_KEY}\nmiddle\n{MASKED_KEY}[masked: a Stripe key]"


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "-",
        "-----BEGIN",
        "-----BEGIN RSA PRIVATE KEY-----",
        "\n-----END RSA PRIVATE KEY-----",
        f"-----BEGIN RSA PRIVATE KEY-----\n{LINE}\n",
        f"{LINE}\n.\n-----END RSA PRIVATE KEY-----\n",
        f"{LINE[:39]}.",
        "sk-",
        "ghp_",
        "SG.",
        "1",
    ],
)
def test_a_long_hostile_text_is_read_in_one_go(piece: str) -> None:
    """A pattern that tries again and again would not come to an end here."""
    text = piece * (256 * 1024 // len(piece))

    mask(f"PRIVATE KEY {text} ghp_")
    mask(f"-----BEGIN PRIVATE KEY-----\n{LINE}\n{text}")


def test_a_text_without_marks_compiles_nothing() -> None:
    """Most texts hold no secret, and looking must not cost start-up time."""
    program = (
        "from gitdecide.entries import secrets; secrets.mask('grep -n x src/app.py');"
        "assert secrets._pattern.cache_info().misses == 0"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
