"""The data sets that visitors opened, and slow results that were made of them: kept by bytes and last use."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from dataclasses import dataclass, field

from hierviz.app.state.limits import size_in_memory, size_text
from hierviz.messages.errors import FileError


@dataclass(eq=False)
class _Opened:
    data: object
    owner: str


class Shelf:
    """Opened data sets of all visitors by key.

    Data that a page shows, or that were opened last, are never removed to make room. The least recently used go first.

    Parameters
    ----------
    limits : ServerLimits
    uploads : UploadFolder
        Its files count as much as what is in memory.
    shown : callable
        Gives the keys of the data sets that are shown at this moment.
    forget : callable
        Called with a digest of which no data set is left.
    results : sequence of Results
        Results of the data sets: they count too, and are removed before any of them.

    Attributes
    ----------
    bringing : lock
        To be held from `make_room` until what the room is for is there, so that no two visitors get the same room.
    """

    def __init__(self, limits, uploads, shown, forget=lambda digest: None, results=()):
        self.limits, self.bringing = limits, threading.RLock()
        self._uploads, self._shown, self._forget, self._results = uploads, shown, forget, results
        self._opened = OrderedDict()  # the one used last is the last
        self._lock = threading.RLock()

    def get(self, key):
        """The data set of a key, None when it is not here."""
        with self._lock:
            if key not in self._opened:
                return None
            self._opened.move_to_end(key)
            return self._opened[key].data

    def with_digest(self, digest):
        """A data set of this content, None when there is none."""
        with self._lock:
            return next((entry.data for entry in self._opened.values() if entry.data.digest == digest), None)

    def put(self, data, owner):
        """Keep a data set that a visitor opened.

        Raises
        ------
        FileError
            When it is too large, also after others were removed; then it is not kept.
        """
        with self.bringing, self._lock:
            self._opened[data.key] = _Opened(data, owner)
            try:
                self.make_room(owner, 0, spared=data.key)
            except FileError:
                self._remove(data.key)
                raise

    def close(self, key, visitor):
        """Remove a data set for everybody, if this visitor opened it; returns it, else None."""
        with self._lock:
            return self._remove(key) if self.is_of(key, visitor) else None

    def is_of(self, key, visitor):
        """True when this visitor opened the data set."""
        with self._lock:
            return key in self._opened and self._opened[key].owner == visitor

    def used(self, owner=None):
        """Bytes of the uploads and opened data of a visitor; None for all visitors, and what was made of the data."""
        with self._lock:
            opened = [entry.data for entry in self._opened.values() if owner in (None, entry.owner)]
        made = sum(results.size for results in self._results) if owner is None else 0
        return size_in_memory(*opened) + self._uploads.size(owner) + made

    def make_room(self, owner, n_bytes, spared=None):
        """Remove data sets, the one first that was used least recently, until a visitor may bring so many bytes more.

        Raises
        ------
        FileError
            When even that would not make enough room; then nothing is removed, unless files of what was removed turn out to
            be used elsewhere.
        """
        self.give_way(n_bytes)
        with self._lock:
            spare = {spared, *self._shown()}
            scopes = ((owner, self.limits.visitor), (None, self.limits.data))
            for who, limit in scopes:
                if self.used(who) + n_bytes > limit and (least := self._least(who, spare) + n_bytes) > limit:
                    raise FileError(_too_much(who, limit, least))
            for who, limit in scopes:
                removable = self._removable(who, spare)
                while (used := self.used(who) + n_bytes) > limit:
                    if not removable:
                        raise FileError(_too_much(who, limit, used))
                    self._remove(removable.pop(0))

    def give_way(self, n_bytes=0):
        """Remove results, those used least recently first, until all visitors together may bring so many bytes more."""
        over = self.used() + n_bytes - self.limits.data
        for results in self._results:
            if over > 0:
                over -= results.give_way(over)

    def _removable(self, who, spare):
        return [key for key, entry in self._opened.items() if who in (None, entry.owner) and key not in spare]

    def _least(self, who, spare):
        """Bytes that would be used if all were removed that may be, and their files with them."""
        removable = self._removable(who, spare)
        kept = [
            entry.data for key, entry in self._opened.items() if who in (None, entry.owner) and key not in removable
        ]
        freed = {upload for key in removable for upload in self._opened[key].data.held}
        freed -= {upload for key in self._opened if key not in removable for upload in self._opened[key].data.held}
        return size_in_memory(*kept) + self._uploads.size(who, without=freed)

    def sweep(self, visitors, seen=frozenset()):
        """Remove the data sets of visitors who left, unless a remaining visitor has seen them; returns their number.

        Parameters
        ----------
        visitors : set of str
            Those with an open page.
        seen : set of str
            Keys of what they have seen.
        """
        with self._lock:
            used = self._shown() | seen
            gone = [key for key, entry in self._opened.items() if entry.owner not in visitors and key not in used]
            for key in gone:
                self._remove(key)
        return len(gone)

    def _remove(self, key):
        data = self._opened.pop(key).data
        if self.with_digest(data.digest) is None:
            self._forget(data.digest)
        return data


def _too_much(who, limit, used):
    whose = "all visitors" if who is None else "one visitor"
    return (
        f"open: expected at most {size_text(limit)} of files and opened data of {whose}, got {size_text(used)} with these. "
        "Close files that are no longer needed, or start the app with a larger --max-data-gb."
    )


@dataclass(eq=False)
class _Result:
    value: object
    size: int
    users: weakref.WeakSet = field(default_factory=weakref.WeakSet)


class Results:
    """What is slow to make, by key: made once for all visitors, kept while one who used it is connected.

    Parameters
    ----------
    most : int
        Number of results; the one used least recently leaves first.
    most_bytes : int
        Bytes of all results. The newest one stays whatever its size.
    """

    def __init__(self, most, most_bytes):
        self.most, self.most_bytes = most, most_bytes
        self._found, self._making, self._lock = {}, {}, threading.Lock()

    def __len__(self):
        return len(self._found)

    def get(self, key, make, user):
        """`make()`, or its earlier result; calls meanwhile wait for it."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                result = self._used(key, user)
            try:
                if result is None:
                    result = self._keep(key, make(), user)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return result.value

    def _keep(self, key, value, user):
        result = _Result(value, size_in_memory(value))
        result.users.add(user)
        with self._lock:
            self._found[key] = result
            size = sum(other.size for other in self._found.values())
            while len(self._found) > 1 and (len(self._found) > self.most or size > self.most_bytes):
                size -= self._found.pop(next(iter(self._found))).size
        return result

    def known(self, key, user):
        """An earlier result, else None; waits for nothing."""
        with self._lock:
            result = self._used(key, user)
        return None if result is None else result.value

    @property
    def size(self):
        """Bytes of all results."""
        with self._lock:
            return sum(result.size for result in self._found.values())

    def give_way(self, n_bytes):
        """Forget the results used least recently, until so many bytes are free; returns how many are."""
        freed = 0
        with self._lock:
            while self._found and freed < n_bytes:
                freed += self._found.pop(next(iter(self._found))).size
        return freed

    def forget(self, key):
        """Forget one result."""
        self._forget(lambda other, result: other == key)

    def drop(self, part):
        """Forget the results whose keys hold this part."""
        self._forget(lambda key, result: part in _parts(key))

    def sweep(self, users):
        """Forget the results that none of these used; returns their number."""
        return self._forget(lambda key, result: not any(user in result.users for user in users))

    def _forget(self, is_gone):
        with self._lock:
            gone = [key for key, result in self._found.items() if is_gone(key, result)]
            for key in gone:
                del self._found[key]
        return len(gone)

    def _used(self, key, user):
        result = self._found.pop(key, None)
        if result is not None:
            self._found[key] = result
            result.users.add(user)
        return result


def _parts(key):
    """All that a key holds, nested tuples taken apart."""
    return [part for nested in key for part in _parts(nested)] if isinstance(key, tuple) else [key]
