"""Cases of `make_models`: scikit-learn pipelines, converted by skl2onnx. Expected values come from scikit-learn alone."""

import numpy as np
import pandas as pd
from model_cases import CLASSES, DIGITS, LEAVES, Case
from skl2onnx import convert_sklearn
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

MATERIALS = ("wood", "metal", "gut, nylon", "reed")
COLOURS = ("brown", "gold", "schwärzlich")
WORDS = ("bow", "string", "pluck", "fret", "pedal", "valve", "reed", "key", "mouthpiece", "concert", "Loud", "SOFT")


def numbers(rng, kinds, width=4):
    """Features around a centre per kind, as float32 numbers."""
    centres = np.random.default_rng(99).normal(scale=1.5, size=(kinds.max() + 1, width))
    return (centres[kinds] + rng.normal(size=(len(kinds), width))).astype(np.float32)


def table(rng, kinds):
    """Text and number columns of instruments."""
    x = numbers(rng, kinds, 2)
    noise = rng.random(len(kinds)) < 0.2
    return pd.DataFrame(
        {
            "material": np.array(MATERIALS)[np.where(noise, rng.integers(0, 4, len(kinds)), kinds % 4)],
            "colour": np.array(COLOURS)[np.where(noise, rng.integers(0, 3, len(kinds)), kinds // 3)],
            "length": x[:, 0].astype(np.float64),
            "weight": x[:, 1].astype(np.float64),
        }
    )


def texts(rng, kinds):
    """A line of words each, some telling the kind."""
    said = []
    for kind in kinds:
        told = [WORDS[kind], WORDS[(kind + 1) % len(WORDS)]] if rng.random() < 0.9 else []
        words = [*told, *(WORDS[k] for k in rng.integers(0, len(WORDS), 4))]
        said.append(", ".join(rng.permutation(words)) + ".")
    return said


def some(seed, n_train=240, n_rows=10, n_kinds=8):
    """Generator and kinds of the samples to learn from and to predict."""
    rng = np.random.default_rng(seed)
    return rng, rng.permutation(np.arange(n_train) % n_kinds), rng.integers(0, n_kinds, n_rows)


def ids_of(rows):
    """Ids with leading zeros, which must stay text."""
    return [f"{k:04}" for k in range(len(rows))]


def convert(case, model, inputs, **options):
    """skl2onnx's file."""
    made = convert_sklearn(model, case.entry["name"], inputs, options=options.get("options"))
    case.model.write_bytes(made.SerializeToString())


def mixed(seed):
    """A pipeline on text and number columns with what it is to predict: (model, inputs, frame)."""
    rng, learn, ask = some(seed)
    columns = [("kinds", OneHotEncoder(handle_unknown="ignore"), ["material", "colour"])]
    columns += [("numbers", StandardScaler(), ["length", "weight"])]
    model = make_pipeline(ColumnTransformer(columns), LogisticRegression(max_iter=1000))
    model.fit(table(rng, learn), np.array(LEAVES)[learn])
    inputs = [(name, StringTensorType([None, 1])) for name in ("material", "colour")]
    inputs += [(name, FloatTensorType([None, 1])) for name in ("length", "weight")]
    return model, inputs, table(rng, ask)


def sklearn_zipmap_mixed(folder):
    """skl2onnx's defaults on a data frame."""
    case = Case(
        folder,
        "sklearn_zipmap_mixed",
        "defaults (ZipMap); one input per column, text and float32; logistic regression",
    )
    model, inputs, frame = mixed(21)
    convert(case, model, inputs)
    columns = {name: frame[name].tolist() for name in frame}
    case.inputs_table({"weight": columns.pop("weight"), "remark": ["-"] * len(frame), **columns}, ids_of(frame))
    case.finish(model.predict_proba(frame), model.classes_.tolist(), ids_of(frame))
    return case


def sklearn_zipmap_each(folder):
    """An output per class."""
    case = Case(
        folder,
        "sklearn_zipmap_each",
        'zipmap="columns"; one input per column, text and float32, arrays of shape (n,); logistic regression',
    )
    model, inputs, frame = mixed(22)
    convert(case, model, inputs, options={id(model): {"zipmap": "columns"}})
    arrays = {name: np.array(frame[name].tolist()) for name in frame}
    case.inputs_npz(**{name: one[:, None] for name, one in arrays.items()}, ids=np.array(ids_of(frame)))
    case.finish(model.predict_proba(frame), model.classes_.tolist(), ids_of(frame))
    return case


def sklearn_boosting(folder):
    """Gradient boosting on one matrix."""
    case = Case(folder, "sklearn_boosting", "zipmap=False; one float32 matrix; gradient boosting")
    rng, learn, ask = some(23)
    model = GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=0)
    model.fit(numbers(rng, learn), np.array(LEAVES)[learn])
    x = numbers(rng, ask)
    convert(case, model, [("X", FloatTensorType([None, 4]))], options={id(model): {"zipmap": False}})
    case.inputs_npz(X=x, ids=np.array(ids_of(x)))
    case.finish(model.predict_proba(x), model.classes_.tolist(), ids_of(x))
    return case


def sklearn_forest(folder):
    """Thresholds are rounded to float32: a row may take another branch, so probabilities are compared loosely."""
    case = Case(
        folder,
        "sklearn_forest",
        "defaults (ZipMap); scaler and random forest; labels agree, probabilities differ where thresholds were rounded",
        tolerance=0.07,
    )
    rng, learn, ask = some(24, n_rows=240)
    model = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=15, max_depth=4, random_state=0))
    # A few distinct values a column, so that many thresholds are close to a row.
    model.fit(np.round(numbers(rng, learn), 1), np.array(LEAVES)[learn])
    x = np.round(numbers(rng, ask), 1)
    convert(case, model, [("X", FloatTensorType([None, 4]))])
    case.inputs_npy(x)
    case.finish(model.predict_proba(x), model.classes_.tolist())
    return case


