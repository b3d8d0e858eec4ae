"""What models of texts write as JSON objects, one a line or in a list: spaCy's ``cats``, and answers of OpenAI's batches.

Conventions
-----------
- spaCy: ``{"text": ..., "cats": {"A": 0.9, "B": 0.1}}``. Classes exclude each other where the scores of every text sum to 1
  (``textcat``), else they are independent (``textcat_multilabel``).
- OpenAI: ``{"custom_id": ..., "response": {"status_code": 200, "body": {...}}, "error": null}``, where the body is that of a chat
  (``choices``) or a response (``output``). The answer is the class that the text names (`language_models`). Requests that failed
  have no answer.

References
----------
.. [1] https://spacy.io/api/doc#to_json
.. [2] https://platform.openai.com/docs/guides/batch
"""

from __future__ import annotations

from hierviz.messages.errors import PredictionsError, listed
from hierviz.messages.parameters import Sentence
from hierviz.readers.columns import sample_place
from hierviz.readers.json_text import of_kind
from hierviz.readers.prediction_forms.detections import by_score
from hierviz.readers.prediction_forms.language_models import named_by_texts
from hierviz.taxonomy.checks import is_number

_ID_KEYS = ("sample_id", "id", "_id")


def looks_like_cats(value):
    """Whether an object has scores of categories."""
    cats = value.get("cats")
    return isinstance(cats, dict) and bool(cats) and all(map(is_number, cats.values()))


def cats_records(objects, where, reading, notes):
    """Yield a record for every text."""
    lost: dict = {}
    for number, value in enumerate(objects):
        cats = value.get("cats") if isinstance(value, dict) else None
        known = value if isinstance(value, dict) else {}
        key = next((key for key in _ID_KEYS if isinstance(known.get(key), (str, int))), None)
        if not isinstance(cats, dict) or not cats:
            raise PredictionsError(
                f"{sample_place(where, number, '' if key is None else str(value[key]))}: expected 'cats' with scores, got none. "
                "Score every text."
            )
        ids = {} if key is None else {"sample_id": str(value[key])}
        more = {name: text for name, text in value.items() if name != key and isinstance(text, str)}
        lost |= dict.fromkeys(name for name in value if name not in ("cats", key, *more))
        entries = [{"label": str(label), "score": score} for label, score in cats.items()]
        yield {**ids, "scores": by_score(entries), **more}
    if lost:
        notes.append(f"{where}: other annotations than 'cats' were left out: {listed(lost)}")


def looks_like_batch(value):
    """Whether an object is a line of the output of a batch."""
    return "custom_id" in value and "response" in value


def batch_records(objects, where, reading, notes):
    """Records of the requests with an answer.

    Raises
    ------
    PredictionsError
        If a line has no custom_id, or its answer is no text.
    """
    failed, texts, rows, n_several = [], [], [], 0
    for number, value in enumerate(objects, 1):
        sample = value.get("custom_id") if isinstance(value, dict) else None
        if not isinstance(sample, (str, int)):
            raise PredictionsError(
                f"{where}, line {number}: expected a custom_id, got none. Is it the output of a batch?"
            )
        response = of_kind(value.get("response"), dict)
        if value.get("error") or response.get("status_code", 200) != 200:
            failed.append(str(sample))
            continue
        body = of_kind(response.get("body"), dict)
        given = _texts_of(body)
        if not given:
            raise PredictionsError(
                f"{where}, {str(sample)!r}: expected an answer in 'choices' or 'output' of its body, got none. Is it a chat?"
            )
        n_several += len(given) > 1
        for text in given if reading.has_votes else given[:1]:
            texts.append(text)
            rows.append({"sample_id": str(sample)} | ({"model": str(body["model"])} if "model" in body else {}))
    if n_several and not reading.has_votes:
        have = "1 request has" if n_several == 1 else f"{n_several:,} requests have"
        several = f"{where}: {have} several answers, the first of which is taken"
        notes.append(Sentence(f"{several}; to count all of them, say {{parametrisation=votes}}"))
    if failed:
        requests = "1 request" if len(failed) == 1 else f"{len(failed):,} requests"
        notes.append(f"{where}: {requests} failed and have no answer: {listed(failed)}")
    return named_by_texts(texts, rows, where, reading, notes, lambda row: f"{where}, {rows[row]['sample_id']!r}")


def _texts_of(body):
    """The texts of the choices of a chat or a completion, or that of a response; empty where there is none."""
    choices = of_kind(body.get("choices"), list)
    if choices:
        texts = [
            of_kind(of_kind(choice, dict).get("message"), dict).get("content", of_kind(choice, dict).get("text"))
            for choice in choices
        ]
        return texts if all(isinstance(text, str) for text in texts) else []
    parts = [
        part.get("text")
        for item in of_kind(body.get("output"), list)
        for part in of_kind(of_kind(item, dict).get("content"), list)
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]
    return parts[:1]
