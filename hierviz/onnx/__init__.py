"""ONNX models: what is in the file, what it takes, what its outputs mean, and running it.

onnx, onnxruntime, pandas and Pillow load on first use.
"""

from hierviz.onnx.inputs.model_inputs import ModelInputs, load_inputs
from hierviz.onnx.model import Model, draft_model, inspect_model, load_model

__all__ = ["Model", "ModelInputs", "draft_model", "inspect_model", "load_inputs", "load_model"]
