"""What the doctor says of the names of answers that are no classes."""

import sys

import pytest

import hierviz as hv

EDGES = "parent,child\nanimal,cat\nanimal,dog\n"


@pytest.fixture
def examine(tmp_path):
    """The findings about predictions, which come as the text of a file."""

    def found(text):
        (tmp_path / "t.csv").write_text(EDGES)
        (tmp_path / "p.csv").write_text(text)
        return list(hv.doctor(tmp_path / "t.csv", tmp_path / "p.csv"))

    return found


def test_a_name_counts_once_in_a_cell(examine):
    found = examine("sample_id,labels\na,cat;elf\nb,elf;gnome\nc,elf;elf\nd,cat\n")
    finding = next(one for one in found if one.code == "unknown_names")
    assert "2 names are not in the taxonomy: 'elf' (3), 'gnome' (1) (prediction, lines 2, 3 and 4)" in finding.message


def test_ten_times_as_many_names_are_ten_times_the_work(examine):
    def steps(n):
        """Lines that Python runs, also those inside of comprehensions."""
        text = "sample_id,predicted\n" + "".join(f"s{row},zork {row:05d}\n" for row in range(n))
        n_steps, before = 0, sys.gettrace()

        def count(*_):
            nonlocal n_steps
            n_steps += 1
            return count

        sys.settrace(count)
        try:
            found = examine(text)
        finally:
            sys.settrace(before)
        assert next(one for one in found if one.code == "unknown_names").message.startswith(f"{n:,} names")
        return n_steps

    steps(10)
    assert steps(1000) < 15 * steps(100)
