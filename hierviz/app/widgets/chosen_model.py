"""What parts of a page are about: the open data, one of its models, and how its answers are chosen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class ChosenModel:
    """A model of the open data and the choice of its answers.

    Attributes
    ----------
    data : Dataset
    key : str
        Of the model.
    choice : dict
        Keywords of `Evaluation.answers`.
    """

    data: object
    key: str
    choice: dict

    @property
    def model(self):
        """The Evaluation."""
        return self.data.models[self.key]

    @property
    def taxonomy(self):
        """Of the data."""
        return self.data.taxonomy

    @property
    def predictions(self):
        """Of the model."""
        return self.model.predictions
