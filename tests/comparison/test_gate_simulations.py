"""How often a gate passes, fails or cannot tell, on data sets drawn from populations whose true difference is known.

`python -m tests.comparison.test_gate_simulations` prints what is found with a thousand data sets each, and checks it.
"""

import pytest

import hierviz as hv
from tests.comparison.gate_worlds import KEYS, Population, data_sets, models, shares

# Of each metric alone, and of all three.
CHOICES = [*((key,) for key in KEYS), KEYS]


@pytest.fixture(scope="module")
def equal():
    return Population()


@pytest.fixture(scope="module")
def worse():
    return Population(0.11)


def checked(equal, worse, n_sets, slack):
    """All claims of a gate with so many data sets; prints what is found."""
    limits_of_none = dict.fromkeys(KEYS, 0.04)
    for n in (12, 3000):
        sets = list(data_sets(equal, n_sets, n, 5))
        for keys in CHOICES:
            found = shares(sets, n, {key: limits_of_none[key] for key in keys})
            print(f"no drop, limit .04, n = {n}, {', '.join(keys)}: exit {found}")
            assert found[3 if n == 12 else 0] >= 0.95 - slack
        sets = list(data_sets(worse, n_sets, n, 6))
        for keys in CHOICES:
            at = shares(sets, n, {key: worse.drop[key] for key in keys})
            twice = shares(sets, n, {key: worse.drop[key] / 2 for key in keys})
            print(f"drop of the limit, n = {n}, {', '.join(keys)}: exit {at}; of twice the limit: exit {twice}")
            assert at[0] <= 0.05 + slack
            if n == 12:
                assert min(at[3], twice[3]) >= 0.95 - slack
            else:
                assert twice[1] >= 0.90 - slack
        # One of three at the limit, or at twice the limit, and the others far from theirs.
        others = dict.fromkeys(KEYS, 0.5)
        for key in KEYS:
            at, twice = (shares(sets, n, others | {key: worse.drop[key] / part}) for part in (1, 2))
            print(f"only {key} at the limit, n = {n}: exit {at}; at twice: exit {twice}")
            assert at[0] <= 0.05 + slack
            assert n == 12 or twice[1] >= 0.90 - slack


@pytest.mark.long
def test_many_data_sets(equal, worse):
    # Three standard errors of 5 %.
    checked(equal, worse, 300, 3 * (0.05 * 0.95 / 300) ** 0.5)


def test_shares_of_many_small_data_sets(equal, worse):
    """Numbers without a curve, of which data sets take little time."""
    keys = KEYS[1:]
    for n, claim in ((12, 3), (3000, 0)):
        found = shares(data_sets(equal, 60, n, 7, keys=keys), n, dict.fromkeys(keys, 0.04))
        assert found[claim] >= 0.95
    sets = list(data_sets(worse, 100, 800, 8, keys=keys))
    for key in keys:
        # 5 % and three standard errors of 100.
        assert shares(sets, 800, {key: worse.drop[key]})[0] <= 0.05 + 3 * (0.05 * 0.95 / 100) ** 0.5
    sets = list(data_sets(worse, 40, 3000, 9, keys=keys))
    assert shares(sets, 3000, {key: worse.drop[key] / 2 for key in keys})[1] >= 0.9


def test_a_few_whole_gates():
    """The same from predictions to the exit code."""
    codes = {(n, damage): [] for n in (12, 1500) for damage in (0.0, 0.12)}
    for (n, damage), found in codes.items():
        for seed in range(2):
            both = [hv.Evaluation.from_predictions(model) for model in models(n, 100 + seed, damage)]
            found.append(hv.comparison.gate(*both, dict.fromkeys(KEYS, 0.04), resamples=100).code)
    assert codes[12, 0.0] + codes[12, 0.12] == [3] * 4
    assert codes[1500, 0.0] == [0] * 2
    assert codes[1500, 0.12] == [1] * 2


if __name__ == "__main__":
    checked(Population(), Population(0.11), 1000, 0.0)
