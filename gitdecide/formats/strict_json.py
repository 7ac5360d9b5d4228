"""JSON as every reader takes it alike: what RFC 8259 forbids, or readers differ over, is refused."""

import json
from typing import Any, Final, NoReturn

import msgspec

from gitdecide.formats.foreign import Unreadable

_BOM: Final = b"\xef\xbb\xbf"


def parse(data: bytes) -> Any:
    """The JSON value. Raises Unreadable for what RFC 8259 forbids, and for what readers take apart."""
    if data.startswith(_BOM):
        raise Unreadable("begins with a byte order mark", 1)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable("not UTF-8", data.count(b"\n", 0, error.start) + 1) from None
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error.msg}", error.lineno) from None
    except UnicodeEncodeError:
        raise Unreadable("half a character: a surrogate that stands alone") from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError:
        raise Unreadable("not JSON: a number of too many digits") from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict[str, Any]()
    for key, value in pairs:
        if key in found:
            raise Unreadable(f"the key {key!a} stands twice in one object")
        found[key] = value
    return found


def _constant(name: str) -> NoReturn:
    raise Unreadable(f"{name} is not JSON")


def misfit(error: msgspec.ValidationError) -> str:
    """What is wrong, and where, as `rounds[2].type`."""
    said, _, place = str(error).partition(" - at `$")
    said = "is blank" if "'\\\\S'" in said else said
    where = place.rstrip("`").removeprefix(".")
    return f"{where}: {said}" if where else said
