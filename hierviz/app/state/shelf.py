"""The data sets that visitors opened, and slow results that were made of them: kept by bytes and last use."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from dataclasses import dataclass, field

from hierviz.app.state.limits import size_in_memory, size_text
from hierviz.messages.errors import FileError

# The largest result is a chart with its tables, some megabytes.
MOST_RESULTS, MOST_MODELS = 512, 8


class Shelf:
    """What visitors brought and what was made of it: opened data sets by key, uploads, results and models; one per server.

    Data that a page shows, or that were opened last, are never removed to make room. The least recently used go first.

    Parameters
    ----------
    limits : ServerLimits
    uploads : UploadFolder
        Its files count as much as what is in memory.
    shown : callable
        Gives the keys of the data sets that are shown at this moment.

    Attributes
    ----------
    results, models : Results
        They count too, are removed before any data set, and go with the last one of their digest.
    lasting : set of str
        Digests of the data sets that are open as long as the server lives, which are not on the shelf: the next visitor, and
        one who comes back, will ask for what was made of them.
    bringing : lock
        To be held from `make_room` until what the room is for is there, so that no two visitors get the same room.
    """

    def __init__(self, limits, uploads, shown):
        self.limits, self.uploads, self._shown = limits, uploads, shown
        self.results, self.models = Results(MOST_RESULTS, limits.data // 2), Results(MOST_MODELS, limits.data // 4)
        self.lasting: set[str] = set()
        self.made, self.bringing = (self.results, self.models), threading.RLock()
        self._opened = OrderedDict()  # key -> (data set, visitor who opened it); the one used last is the last
        self._lock = threading.RLock()

    def get(self, key):
        """The data set of a key, None when it is not here."""
        with self._lock:
            if key not in self._opened:
                return None
            self._opened.move_to_end(key)
            return self._opened[key][0]

    def with_digest(self, digest):
        """A data set of this content, None when there is none."""
        with self._lock:
            return next((data for data, _ in self._opened.values() if data.digest == digest), None)

    def put(self, data, owner):
        """Keep a data set that a visitor opened.

        Raises
        ------
        FileError
            When it is too large, also after others were removed; then it is not kept.
        """
        with self.bringing, self._lock:
            self._opened[data.key] = data, owner
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
            return key in self._opened and self._opened[key][1] == visitor

    def used(self, owner=None, without=()):
        """Bytes of the uploads and opened data of a visitor; None for all visitors, and what was made of the data.

        `without` has keys of data sets that are counted as if they were removed, with the files that no other one holds.
        """
        with self._lock:
            left = {key: entry for key, entry in self._opened.items() if key not in without}
            freed = {upload for key in without for upload in self._opened[key][0].held}
        freed -= {upload for data, _ in left.values() for upload in data.held}
        opened = [data for data, who in left.values() if owner in (None, who)]
        made = sum(results.size for results in self.made) if owner is None else 0
        return size_in_memory(*opened) + self.uploads.size(owner, without=freed) + made

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
            spare, gone = {spared, *self._shown()}, []
            for who, limit in ((owner, self.limits.visitor), (None, self.limits.data)):
                own = [key for key, (_, one) in self._opened.items() if who in (None, one)]
                removable = [key for key in own if key not in (*spare, *gone)]
                while (used := self.used(who, gone) + n_bytes) > limit:
                    if not removable:
                        raise FileError(_too_much(who, limit, used))
                    gone.append(removable.pop(0))
            for key in gone:
                self._remove(key)
            if gone:  # what they held may be used elsewhere
                self.make_room(owner, n_bytes, spared)

    def give_way(self, n_bytes=0):
        """Remove results, those used least recently first, until all visitors together may bring so many bytes more."""
        over = self.used() + n_bytes - self.limits.data
        for results in self.made:
            if over > 0:
                over -= results.give_way(over)

    def sweep(self, here):
        """Remove data sets of visitors who left that nobody here has seen, and results without a user, unless they last.

        Parameters
        ----------
        here : sequence of Visit
            Those with an open page.

        Returns
        -------
        int
            How many were removed.
        """
        with self._lock:
            visitors = {visit.visitor for visit in here}
            used = self._shown().union(*(visit.seen for visit in here))
            gone = [key for key, (_, owner) in self._opened.items() if owner not in visitors and key not in used]
            for key in gone:
                self._remove(key)
        return len(gone) + sum(results.sweep(here, self.lasting) for results in self.made)

    def _remove(self, key):
        data, _ = self._opened.pop(key)
        for results in self.made if self.with_digest(data.digest) is None else ():
            results.drop(data.digest)
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
        self._found, self._making, self._lock = {}, {}, threading.RLock()

    def __len__(self):
        return len(self._found)

    def get(self, key, make, user):
        """`make()`, or its earlier result; calls meanwhile wait for it."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
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
            while len(self._found) > 1 and (len(self._found) > self.most or self.size > self.most_bytes):
                self._found.pop(next(iter(self._found)))
        return result

    def known(self, key, user):
        """An earlier result, else None; waits for nothing."""
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

    def drop(self, part):
        """Forget the results whose keys are this or hold it."""
        self._forget(lambda key, result: part in _parts(key))

    def sweep(self, users, lasting=frozenset()):
        """Forget the results that none of these used, unless their keys hold one of `lasting`; returns their number."""
        return self._forget(
            lambda key, result: not (any(user in result.users for user in users) or lasting.intersection(_parts(key)))
        )

    def _forget(self, is_gone):
        with self._lock:
            gone = [key for key, result in self._found.items() if is_gone(key, result)]
            for key in gone:
                del self._found[key]
        return len(gone)

    def _used(self, key, user):
        with self._lock:
            result = self._found.pop(key, None)
            if result is not None:
                self._found[key] = result
                result.users.add(user)
            return result


def _parts(key):
    """A key and all that it holds, nested tuples taken apart."""
    return [key, *(part for nested in key for part in _parts(nested))] if isinstance(key, tuple) else [key]
