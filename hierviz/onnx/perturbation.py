"""Perturbations of pictures, to see how a model reacts.

Conventions
-----------
A picture is uint8, RGB, (height, width, 3); so is what comes back, in the same size. `strength` is dimensionless, in [0, 1]: 0
gives the picture back unchanged, more perturbs more. Nothing is random.

Functions
---------
darker, smaller, blurred, moved; `PERTURBATIONS` has them by name with a sentence each.
"""

import numpy as np

from hierviz.messages.errors import FileError

# At strength 1: share of the light that is left, of the size that is left, of the shorter side that the blur reaches and
# of each side that the picture is moved by.
DARKEST, SMALLEST, WIDEST_BLUR, FARTHEST = 0.05, 0.15, 0.1, 0.5


def darker(picture, strength):
    """The picture with less light: all values times 1 - 0.95 `strength`.

    Parameters
    ----------
    picture : ndarray of uint8, shape (height, width, 3)
    strength : float

    Returns
    -------
    ndarray of uint8, shape (height, width, 3)

    Raises
    ------
    FileError
        If the picture is of another kind or the strength outside [0, 1].
    """
    picture, strength = _checked(picture, strength)
    return np.rint(picture * (1 - (1 - DARKEST) * strength)).astype(np.uint8)


def smaller(picture, strength):
    """The picture as if from farther away: reduced to 1 - 0.85 `strength` of its sides, in the middle of its own border.

    The border is filled with the mean colour of the picture's edge. Parameters and errors as `darker`.
    """
    picture, strength = _checked(picture, strength)
    from PIL import Image

    height, width = picture.shape[:2]
    left = 1 - (1 - SMALLEST) * strength
    inner = max(1, round(height * left)), max(1, round(width * left))
    if inner == (height, width):
        return picture.copy()
    edge = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    made = np.empty_like(picture)
    made[:] = np.rint(edge.mean(axis=0)).astype(np.uint8)
    top, start = (height - inner[0]) // 2, (width - inner[1]) // 2
    reduced = Image.fromarray(picture).resize((inner[1], inner[0]), Image.Resampling.BILINEAR)
    made[top : top + inner[0], start : start + inner[1]] = np.asarray(reduced)
    return made


def blurred(picture, strength):
    """The picture out of focus: a Gaussian blur whose radius is a tenth of the shorter side times `strength`.

    Parameters and errors as `darker`.
    """
    picture, strength = _checked(picture, strength)
    from PIL import Image, ImageFilter

    radius = WIDEST_BLUR * strength * min(picture.shape[:2])
    return np.array(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(radius))) if radius else picture.copy()


def moved(picture, strength):
    """The picture shifted to the right and down by half of each side times `strength`; its edge fills the gap.

    Parameters and errors as `darker`.
    """
    picture, strength = _checked(picture, strength)
    down, right = (round(FARTHEST * strength * side) for side in picture.shape[:2])
    rows = np.maximum(np.arange(picture.shape[0]) - down, 0)
    columns = np.maximum(np.arange(picture.shape[1]) - right, 0)
    return picture[rows[:, None], columns]


def _checked(picture, strength):
    picture = np.ascontiguousarray(picture)
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8 or not picture.size:
        raise FileError(
            f"picture: expected uint8 of shape (height, width, 3), got {picture.dtype} of shape {picture.shape}. "
            "Decode it with Pictures.array."
        )
    if not 0 <= strength <= 1:
        raise FileError(f"strength: expected a number from 0 to 1, got {strength!r}. Choose one in between.")
    return picture, float(strength)


# Name -> (function, what it does in a few words).
PERTURBATIONS = {
    "darker": (darker, "less light"),
    "smaller": (smaller, "farther away"),
    "blurred": (blurred, "out of focus"),
    "moved": (moved, "towards the corner"),
}
