"""The demo world: 40 kinds of vehicle, drawn by this program and by nothing else."""

from .picture import Conditions, draw_picture
from .world import KINDS, PARENT, ROOT, edges

__all__ = ["KINDS", "PARENT", "ROOT", "Conditions", "draw_picture", "edges"]
