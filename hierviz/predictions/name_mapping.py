"""Names that no class has, and the class that each is taken for: proposed by `nearest`, reviewed by an expert, kept in a file.

Classes
-------
NameMapping, MappedName
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.extras import frame
from hierviz.messages.notebook_html import Short
from hierviz.taxonomy.checks import check_taxonomy
from hierviz.taxonomy.taxonomy import Taxonomy

# Of a file of a mapping, in this order.
COLUMNS = ("given", "mapped_to", "sure", "count", "note")


class MappedName(NamedTuple):
    """A name, how often it was given, and what it is taken for.

    `node` is -1 where it is taken for no class; `sure` is the similarity in [0, 1] of a proposal and None where a person chose or
    nothing is mapped; `near` are the nodes within the limit where there are several; `is_chosen` says that a person chose; `why`
    says why no class was compared, in a few words.
    """

    given: str
    count: int = 1  # type: ignore[assignment]
    node: int = -1
    sure: float | None = None
    near: tuple[int, ...] = ()
    is_chosen: bool = False
    why: str = ""


@dataclass(frozen=True, eq=False)
class NameMapping(Short):
    """What names that no class has are taken for.

    Attributes
    ----------
    taxonomy : Taxonomy
    rows : tuple of MappedName
        One for each name.

    Raises
    ------
    PredictionsError
        If a name occurs twice.
    """

    taxonomy: Taxonomy
    rows: tuple[MappedName, ...] = ()

    def __post_init__(self):
        check_taxonomy(self.taxonomy)
        object.__setattr__(self, "rows", tuple(self.rows))
        seen: set[str] = set()
        twice = [row.given for row in self.rows if row.given in seen or seen.add(row.given)]
        if twice:
            raise PredictionsError(
                f"mapping: expected every name once, got {shown(twice[0])} again. Remove one of the rows."
            )

    @classmethod
    def of(cls, mapping: NameMapping | Mapping[str, int] | None, taxonomy: Taxonomy) -> NameMapping:
        """A NameMapping as it is, or of the node of each name (-1 for no class), as a person chose them."""
        if isinstance(mapping, NameMapping):
            return mapping
        pairs = (mapping or {}).items()
        for name, node in pairs:
            if taxonomy.index.get(name, node) != node:
                raise PredictionsError(
                    f"mapping: expected names that the taxonomy does not hold, got {shown(name)}, which is a class of it and is "
                    "always read as that. Leave it out."
                )
        return cls(taxonomy, tuple(MappedName(name, node=int(node), is_chosen=True) for name, node in pairs))

    @classmethod
    def joined(cls, mappings: Sequence[NameMapping]) -> NameMapping | None:
        """One mapping of the names of several files, whose counts are added; None for no mapping."""
        rows: dict[str, MappedName] = {}
        for row in (row for mapping in mappings for row in mapping):
            before = rows.get(row.given)
            rows[row.given] = row if before is None else before._replace(count=before.count + row.count)
        return cls(mappings[0].taxonomy, tuple(rows.values())) if mappings else None

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[MappedName]:
        return iter(self.rows)

    @cached_property
    def given(self) -> frozenset[str]:
        """The names."""
        return frozenset(row.given for row in self.rows)

    @cached_property
    def node_of(self) -> dict[str, int]:
        """Node of each name that is mapped."""
        return {row.given: row.node for row in self.rows if row.node >= 0}

    @property
    def n_answers(self) -> int:
        """How often all names were given."""
        return sum(row.count for row in self.rows)

    @property
    def n_mapped(self) -> int:
        """How often the names that are mapped were given."""
        return sum(row.count for row in self.rows if row.node >= 0)

    def note(self, row: MappedName) -> str:
        """Why a name is mapped or not, in a few words."""
        if row.is_chosen:
            return "chosen" if row.node >= 0 else "chosen: no class"
        if row.node >= 0:
            return "nearest name"
        if row.near:
            titles = [self.taxonomy.title(node) for node in row.near[:3]]
            more = f" and {len(row.near) - 3} more" if len(row.near) > 3 else ""
            return f"{len(row.near)} classes are near: {', '.join(titles)}{more}"
        return row.why or "no class is near"

    def choose(self, given: str, name: str | None) -> NameMapping:
        """The mapping with another class, by its name, for one of the names; None or "" for no class.

        Raises
        ------
        PredictionsError
            If the name is none of those given, or the class is not in the taxonomy.
        """
        if all(row.given != given for row in self.rows):
            raise PredictionsError(
                f"mapping: expected a name that was given, got {shown(given)}. Choose one of the rows."
            )
        node = self.taxonomy.node(name) if name else -1
        changed = [
            row._replace(node=node, sure=None, is_chosen=True) if row.given == given and row.node != node else row
            for row in self.rows
        ]
        return replace(self, rows=tuple(changed))

    def with_choices_of(self, other: NameMapping) -> NameMapping:
        """The mapping in which `other`, for example of a file, decides on all its names; other names stay as they are."""
        chosen = {row.given: row for row in other.rows}
        rows = [
            row._replace(node=one.node, sure=one.sure, near=(), is_chosen=True)
            if (one := chosen.get(row.given))
            else row
            for row in self.rows
        ]
        return replace(self, rows=tuple(rows))

    @property
    def sentence(self) -> str:
        """How many names are mapped, in words."""
        n, names = len(self.node_of), "name" if len(self.rows) == 1 else "names"
        are = "is" if n == 1 else "are"
        return (
            f"{n:,} of {len(self.rows):,} {names} outside the taxonomy {are} mapped to a class: {self.n_mapped:,} of "
            f"{self.n_answers:,} occurrences."
        )

    def records(self) -> list[tuple[str | int | float, ...]]:
        """The rows of a file, with the columns `COLUMNS`."""
        names = self.taxonomy.names
        return [
            (
                row.given,
                names[row.node] if row.node >= 0 else "",
                "" if row.sure is None else row.sure,
                row.count,
                self.note(row),
            )
            for row in self.rows
        ]

    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns of a file."""
        return frame({name: [row[place] for row in self.records()] for place, name in enumerate(COLUMNS)})
