"""Check of the preprocessing: accuracy when pictures are scaled, ordered or fitted in other plausible ways.

A model that was fed BGR for RGB, 0..255 for 0..1, or stretched pictures where it was trained on their middle, runs without
an error and looks like a poor model. With the truth of some samples the right way shows. It is shown, never taken.
"""

from dataclasses import replace

import numpy as np

from hierviz.messages.errors import FileError, HiervizError
from hierviz.messages.number_text import percent_text
from hierviz.messages.parameters import Sentence
from hierviz.onnx.class_order import are_right, best_first, compared, rows_to_check, top_level_wrong
from hierviz.onnx.description.input_keys import IMAGENET_MEAN, IMAGENET_STD, as_keyword
from hierviz.onnx.description.picture_fitting import BLOCK_BYTES, picture_bytes, require_room_for_picture
from hierviz.onnx.inputs.model_inputs import ModelInputs
from hierviz.predictions.exchanged_columns import CLEARLY, luck_words
from hierviz.predictions.parametrisation import node_probabilities
from hierviz.taxonomy.taxonomy import NodeLists

MOST_ROWS = 200
# Fewer pictures are checked when they are large.
MOST_BYTES = 512 << 20
_SCALINGS = {
    "0..1": ((0.0, 1.0), None, None),
    "-1..1": ((-1.0, 1.0), None, None),
    "0..255": ((0.0, 255.0), None, None),
    "0..1 with ImageNet's mean and std": ((0.0, 1.0), IMAGENET_MEAN, IMAGENET_STD),
}


def check_inputs(model, inputs, truth):
    """Leaf accuracy of a model of pictures under plausible ways to prepare them.

    Parameters
    ----------
    model : Model
        The scaling of its pictures may still be open; nothing is declared then.
    inputs : ModelInputs, Pictures, or ndarray of uint8
    truth : ndarray of int, shape (n_samples,), or NodeLists
        -1, or an empty list, where it is not known.

    Returns
    -------
    table : list of dict
        Best first: ``variant`` in words, ``is_declared``, ``preprocessing`` (keyword of `load_model`), ``top_level_wrong`` (share
        below another child of the root; None where there is no one true node, or no tree), and the counts of
        `class_order.compared` against the declared way, over at most `most_rows` rows. Empty when the model is not fed
        pictures, no truth is known, or the columns have no class names.
    warning : str or None
        When another way is clearly better.
    """
    rows = rows_to_check(truth, most_rows(model.inputs))
    variants = _variants(model.inputs)
    if not len(rows) or not variants or not model.outputs:
        return [], None
    spec = next(iter(variants.values()))
    require_room_for_picture(spec)
    pictures = _pictures(inputs, _other_fittings(spec), rows)
    if pictures is None:
        return [], None
    declared_pictures, fitted_otherwise = pictures
    truth = truth.take(rows) if isinstance(truth, NodeLists) else np.asarray(truth)[rows]
    declared = None if model.inputs[0].why_no_pictures else _key(model.inputs[0])
    made, right = {}, {}
    keys = ("colour", "range", "mean", "std", *(("size", "resize", "pad") if fitted_otherwise else ()))
    # The declared way goes first: it settles what the scores are.
    variants = dict(sorted(variants.items(), key=lambda entry: _key(entry[1]) != declared))

    def judge(name, spec, scores, is_declared):
        nonlocal model
        try:
            leaves, model = _answers(model, scores)
        except HiervizError:  # not finite, or no probabilities: no plausible way
            return
        right[name] = are_right(model.taxonomy, truth, leaves)
        wrong = None
        if model.taxonomy.is_tree and not isinstance(truth, NodeLists):
            wrong = float(top_level_wrong(model.taxonomy, truth, leaves).mean())
        how = as_keyword({key: getattr(spec, key) for key in keys})
        made[name] = {"variant": name, "is_declared": is_declared, "preprocessing": how, "top_level_wrong": wrong}

    def ranked():
        counts = compared(right, next((name for name in made if made[name]["is_declared"]), None))
        return best_first([made[name] | counts[name] for name in made], "is_declared")

    how = f", {_fitting(spec)}" if fitted_otherwise else ""
    of_ways = _scores(model, variants.values(), declared_pictures)
    for (name, spec), scores in zip(variants.items(), of_ways, strict=True):
        judge(name + how, spec, scores, _key(spec) == declared)
    table = ranked()
    if fitted_otherwise and table:
        # Where another scaling is clearly right, the sizes are tried with that one.
        best = next((row for row in table if row["is_declared"]), table[0])
        best = table[0] if best["luck"] is not None and (table[0]["luck"] or 1) < CLEARLY else best
        base = best["variant"].removesuffix(how)
        for other, pictures in fitted_otherwise:
            spec = replace(variants[base], resize=other.resize, pad=other.pad)
            judge(f"{base}, {_fitting(spec)}", spec, _scores(model, [spec], pictures)[0], False)
        table = ranked()
    return table, _warning(table)


