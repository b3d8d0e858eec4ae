"""Costs of mistakes edited on a page: a cell is changed, the answer follows, and the saved table gives others the same."""

import numpy as np
import pytest
from playwright.sync_api import expect

from hierviz.demo import load_demo
from hierviz.evaluation.evaluation import Evaluation
from hierviz.inference.leaf_costs import LeafCosts
from hierviz.readers.costs_file import load_costs
from tests.browser.conftest import heading, quiet, upload

pytestmark = [pytest.mark.browser, pytest.mark.long]

SAMPLE, RULE, FIRST, DEAR, SECOND = "v0428", "optimal_node", 4, 9.0, 7.0
ADDRESS = f"example?tree=icicle&model=flat-softmax&rule={RULE}&sample={SAMPLE}"
# The cell that the keyboard is on, "column-row" with the names of the answers as column 0.
AT = """() => [...document.querySelectorAll("[data-testid=stPopoverBody] [role=gridcell][aria-selected=true]")]
    .map(cell => cell.id.replace("glide-cell-", ""))[0]"""


@pytest.fixture(scope="module")
def world():
    """The model, the row of the sample, and names of the table that the editor offers: its answers and its true classes."""
    taxonomy, (predictions,) = load_demo(["flat_softmax"])
    row = predictions.row(SAMPLE)
    of_leaves = predictions.node_probabilities(np.array([row]))[0][taxonomy.leaves]
    chosen = sorted(taxonomy.leaves[np.argsort(-of_leaves, kind="stable")[:FIRST]].tolist())
    several = {node for node in range(taxonomy.n_nodes) if len(taxonomy.children[node]) > 1}
    above = sorted(several & {node for leaf in chosen for node in taxonomy.path(leaf).tolist()})
    names, inner = ([taxonomy.names[node] for node in nodes] for nodes in ((*above, *chosen), sorted(several)))
    return Evaluation.from_predictions(predictions), row, names, names[len(above) :], inner


def answer_of(world, cost):
    model, row, *_ = world
    return model.taxonomy.title(int(model.answers(RULE, cost=cost)[row]))


def shows(page, answer):
    expect(page.get_by_text("Answer:").first).to_contain_text(answer)


def edit(page, column, row, value):
    """Go to a cell of the grid by keys, as the pointer would need the widths of its columns, and type a value."""
    grid = page.get_by_test_id("stPopoverBody").get_by_test_id("stDataFrame")
    grid.wait_for()
    quiet(page)
    box = grid.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 52)
    page.wait_for_function(AT)
    for _ in range(60):
        at = [int(part) for part in page.evaluate(AT).split("-")]
        if at == [column, row]:
            break
        far = column - at[0], row - at[1]
        page.keyboard.press(
            "ArrowRight" if far[0] > 0 else "ArrowLeft" if far[0] else "ArrowDown" if far[1] > 0 else "ArrowUp"
        )
        page.wait_for_function(f"before => ({AT})() !== before", arg="-".join(map(str, at)))
    # The first letter opens a field, which has the keyboard a moment later: what is typed until then can be lost.
    text, field = f"{value:g}", page.locator("#portal input, #portal textarea").first
    page.keyboard.type(text[0])
    expect(field).to_be_focused()
    page.keyboard.type(text[1:])
    expect(field).to_have_value(text)
    page.keyboard.press("Enter")
    expect(grid.locator(f"[id='glide-cell-{column}-{row}']")).to_have_text(f"{value:g}")
    quiet(page)


def test_an_edited_cost_changes_the_answer_and_is_saved_for_others(open_page, world, tmp_path):
    model, _, answers, truths, inner = world
    taxonomy = model.taxonomy
    start = LeafCosts.of_cost(taxonomy, "depth_dist", inner=inner)
    before = answer_of(world, "depth_dist")
    name = next(name for name in answers if taxonomy.title(taxonomy.index[name]) == before)
    # The answer costs a lot wherever the truth is the most probable leaf.
    best = taxonomy.names[int(model.answers("leaf")[model.predictions.row(SAMPLE)])]
    values = start.part(taxonomy, answers, truths).copy()
    values[answers.index(name), truths.index(best)] = DEAR
    # A second cell of that answer: both count.
    other = next(one for one in truths if one != best)
    values[answers.index(name), truths.index(other)] = SECOND
    edited = start.changed(taxonomy, answers, truths, values, "edited-costs.csv")
    after = answer_of(world, edited)
    assert after != before

    page = open_page(ADDRESS)
    heading(page, "Examples")
    shows(page, before)
    quiet(page)
    page.get_by_role("button", name="Edit costs").click()
    edit(page, 1 + truths.index(best), answers.index(name), DEAR)
    edit(page, 1 + truths.index(other), answers.index(name), -1)
    said = page.get_by_test_id("stPopoverBody").get_by_test_id("stAlert")
    expect(said).to_contain_text(f"expected costs of 0 or more, got -1.0 for answer '{name}' and truth '{other}'")
    expect(page.get_by_role("button", name="Use these costs")).to_have_count(0)
    edit(page, 1 + truths.index(other), answers.index(name), SECOND)
    expect(said).to_have_count(0)
    shows(page, before)  # nothing is used before it is asked for
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as CSV").click()
    waiting.value.save_as(tmp_path / "edited-costs.csv")
    page.get_by_role("button", name="Use these costs").click()
    shows(page, after)
    page.wait_for_url("**cost=edited-costs.csv**")

    saved = load_costs(tmp_path / "edited-costs.csv", taxonomy)
    assert saved.inner == edited.inner
    assert np.array_equal(saved.values, edited.values)
    # One answer costs more: all others stay, also inner classes that were not on the page.
    former = model.answers(RULE, cost="depth_dist")
    others = former != taxonomy.index[name]
    assert np.array_equal(model.answers(RULE, cost=saved)[others], former[others])
    assert set(former[others].tolist()) - {taxonomy.index[one] for one in answers} - set(taxonomy.leaves.tolist())
    # Another visitor opens the saved table.
    another = open_page(ADDRESS)
    heading(another, "Examples")
    shows(another, before)
    quiet(another)
    another.get_by_role("button", name="Costs from a file").click()
    upload(another, cost=tmp_path / "edited-costs.csv")
    shows(another, after)