def sklearn_numbered_leaves(folder):
    """int64 labels that are names of leaves."""
    case = Case(
        folder,
        "sklearn_numbered_leaves",
        "defaults (ZipMap); int64 class labels that name leaves; logistic regression",
        "numbers.csv",
    )
    rng, learn, ask = some(25, n_kinds=len(DIGITS))
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(numbers(rng, learn), learn)
    x = numbers(rng, ask)
    convert(case, model, [("X", FloatTensorType([None, 4]))])
    case.inputs_npz(X=x.astype(np.float64), ids=np.array(ids_of(x)))
    case.finish(model.predict_proba(x), [str(one) for one in model.classes_], ids_of(x))
    return case


def sklearn_coded_labels(folder):
    """int64 labels that only a list of classes explains."""
    case = Case(
        folder,
        "sklearn_coded_labels",
        "zipmap=False; int64 class labels 0..7 for the sorted names; logistic regression",
        load=CLASSES,
        asks={"classes": "number the 8 columns from 0.*(--classes|classes=)"},
    )
    rng, learn, ask = some(26)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(numbers(rng, learn), learn)
    x = numbers(rng, ask)
    convert(case, model, [("X", FloatTensorType([None, 4]))], options={id(model): {"zipmap": False}})
    case.inputs_npz(X=x, ids=np.array(ids_of(x)))
    case.write_lines("classes.txt", sorted(LEAVES))
    case.finish(model.predict_proba(x), sorted(LEAVES), ids_of(x))
    return case


def text_pipeline(seed):
    """A text pipeline and what it is to predict: (model, texts)."""
    rng, learn, ask = some(seed)
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(C=10))
    return model.fit(texts(rng, learn), np.array(LEAVES)[learn]), texts(rng, ask)


def sklearn_text(folder):
    """The locale that every Linux has."""
    case = Case(folder, "sklearn_text", "defaults (ZipMap) with locale C.UTF-8; TF-IDF of a text; logistic regression")
    model, said = text_pipeline(27)
    options = {id(model[0]): {"locale": "C.UTF-8"}}
    convert(case, model, [("text", StringTensorType([None, 1]))], options=options)
    case.inputs_lines(said)
    case.finish(model.predict_proba(said), model.classes_.tolist())
    return case


def sklearn_text_column(folder):
    """Texts of a table, ZipMap off."""
    case = Case(
        folder,
        "sklearn_text_column",
        "zipmap=False with locale C.UTF-8; TF-IDF of one column of a table; logistic regression",
        inputs_options={"text_column": "review"},
    )
    model, said = text_pipeline(28)
    options = {id(model[0]): {"locale": "C.UTF-8"}, id(model): {"zipmap": False}}
    convert(case, model, [("text", StringTensorType([None, 1]))], options=options)
    case.inputs_table({"editor": ["Kim"] * len(said), "review": said}, ids_of(said))
    case.finish(model.predict_proba(said), model.classes_.tolist(), ids_of(said))
    return case


def sklearn_text_default_locale(folder):
    """skl2onnx's default locale, en_US.UTF-8, is absent from many machines and all small containers."""
    case = Case(
        folder,
        "sklearn_text_default_locale",
        "defaults (ZipMap, locale en_US.UTF-8); TF-IDF of a text; loads where that locale is installed",
        locale="en_US.UTF-8",
    )
    model, said = text_pipeline(29)
    convert(case, model, [("text", StringTensorType([None, 1]))])
    case.inputs_lines(said)
    case.finish(model.predict_proba(said), model.classes_.tolist())
    return case


CASES = (
    sklearn_zipmap_mixed,
    sklearn_zipmap_each,
    sklearn_boosting,
    sklearn_forest,
    sklearn_numbered_leaves,
    sklearn_coded_labels,
    sklearn_text,
    sklearn_text_column,
    sklearn_text_default_locale,
)
