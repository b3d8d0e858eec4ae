"""A visitor of the app without a browser: Streamlit's AppTest on the real script, and data sets put on the app's shelf."""

import base64
import gzip
import json
import os
import re
import zlib
from itertools import pairwise
from pathlib import Path

from streamlit.testing.v1 import AppTest

from hierviz.app.state import dataset, opened
from hierviz.app.state.escape import JOINER

ROOT = Path(__file__).parents[2]
PAGES = {
    name: str(ROOT / "hierviz" / "app" / "pages" / f"{name}.py")
    for name in ("overview", "curves", "compare", "example", "mistakes", "taxonomy", "model", "learn", "story", "open")
}
# Keys of the folded parts of a page.
FOLDED = {"example": ("all-rules", "metrics"), "mistakes": ("dataset-confusion",), "taxonomy": ("parents-example",)}
PRIVACY = "Your data stay on this machine: nothing is sent anywhere."


class Visit:
    """One session, on one page at a time."""

    def __init__(self, page="overview", **query):
        self.folded = ()
        self.at = AppTest.from_file(str(ROOT / "hierviz" / "app" / "widgets" / "script.py"), default_timeout=300)
        self.go(page, **query)

    def go(self, page=None, **query):
        """Open a page of the app; with a query, as a link to it would."""
        if page:
            self.at.switch_page(PAGES[page])
            self.folded = FOLDED.get(page, ())
        if query:
            self.at.query_params.clear()
            self.at.query_params.update(query)
        return self.run()

    def run(self):
        """Run the page again, with everything open: what is folded is made when it is opened, which AppTest does not send."""
        for key in self.folded:
            self.at.session_state[key] = True
        self.at.run()
        assert not self.at.exception, [f"{one.message}\n{''.join(one.stack_trace)}" for one in self.at.exception]
        return self

    @property
    def query(self):
        """Query parameters, one text each."""
        return {key: one if isinstance(one, str) else one[-1] for key, one in dict(self.at.query_params).items()}

    @property
    def threshold(self):
        """The threshold that the page says it shows."""
        return float(re.search(r'data-threshold="([\d.]+)"', "".join(one.proto.body for one in self.at.get("html")))[1])

    @property
    def text(self):
        """All words of the page outside tables, one paragraph a line, as Markdown shows them."""
        return "\n".join(plain(one) for one in self.markdown())

    def markdown(self):
        """Markdown sources of the page: paragraphs, captions, titles, alerts and labels of buttons, links and popovers."""
        at = self.at
        found = [one.value for kind in (at.markdown, at.caption, at.title, at.header, at.subheader) for one in kind]
        found += [one.value for kind in (at.info, at.error, at.success, at.warning) for one in kind]
        found += [one.label for kind in (at.button, at.get("page_link")) for one in kind]
        return found + [one.proto.popover.label for one in self.popovers()]

    def popovers(self):
        """Blocks that open on a press."""
        return [one for one in blocks(self.at.main) if one.type == "popover"]

    def numbers(self):
        """Popovers with a number: key of the metric -> its block."""
        found = {}
        for block in self.popovers():
            if str(block.key).startswith("number-sample-"):
                found[block.key.removeprefix("number-sample-")] = block
        return found

    def charts(self):
        """(chart, the element below it) of every chart."""
        found = []
        for block in blocks(self.at.main):
            below = [block.children[place] for place in sorted(block.children)] + [None]
            found += [(one, after) for one, after in pairwise(below) if one.type == "vega_lite_chart"]
        return found

    def select(self, chart, selection):
        """Run the page as after a selection in a chart, which AppTest has no method for."""
        tree, plain_states = self.at._tree, self.at._tree.get_widget_states

        def states():
            found = plain_states()
            widget = found.widgets.add()
            widget.id = chart.proto.id
            widget.string_value = json.dumps({"selection": selection})
            return found

        tree.get_widget_states = states
        return self.run()

    def control(self, label):
        """The widget with this label."""
        kinds = ("selectbox", "button_group", "number_input", "multiselect", "text_input", "file_uploader")
        return next(one for kind in kinds for one in self.at.get(kind) if one.label == label)

    @property
    def drawings(self):
        """Whether each drawing of the probability tree can be chosen, by its key; the one shown comes first."""
        found = [one for one in self.at.button if str(one.key).startswith("draw-as-")]
        found.sort(key=lambda one: one.proto.type != "primary")
        return {one.key.removeprefix("draw-as-"): not one.disabled for one in found}

    def all_metrics(self):
        """Open the table of all metrics on the Overview."""
        self.at.session_state["all-metrics"] = True
        return self.run()

    def says(self, n, words):
        """Whether the page tells that so many samples, with their share, are something."""
        return re.search(rf"\*\*{n:,}\*\* \([^)]*\) {re.escape(words)}", self.text) is not None

    def press(self, label):
        """Press the button whose label holds this text."""
        next(one for one in self.at.button if label in one.label).click()
        return self.run()

    def memory(self, name):
        """What the session remembers under a name, to be changed."""
        return self.at.session_state["visit"].memories.setdefault(name, {})

    def component(self, name):
        """A component of the app's own, None where it is not drawn."""
        found = [one for one in self.at.get("bidi_component") if one.proto.component_name.endswith(name)]
        return found[0] if found else None

    def trigger(self, name, event, value):
        """Run the page as after an event of a component, which AppTest has no method for."""
        found = self.component(name)
        states = self.at._tree.get_widget_states

        def triggered():
            made = states()
            widget = made.widgets.add()
            widget.id = f"$$STREAMLIT_INTERNAL_KEY_{found.proto.id}__events"
            widget.json_trigger_value = json.dumps([{"event": event, "value": value}])
            return made

        self.at._tree.get_widget_states = triggered
        return self.run()

    @property
    def ladder(self):
        """The record that the ladder of the page Examples is drawn from; None where it is not drawn."""
        return self.ladders[0] if self.ladders else None

    @property
    def ladders(self):
        """That record, and those of the samples next to it, which the browser gets too."""
        found = self.component("hierviz_living")
        if found is None:
            return []
        data = json.loads(found.proto.json)
        ids = sorted(data["samples"].values(), key=lambda one: one != data["samples"]["0"])
        return [unpacked(data["records"][one]) for one in ids]

    @property
    def zoom(self):
        """What a drawing that one zooms into is sent, its record unpacked; None where none is drawn."""
        found = self.component("hierviz_zoom")
        if found is None:
            return None
        data, kept = json.loads(found.proto.json), json.loads(self.component("hierviz_zoom_record").proto.json)
        assert [kept[name] for name in ("key", "of")] == [data[name] for name in ("key", "of")]
        return data | {"record": unpacked(kept["record"])}

    def choose_class(self, name, act=False):
        """Choose a class in a drawing that one zooms into."""
        n = self.zoom["heard"] + 1
        return self.trigger("hierviz_zoom", "chosen", {"name": name, "focus": name, "act": act, "n": n})

    @property
    def step(self):
        """What the ladder shows when it is opened: the row of its table of steps."""
        record = self.ladder
        start = record["start"]
        steps = [one for one in record["steps"] if (one["m"], one["r"]) == (start["model"], start["rule"])]
        value = start["value"]
        holds = {
            "low": lambda one: one["low"] <= value < one["high"],
            "high": lambda one: one["low"] < value <= one["high"],
        }
        return next((one for one in steps if not one["parameter"] or holds[one["closed"]](one)), steps[-1])

    @property
    def sample(self):
        """Id of the sample on the page Examples."""
        if record := self.ladder:
            return record["id"]
        return next(plain(one.value[5:]) for one in self.at.markdown if one.value.startswith("#### "))

    @property
    def truth(self):
        """Names of the true classes on the page Examples; "" where none is known."""
        if record := self.ladder:
            return record["sample"][0]["truth"]
        return self._named("Truth")

    @property
    def answer(self):
        """Names of the answered classes on the page Examples."""
        return self.step["name"] if self.ladder else self._named("Answer")

    def _named(self, what):
        found = re.search(rf"^{what}: (.*)$", self.text, re.MULTILINE)
        return ", ".join(re.findall(r"\*\*(.+?)\*\*(?!\*)", found[1])) or "nothing" if found else ""


