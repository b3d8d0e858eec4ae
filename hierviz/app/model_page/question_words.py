"""The words of the questions about a model: texts, and what there is to choose from."""

SCALES = {
    "0,1": ("0 to 1", "each value divided by 255; what PyTorch's ToTensor does"),
    "imagenet": (
        "0 to 1, then standardised",
        "minus ImageNet's mean, divided by its standard deviation; usual for ResNets",
    ),
    "-1,1": ("−1 to 1", "usual for MobileNet and Inception of TensorFlow"),
    "0,255": ("0 to 255", "as the picture file has them"),
    "other": ("Other numbers", "say which"),
}
LAYOUTS = {
    "NCHW": ("Colours first (NCHW)", "PyTorch, and most ONNX files"),
    "NHWC": ("Colours last (NHWC)", "TensorFlow and Keras"),
}
COLOURS = {
    "RGB": ("Red, green, blue", "nearly always"),
    "BGR": ("Blue, green, red", "models trained with OpenCV or Caffe"),
}
TEXTS = {
    "preprocessing.layout": "In which order does it take height, width and colours of a picture?",
    "preprocessing.size": "How many pixels does it take?",
    "preprocessing.range": "Which numbers does it take for dark and bright?",
    "preprocessing.colour": "Which colour comes first?",
    "classes": "Which class is which column?",
    "scores": "What are the numbers that come out?",
}
ORDER = ("classes", "outputs", "scores", "preprocessing.layout", "preprocessing.size", "preprocessing.range")
