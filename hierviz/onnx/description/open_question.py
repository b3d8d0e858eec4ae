"""What has to be asked before a model can be used, as something a screen can show and a command line can name."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from hierviz.messages.errors import ModelError
from hierviz.messages.parameters import Sentence


@dataclass(frozen=True)
class Question:
    """One thing that is not declared yet.

    Parameters
    ----------
    about : {"classes", "known", "outputs", "scores", "preprocessing"}
    text : str
        The question in one plain sentence.
    keywords : tuple of str
        Keywords of `load_model`, any of which answers it; ``preprocessing.range`` is the key ``range`` of `preprocessing`.
    choices : tuple of (str, str, str)
        Keyword, value and meaning of each answer; empty when the answer is free.
    stops : {"loading", "running", "pictures"}
        What cannot be done without an answer. Whether running needs one may show only in the numbers.
    error : str
        What is raised as a ModelError by then; like `text`, it may name parameters (`parameters.named`).
    """

    about: str
    text: str
    keywords: tuple[str, ...]
    choices: tuple[tuple[str, str, str], ...] = ()
    stops: str = "loading"
    error: str = ""

    def as_dict(self):
        """The question in JSON types, as in ``account["questions"]``."""
        keys = ("keyword", "value", "means")
        choices = [dict(zip(keys, choice, strict=True)) for choice in self.choices]
        texts = {"text": Sentence(self.text), "error": Sentence(self.error)}
        return asdict(self) | texts | {"keywords": list(self.keywords), "choices": choices}


class OpenQuestion(ModelError):
    """A ModelError that an answer would settle; `question` is what to ask."""

    def __init__(self, question):
        super().__init__(question.error)
        self.question = question