def blocks(block):
    """A block and all blocks inside it."""
    yield block
    for child in block.children.values():
        if hasattr(child, "children"):
            yield from blocks(child)


def plain(markdown):
    """Escaped Markdown as it is shown: a word joiner cannot be seen."""
    return re.sub(r"\\(.)", r"\1", markdown).replace(JOINER, "")


def unpacked(text):
    """What `hierviz.charts.export.packed` has packed."""
    return json.loads(gzip.decompress(base64.b64decode(text)))


def shelve(**files):
    """Open files as the page Open does and keep them for every session; returns the Dataset."""
    data = dataset.open_files(dataset.Files(**files))
    opened.server().put(data, "")
    return data


# What tests read of the pages; each data set is looked at on a third of the others, and on all before a release.
ALWAYS = ("overview", "curves", "example")


def look_around(data):
    """Pages on a data set, each drawn without an exception or an error."""
    found, others = {}, [page for page in PAGES if page not in ALWAYS]
    if not os.environ.get("HIERVIZ_LONG"):
        others = others[zlib.crc32(os.environ["PYTEST_CURRENT_TEST"].encode()) % 3 :: 3]
    for page in (*ALWAYS, *others):
        found[page] = Visit(page, data=data.key)
        assert not found[page].at.error, [one.value for one in found[page].at.error]
        assert found[page].at.title, page
        assert found[page].query.get("data") == data.key
    return found
