"""A network of torchvision with its own preset: the same logits from `hierviz predict` with the flags that say the preset."""

import numpy as np
import pytest

from hierviz import cli
from hierviz.onnx.model import load_model
from hierviz.opening.model_settings import model_options
from hierviz.taxonomy.taxonomy import Taxonomy

torch, Image = pytest.importorskip("torch"), pytest.importorskip("PIL.Image")
try:
    import torchvision
except ImportError:
    pytest.skip("no torchvision", allow_module_level=True)
except RuntimeError:
    # A torchvision for CUDA beside a torch for processors cannot load its operators; nothing here uses them.
    operators = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import torchvision
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
CLASSES = [f"c{k}" for k in range(12)]
WAYS = {
    "stretched": (["--size", "224x224", "--resample", "bilinear"], "bilinear", None),
    **{
        how: (["--resize", "256", "--crop", "224x224", "--resample", how], how, 256)
        for how in ("bilinear", "bicubic", "nearest")
    },
}


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """40 photographs' worth of colour and detail, of odd sizes, upright and lying."""
    folder, rng = tmp_path_factory.mktemp("photos"), np.random.default_rng(5)
    for k in range(40):
        width, height = rng.integers(200, 520, size=2).tolist()
        coarse = rng.integers(0, 256, size=(rng.integers(4, 30), rng.integers(4, 30), 3), dtype=np.uint8)
        picture = np.asarray(Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC), np.int16)
        grain = rng.integers(-25, 26, size=picture.shape)
        Image.fromarray(np.clip(picture + grain, 0, 255).astype(np.uint8)).save(folder / f"p{k:02}.png")
    return folder


def preset(how, shorter):
    """As `ResNet18_Weights.IMAGENET1K_V1.transforms()`, with this resampling; stretched where no shorter side is given."""
    from torchvision.transforms import Compose, InterpolationMode, Normalize, Resize, ToTensor
    from torchvision.transforms._presets import ImageClassification

    mode = InterpolationMode(how)
    if shorter is not None:
        return ImageClassification(crop_size=224, resize_size=shorter, interpolation=mode)
    return Compose([Resize((224, 224), mode), ToTensor(), Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])


@pytest.fixture(scope="module")
def network(pictures, tmp_path_factory):
    """(network, ONNX file): weights from a seed, batch-norm statistics of the pictures."""
    torch.manual_seed(0)
    made = torchvision.models.resnet18(weights=None, num_classes=len(CLASSES))
    for module in made.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = None
    fed = fed_by(preset("bilinear", 256), pictures)
    with torch.no_grad():
        made.train()(fed)
    made.eval()
    path = tmp_path_factory.mktemp("network") / "resnet18.onnx"
    torch.onnx.export(
        made,
        (fed[:2],),
        path,
        dynamo=False,
        input_names=["x"],
        output_names=["logits"],
        dynamic_axes={"x": {0: "n"}, "logits": {0: "n"}},
    )
    return made, path


def fed_by(transforms, pictures):
    return torch.stack([transforms(Image.open(file).convert("RGB")) for file in sorted(pictures.iterdir())])


def logits_of(path, pictures, flags):
    said = ["predict", "--model", str(path), "--taxonomy", "-", "--range", "0,1", "--mean", "0.485,0.456,0.406"]
    options = cli.parser().parse_args([*said, "--std", "0.229,0.224,0.225", "--colour", "RGB", *flags])
    taxonomy = Taxonomy.from_edges([("all", name) for name in CLASSES])
    given = model_options(options) | {"classes": CLASSES}
    return load_model(path, taxonomy, **given).raw_scores(pictures)


@pytest.mark.parametrize("way", WAYS)
def test_the_same_logits(way, network, pictures):
    made, path = network
    _, how, shorter = WAYS[way]
    with torch.no_grad():
        wanted = made(fed_by(preset(how, shorter), pictures)).numpy()
    spread = wanted.std(axis=0).min()
    errors = {other: np.abs(logits_of(path, pictures, WAYS[other][0]) - wanted).max() / spread for other in WAYS}
    print(way, {other: float(f"{error:.3g}") for other, error in errors.items()})
    assert errors[way] <= 1e-3
    # A wrong crop or resampling is no small thing.
    assert min(error for other, error in errors.items() if other != way) >= 20 * errors[way]
