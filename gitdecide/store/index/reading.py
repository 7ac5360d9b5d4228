"""Reading many records for the index: in batches, by two processes where there are two processors."""

import gc
import marshal
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from struct import Struct
from typing import IO, Final

from gitdecide.entries.names import RecordName
from gitdecide.store.index.rows import Rows
from gitdecide.store.snapshot import Snapshot

BATCH: Final = 200
"""How many records are read and stored at once, so that memory is bounded."""

WORTH_HELP: Final = 2000
"""Records from which on a second process pays."""

_SIZE: Final = Struct("<Q")

Batches = Sequence[Sequence[RecordName]]


def together(view: Callable[[], Snapshot], names: Sequence[RecordName], *, alone: bool) -> Iterator[Rows]:
    """The rows of records, in batches and in their order; `view` opens the log anew for each reader.

    Every second batch is a helper's, unless this has to be done alone; what it does not deliver is read here.
    """
    batches = [names[start : start + BATCH] for start in range(0, len(names), BATCH)]
    helped = not alone and len(names) >= WORTH_HELP and _can_help()
    snapshot = view()  # before there is a helper: what is fetched for it is fetched once
    with _no_collector(), snapshot.objects, _helper(view, batches[1::2] if helped else []) as theirs:
        for place, batch in enumerate(batches):
            yield (_received(theirs) if place % 2 and theirs else None) or _read(snapshot, batch)


def _read(snapshot: Snapshot, names: Sequence[RecordName]) -> Rows:
    rows = Rows()
    for record in snapshot.records(names):
        rows.add(record)
    return rows


@contextmanager
def _helper(view: Callable[[], Snapshot], batches: Batches) -> Iterator[IO[bytes] | None]:
    """What a process of its own says of some batches; it ends when nobody listens any more."""
    if not batches:
        yield None
        return
    ours, its = os.pipe()
    try:
        child = os.fork()
    except OSError:  # no more processes: then without
        os.close(ours)
        os.close(its)
        yield None
        return
    if not child:
        os.close(ours)
        _help(view, batches, its)
    os.close(its)
    with os.fdopen(ours, "rb") as stream:
        try:
            yield stream
        finally:
            stream.close()
            os.waitpid(child, 0)


def _help(view: Callable[[], Snapshot], batches: Batches, end: int) -> None:
    """Be the helper: nothing that the parent has open is touched, and nothing of its work is done twice."""
    try:
        snapshot = view()
        with os.fdopen(end, "wb") as stream:
            for batch in batches:
                data = marshal.dumps(_read(snapshot, batch).state)
                stream.write(_SIZE.pack(len(data)) + data)
                stream.flush()
        snapshot.objects.close()
    finally:
        os._exit(0)


def _received(stream: IO[bytes]) -> Rows | None:
    """The next batch of the helper, None once it is gone."""
    head = stream.read(_SIZE.size)
    size = _SIZE.unpack(head)[0] if len(head) == _SIZE.size else 0
    data = stream.read(size)
    return Rows(marshal.loads(data)) if size and len(data) == size else None  # noqa: S302 - our own process


def _can_help() -> bool:
    """True with a second processor, and where no other thread could hold a lock that a helper would want."""
    import threading

    return (os.cpu_count() or 1) > 1 and threading.active_count() == 1


@contextmanager
def _no_collector() -> Iterator[None]:
    """Nothing that is read here is a cycle, and looking for cycles in it takes its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
