"""The gate on Compare: the verdict of the API, and a command that gives the same."""

import shlex

import numpy as np
from small_worlds import EDGES, LEAVES, spread, write
from visit import Visit, shelve

import hierviz as hv
from hierviz import cli
from tests.training_files import write_training

A, B = "flat-softmax", "log-win-flat-start"


def test_the_verdict_is_that_of_the_api(demo):
    visit = Visit("compare", comparison="pair", model=A, against=B)
    verdicts = ("**Holds.**", "**Fails.**", "**Not clear.**")
    assert not any(words in visit.text for words in verdicts)
    visit.press("Check")
    found = hv.comparison.gate(demo.models[A], demo.models[B])
    sentence = found.sentence.replace("curve.ac", "AC")  # as the menu calls it
    assert f"**{found.verdict.capitalize()}.** {sentence}" in visit.text
    assert "exit" not in visit.text  # who looks at a page knows no exit codes
    (rows,) = (one.value for one in visit.at.dataframe if "Verdict" in one.value.columns)
    assert rows["Metric"].tolist() == ["AC"]
    assert rows["Difference"].tolist() == [found.rows[0].difference]
    # Another limit asks again.
    visit.control("Largest drop").set_value(0.5)
    visit.run()
    assert not any(words in visit.text for words in verdicts)
    visit.press("Check")
    assert "**Holds.** The candidate is not worse" in visit.text


def test_the_command_gives_the_same_verdict(tmp_path, monkeypatch, capsys):
    ids = [f"s{i}" for i in range(60)]
    taxonomy = write(tmp_path / "taxonomy.csv", [("parent", "child"), *EDGES])
    truth = write(tmp_path / "truth.csv", [("sample_id", "truth"), *zip(ids, np.array(LEAVES)[np.arange(60) % 6])])
    paths = []
    for name, seed in (("old", 1), ("new", 2)):
        rows = [[one, *row] for one, row in zip(ids, spread(60, seed=seed).tolist())]
        paths.append(write(tmp_path / f"{name}.csv", [("sample_id", *LEAVES), *rows]))
    data = shelve(predictions=tuple(paths), taxonomy=taxonomy, truth=truth)
    old, new = list(data.methods)
    visit = Visit("compare", data=data.key, comparison="pair", model=old, against=new)
    visit.press("Check")
    (line,) = (one.value for one in visit.at.code if one.value.startswith("hierviz gate"))
    monkeypatch.chdir(tmp_path)
    code = cli.main(shlex.split(line)[1:])
    assert f"**{ {0: 'Holds', 1: 'Fails', 3: 'Not clear'}[code] }.**" in visit.text
    said = capsys.readouterr().out
    assert "Candidate new against baseline old: 60 samples" in said
    assert said.split(". ")[1].split(".\n")[0].replace("curve.ac", "AC") in visit.text


def test_the_command_of_the_last_steps_of_trainings(tmp_path, monkeypatch, capsys):
    """They are called with their step, as in the menu; earlier steps are in no command."""
    write_training(tmp_path, (1, 2, 10))
    folder = tmp_path / "flat"
    paths = [folder / f"epoch_{step}.csv" for step in (1, 10)]
    names = ("flat@1", "flat@10", "other@1", "other@10")
    data = shelve(
        predictions=tuple(map(str, [*paths, folder / "epoch_2.csv", folder / "epoch_1.csv"])),
        names=names,
        taxonomy=str(tmp_path / "taxonomy.csv"),
        truth=str(tmp_path / "truth.csv"),
    )
    a, b = list(data.methods)
    visit = Visit("compare", data=data.key, comparison="pair", model=a, against=b)
    visit.press("Check")
    (line,) = (one.value for one in visit.at.code if one.value.startswith("hierviz gate"))
    given = [word for word in shlex.split(line) if "@" in word and "epoch" in word]
    assert given == ["flat@10=epoch_10.csv", "other@10=epoch_1.csv"]
    for place in (*paths, tmp_path / "taxonomy.csv", tmp_path / "truth.csv"):
        (tmp_path / "run").mkdir(exist_ok=True)
        (tmp_path / "run" / place.name).write_bytes(place.read_bytes())
    monkeypatch.chdir(tmp_path / "run")
    code = cli.main(shlex.split(line)[1:])
    assert f"**{ {0: 'Holds', 1: 'Fails', 3: 'Not clear'}[code] }.**" in visit.text
    assert "Candidate other@10 against baseline flat@10: 40 samples" in capsys.readouterr().out