def _other_fittings(spec):
    """[spec, others]: the same input with other ways to bring pictures to its size, the declared one first."""
    longest = max(spec.size)
    ways = ((None, None), (int(longest / 0.875), None), (longest, None), (None, 0))
    return [
        spec,
        *(replace(spec, resize=resize, pad=pad) for resize, pad in ways if (resize, pad) != (spec.resize, spec.pad)),
    ]


def _fitting(spec):
    """How a spec brings pictures to their size, in few words."""
    if spec.pad is not None:
        return "whole, padded with borders"
    if spec.resize is None:
        return "stretched"
    if spec.resize == 0:
        return "centre crop"
    to = f"shorter side {spec.resize}" if isinstance(spec.resize, int) else f"{spec.resize[0]} x {spec.resize[1]}"
    return f"{to}, then a centre crop"


def most_rows(specs):
    """Most rows to check: `MOST_ROWS`, fewer of large pictures."""
    spec = next(iter(_variants(specs).values()), None)
    if spec is None:
        return MOST_ROWS
    return max(1, min(MOST_ROWS, MOST_BYTES // (3 * spec.size[0] * spec.size[1] * len(_other_fittings(spec)))))


def _warning(table):
    declared = next((row for row in table if row["is_declared"]), None)
    if declared is None or table[0]["luck"] >= CLEARLY:
        return None
    best = table[0]
    tops = ""
    if best["top_level_wrong"] is not None:
        told = (percent_text(row["top_level_wrong"], 1) for row in (declared, best))
        tops = f", top-level mistakes {' and '.join(told)}"
    keys = ["colour", "range", "mean", "std", *(("resize", "crop", "pad") if "size" in best["preprocessing"] else ())]
    fields = [f"{{preprocessing.{key}}}" for key in keys]
    return Sentence(
        f"the preprocessing of the pictures is probably wrong: of {best['n']} answers, "
        f"{percent_text(declared['accuracy'], 1)} are correct as declared ({declared['variant']}), "
        f"{percent_text(best['accuracy'], 1)} with {best['variant']}{tops}; probability by chance: {luck_words(best['luck'])}. "
        f"Check {', '.join(fields[:-1])} and {fields[-1]}"
    )


def _variants(specs):
    """{words: InputSpec} of plausible ways, the declared one included."""
    if len(specs) != 1 or specs[0].why_never_pictures:
        return {}
    spec = specs[0]
    if spec.layout is None or spec.size is None:
        return {}
    colours = ("RGB", "BGR") if spec.channels == 3 else (None,)
    variants = {} if spec.why_no_pictures else {_words(spec): spec}
    seen = {_key(variant) for variant in variants.values()}
    for colour in colours:
        for scaling, (spread, mean, std) in {"": (None, None, None)}.items() if spec.is_whole else _SCALINGS.items():
            if spec.channels == 1 and mean is not None:
                continue
            order = -1 if colour == "BGR" else 1
            mean, std = (values and values[::order] for values in (mean, std))
            made = replace(spec, colour=colour or spec.colour, range=spread, mean=mean, std=std)
            if _key(made) not in seen:
                seen.add(_key(made))
                variants[", ".join(filter(None, (colour, scaling)))] = made
    return variants


def _key(spec):
    """What makes two ways the same: colour, and what 0 and 255 become in each channel."""
    if spec.is_whole:
        return (spec.colour,)
    mean, std = np.array(spec.mean or (0.0,)), np.array(spec.std or (1.0,))
    ends = [np.broadcast_to((bound - mean) / std, 3) for bound in spec.range]
    return (spec.colour, *np.round(np.concatenate(ends), 5).tolist())


def _words(spec):
    """The way a spec prepares pictures, in few words."""
    colour = spec.colour if spec.channels == 3 else ""
    if spec.is_whole:
        return colour or "unchanged"
    words = f"{spec.range[0]:g}..{spec.range[1]:g}"
    for key, values in (("mean", spec.mean), ("std", spec.std)):
        words += "" if values is None else f", {key} " + " ".join(f"{value:g}" for value in values)
    return ", ".join(filter(None, (colour, words)))


def _pictures(inputs, specs, rows):
    """Pictures of some rows at the model's size, uint8 (n, height, width, 3), and the same fitted in other ways.

    Returns
    -------
    (ndarray, list of (InputSpec, ndarray)) or None
        None when there are no pictures; no other ways when all have the model's size.
    """
    first = specs[0]
    inputs = ModelInputs.from_values(inputs, (first,))
    if inputs.arrays is not None:
        made = first.as_pictures(np.asarray(inputs.arrays[first.name][rows]))
        return None if made is None else (made, [])
    fitted, sizes = [], set()
    for row in rows.tolist():
        image = inputs.pictures.image(inputs.pictures.names[row])
        sizes.add(image.size[::-1])
        fitted.append([_fitted(spec, image) for spec in specs])
    declared, *others = (np.stack(pictures) for pictures in zip(*fitted, strict=True))
    return declared, [] if sizes == {first.size} else list(zip(specs[1:], others, strict=True))


def _fitted(spec, image):
    try:
        return spec.fitted(image)
    except FileError:  # too long for its width when the shorter side is brought to a size
        return np.zeros((*spec.size, 3), dtype=np.uint8)


def _scores(model, specs, pictures):
    """What the model gives for the pictures prepared in each way, shape (n_ways, n_pictures, n_columns), in one run."""
    specs = list(specs)
    step = max(1, min(64, BLOCK_BYTES // picture_bytes(specs[0])))

    def blocks():
        for spec in specs:
            for k in range(0, len(pictures), step):
                yield {spec.name: spec.from_pictures(pictures[k : k + step])}

    return model.run_blocks(blocks, len(specs) * len(pictures)).reshape(len(specs), len(pictures), -1)


def _answers(model, scores):
    """(best leaf of each picture, the model with its kind of scores settled)."""
    columns, taxonomy = model.columns.nodes, model.taxonomy
    places = np.flatnonzero(columns >= 0)
    if model.known is None or (not model.known.is_shared and taxonomy.is_leaf[columns[places]].all()):
        # Whatever the scores are, the largest is that of the best leaf.
        if not np.isfinite(scores).all():
            model.read_scores(scores)
        return columns[places][scores[:, places].argmax(axis=1)], model
    made = model.read_scores(scores)
    if model.parametrisation is None:
        model = replace(model, parametrisation=made.parametrisation, scores=made.kind.kind)
    p = node_probabilities(made.taxonomy, made.scores, made.parametrisation, made.nodes)
    best = made.taxonomy.leaves[p[:, made.taxonomy.leaves].argmax(axis=1)]
    part = model.known.part
    return best if part is None else part.nodes[best], model
