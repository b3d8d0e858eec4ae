"""Usual ways to prepare pictures, by the names under which they are known."""

from __future__ import annotations

from dataclasses import dataclass

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
CLIP_MEAN, CLIP_STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
# A model that takes pictures of any size is fed these, as most are trained.
USUAL_SIDE = 224


@dataclass(frozen=True)
class Preset:
    """One way to prepare pictures, whatever their size.

    Parameters
    ----------
    where : str
        Where it is usual.
    share : float, optional
        Side of the middle that is cut out, over the shorter side; pictures are stretched when absent.
    resample : str
        One of `picture_fitting.RESAMPLING`.
    range, mean, std : tuple of float
        As in `input_keys`.
    pad : int, optional
        As in `input_keys`; instead of `share`.
    """

    where: str
    share: float | None
    resample: str
    range: tuple = (0.0, 1.0)
    mean: tuple | None = IMAGENET_MEAN
    std: tuple | None = IMAGENET_STD
    pad: int | None = None

    def preprocessing(self, size=None):
        """Keyword of `load_model` for pictures of a size, (height, width)."""
        size = tuple(size or (USUAL_SIDE, USUAL_SIDE))
        said = {"size": size, "resample": self.resample, "range": self.range, "mean": self.mean, "std": self.std}
        said |= {"pad": self.pad, "resize": None if self.share is None else int(max(size) / self.share)}
        return {
            key: list(value) if isinstance(value, tuple) else value for key, value in said.items() if value is not None
        }

    def words(self, size=None):
        """The steps in one line."""
        said = self.preprocessing(size)
        height, width = said["size"]
        to = f"{height}" if height == width else f"{width} x {height}"
        if self.pad is not None:
            steps = f"Whole picture with borders in {to}"
        elif self.share is None:
            steps = f"Stretched to {to}"
        else:
            steps = f"Shorter side {said['resize']}, middle {to}"
        steps += f" ({self.resample}), {self.range[0]:g} to {self.range[1]:g}".replace("-", "−")
        if self.mean is not None:
            steps += f", {'ImageNet' if self.mean == IMAGENET_MEAN else 'CLIP'}'s mean and std"
        return steps


PRESETS = {
    "torchvision": Preset("torchvision: ResNet, VGG, DenseNet, MobileNet", 0.875, "bilinear"),
    "timm": Preset("timm: ConvNeXt, DeiT, EfficientNet", 0.875, "bicubic"),
    "clip": Preset("CLIP and its fine-tuned descendants", 1.0, "bicubic", mean=CLIP_MEAN, std=CLIP_STD),
    "vit": Preset("Hugging Face: ViT; TensorFlow: MobileNet, Inception", None, "bilinear", (-1.0, 1.0), None, None),
    "imagenet": Preset("Hugging Face: Swin, BEiT and others", None, "bicubic"),
    "plain": Preset(
        "Keras with a Rescaling layer outside, Teachable Machine", None, "bilinear", (0.0, 1.0), None, None
    ),
    "borders": Preset("pictures that must be seen whole", None, "bilinear", (0.0, 1.0), None, None, pad=0),
}
