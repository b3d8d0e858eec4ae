"""Runs, seconds and memory of `Model.sensitivity`: a model of the demo, and a network of ImageNet's size with random weights.

    python benchmarks/sensitivity.py            # both
    python benchmarks/sensitivity.py demo
    python benchmarks/sensitivity.py imagenet

The network has the shape of ResNet-50: pictures of 224 x 224 pixels, 53 convolutions, 25.5 million weights, 1,000 classes in a
random tree. Batch normalisation is left out, as exporters fold it into the convolutions. Memory is the peak of this process and
of the largest of its children, which runs the model on one thread; both are looked up ten times a second (Linux).
"""

import argparse
import json
import multiprocessing
import os
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import hierviz as hv

ROOT = Path(__file__).parents[1]
STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))
N_CLASSES, SIDE = 1000, 224


def resnet(path, names):
    """Write the network; its columns are called `names`."""
    from onnx import TensorProto, helper, numpy_helper

    rng, nodes, weights = np.random.default_rng(0), [], []

    def conv(source, n_in, n_out, kernel, stride=1, relu=True):
        name = f"c{len(weights)}"
        scale = np.sqrt(2 / (n_in * kernel * kernel))
        values = (rng.normal(size=(n_out, n_in, kernel, kernel)) * scale).astype(np.float32)
        weights.append(numpy_helper.from_array(values, f"{name}.w"))
        pads = [kernel // 2] * 4
        nodes.append(helper.make_node("Conv", [source, f"{name}.w"], [name], strides=[stride] * 2, pads=pads))
        if relu:
            nodes.append(helper.make_node("Relu", [name], [f"{name}.r"]))
        return f"{name}.r" if relu else name

    now = conv("image", 3, 64, 7, 2)
    nodes.append(helper.make_node("MaxPool", [now], ["pooled"], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4))
    now, n_now = "pooled", 64
    for stage, (width, n_blocks) in enumerate(STAGES):
        for block in range(n_blocks):
            stride = 2 if stage and not block else 1
            inner = conv(conv(now, n_now, width, 1), width, width, 3, stride)
            inner = conv(inner, width, 4 * width, 1, relu=False)
            side = conv(now, n_now, 4 * width, 1, stride, relu=False) if not block else now
            out = f"b{stage}.{block}"
            nodes += [
                helper.make_node("Add", [inner, side], [f"{out}.sum"]),
                helper.make_node("Relu", [f"{out}.sum"], [out]),
            ]
            now, n_now = out, 4 * width
    nodes += [helper.make_node("GlobalAveragePool", [now], ["gap"]), helper.make_node("Flatten", ["gap"], ["flat"])]
    last = (rng.normal(size=(n_now, N_CLASSES)) / n_now).astype(np.float32)
    weights.append(numpy_helper.from_array(last, "w"))
    nodes += [helper.make_node("MatMul", ["flat", "w"], ["logits"])]
    graph = helper.make_graph(
        nodes,
        "resnet",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, SIDE, SIDE])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", N_CLASSES])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    picture = {"layout": "NCHW", "dtype": "float32", "range": [0, 1], "colour": "RGB", "size": [SIDE, SIDE]}
    said = {"format": "1", "parametrisation": "flat_softmax", "nodes": json.dumps(names), "input": json.dumps(picture)}
    helper.set_model_props(model, {f"hierviz.{key}": value for key, value in said.items()})
    path.write_bytes(model.SerializeToString())
    n_weights = sum(int(np.prod(one.dims)) for one in weights)
    print(f"network: {n_weights / 1e6:.1f} million weights, {path.stat().st_size / 1e6:.0f} MB")


def measured(name, model, inputs):
    """Print runs, seconds and memory of one sample."""
    with Watch() as watch:
        begun = time.perf_counter()
        found = model.sensitivity(inputs, 0)
        seconds = time.perf_counter() - begun
    own, child = watch.peak[True] / 1024, watch.peak[False] / 1024
    cpu = sum(last - first for first, last in watch.seconds.values())
    print(
        f"{name}: {found.n_runs} runs, {cpu:.1f} s of processor, {seconds:.1f} s, "
        f"peak {own:.0f} MB here, {child:.0f} MB in the child"
    )
    for note in found.notes:
        print(f"  {note}")


class Watch:
    """Processor seconds and resident memory (kB) of this process and of all below it."""

    def __init__(self):
        self.seconds, self.peak, self._ends = {}, {True: 0, False: 0}, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()

    def _look(self):
        while True:
            parents = {}
            for place in Path("/proc").iterdir():
                if place.name.isdigit():
                    try:
                        after = (place / "stat").read_text().rpartition(")")[2].split()
                        parents[int(place.name)] = (
                            int(after[1]),
                            (int(after[11]) + int(after[12])) / os.sysconf("SC_CLK_TCK"),
                            int(after[21]),
                        )
                    except OSError:
                        pass
            family = {os.getpid()}
            while more := {pid for pid, (parent, *_) in parents.items() if parent in family} - family:
                family |= more
            for pid in family & set(parents):
                _, seconds, pages = parents[pid]
                first = self.seconds.get(pid, (0.0 if self.seconds and pid not in self.seconds else seconds, 0))[0]
                self.seconds[pid] = first, seconds
                is_here = pid == os.getpid()
                self.peak[is_here] = max(self.peak[is_here], pages * os.sysconf("SC_PAGE_SIZE") // 1024)
            if self._ends.wait(0.1):
                return


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("demo", "imagenet"))
    what = parser.parse_args().what
    if what != "imagenet":
        taxonomy = hv.load_taxonomy(ROOT / "assets/demo/taxonomy.csv")
        model = hv.load_model(ROOT / "models/flat_softmax.onnx", taxonomy)
        measured("demo", model, hv.load_inputs(ROOT / "assets/demo/pictures.zip", model))
    if what != "demo":
        rng = np.random.default_rng(0)
        groups = [f"group {k}" for k in range(30)]
        leaves = [f"class {k}" for k in range(N_CLASSES)]
        edges = [("object", group) for group in groups] + [(groups[rng.integers(30)], leaf) for leaf in leaves]
        taxonomy = hv.Taxonomy.from_edges(edges)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "resnet.onnx"
            # Elsewhere: its memory is not that of the run.
            writer = multiprocessing.get_context("spawn").Process(target=resnet, args=(path, leaves))
            writer.start()
            writer.join()
            model = hv.load_model(path, taxonomy)
            picture = rng.integers(0, 256, size=(1, SIDE, SIDE, 3), dtype=np.uint8)
            measured("ImageNet's size", model, picture)


if __name__ == "__main__":
    main()
