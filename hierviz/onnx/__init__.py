"""ONNX models: what is in the file, what it takes, what its outputs mean, and running it.

onnx, onnxruntime, pandas and Pillow load on first use.
"""
