"""Errors of the core in the words of the app's forms, where they name flags of the command line."""

import re

# The longer ones first: one flag may be the start of another.
FLAGS = {
    "with --truth-column": "under 'Column of the truth'",
    "--truth-column": "'Column of the truth'",
    "--parametrisation": "'What the scores mean'",
    "--classes": "'Class names of the columns'",
    "--scores": "'What the scores mean'",
    "--output": "'Output with the scores'",
    "--layout": "'Where the colours stand'",
    "--size": "'Size of the pictures'",
    "--colour": "'Order of the colours'",
    "--range": "'Scale of the pictures'",
    "--mean": "'mean'",
    "--std": "'std'",
    "with --memory-mb": "by starting the app with --memory-mb",
    "with --cpu-seconds": "by starting the app with --cpu-seconds",
    "or leave --strict out": "or switch off 'Stop at a picture that cannot be read'",
    "--media": "'Pictures to show'",
}


def in_form_words(message):
    """A message with the names of the forms' fields in place of flags and keywords."""
    message = re.sub(r" ?[(;] ?in Python: [^()]*\)", lambda one: ")" if one[0].startswith(";") else "", message)
    for flag, words in FLAGS.items():
        message = re.sub(rf"{flag}(?![\w-])", words, message)
    return message.replace("the caller", "you")


def sentence(note):
    """As `in_form_words`, for a note that starts with a small letter; names of files keep theirs."""
    words = in_form_words(note)
    return words[:1].upper() + words[1:] if words.split(" ", 1)[0].isalpha() else words
