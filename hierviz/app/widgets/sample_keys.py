"""Arrow keys, or j and k, lead to the next and the previous sample, unless something that uses them has the focus.

On a page with the sign of presenter mode they do so, as PageUp and PageDown, whatever has the focus but a field of text.
"""

import streamlit as st

from hierviz.app.state.components import component

# Class of what stands on a page in presenter mode.
PRESENTER = "hierviz-presenter"


def sample_keys(fields=None, judging=None):
    """Listen for the keys; the buttons have the keys `previous-sample` and `next-sample`.

    `fields`, if given, is a dict of further keys to the keys of the fields of text that they lead to; Enter and Escape lead out.
    `judging` is a dict of shortcuts to the containers of their buttons, which judge a sample and lead to another one; those of a
    sample have keys that begin with `say-`. Of these keys and the steps one counts until the other sample is there, and a sign
    says which do not.
    """
    data = {"fields": fields or {}, "judging": judging or {}}
    with st.container(key="sample-keys"):
        component(__file__, "sample_keys")(key="sample-keys-listener", data=data)
