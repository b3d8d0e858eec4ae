"""The button in the header that copies the address of what is shown."""

import streamlit as st

from hierviz.app import state
from hierviz.app.state.dataset import NAME_OF_DEMO
from hierviz.app.state.page_fields import foreign_fields
from hierviz.app.widgets.save_view import SAVE_VIEW, ask_for_file, can_save

_component = None

CSS = """
button {font: inherit; font-size: 0.9rem; color: var(--st-text-color); background: none; border: 1px solid transparent;
  border-radius: 0.5rem; padding: 0.25rem 0.5rem; cursor: pointer; display: flex; align-items: center; gap: 0.35rem}
button:hover {background: var(--st-secondary-background-color)}
button:focus-visible {outline: 2px solid var(--st-primary-color); outline-offset: 2px}
svg {width: 1rem; height: 1rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round}
@media (max-width: 1435px) {button span {position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden}
  button.done span {position: static; clip-path: none; width: auto; height: auto}}
p {position: fixed; top: 3.4rem; right: 1rem; max-width: min(24rem, 100vw - 4rem); margin: 0; padding: 0.6rem 0.8rem;
  border-radius: 0.5rem; font-size: 0.9rem; line-height: 1.4; color: var(--st-text-color);
  background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color, #8886)}
p[hidden], button[hidden] {display: none}
.file {margin-top: 0.5rem; border-color: currentColor}
"""
HTML = """<button type="button"><svg viewBox="0 0 24 24" aria-hidden="true">
<path d="M10 14a5 5 0 0 0 7 0l3-3a5 5 0 0 0-7-7l-1.5 1.5"/>
<path d="M14 10a5 5 0 0 0-7 0l-3 3a5 5 0 0 0 7 7l1.5-1.5"/></svg><span aria-live="polite">Copy link</span></button>
<p role="status" hidden><span></span><button type="button" class="file"></button></p>"""
# Browsers offer the clipboard itself on pages of this machine and over https only.
JS = """
export default function ({data, parentElement, setTriggerValue}) {
  const button = parentElement.querySelector("button"), words = button.querySelector("span");
  const note = parentElement.querySelector("p"), file = parentElement.querySelector(".file");
  button.title = data.help;
  const copied = async (text) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* below */ }
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    button.focus();
    return done;
  };
  button.onclick = async () => {
    const address = new URL(location.href);
    // Where nothing is left out, the text of the address stays as it is.
    for (const name of data.drop) if (address.searchParams.has(name)) address.searchParams.delete(name);
    words.textContent = (await copied(address.href)) ? "Link copied" : "Copy the address of the page";
    button.classList.add("done");
    note.querySelector("span").textContent = data.reach;
    note.hidden = !data.reach;
    setTimeout(() => { words.textContent = "Copy link"; button.classList.remove("done"); }, 2500);
    clearTimeout(note.waiting);
    note.waiting = setTimeout(() => { note.hidden = true; }, data.file ? 30000 : 12000);
  };
  file.textContent = data.file;
  file.hidden = !data.file;
  file.onclick = () => { note.hidden = true; setTriggerValue("file", true); };
}
"""


def copy_link(page):
    """Draw the button; the link holds data, model, rule, threshold, filters, sample and the open part of the page.

    Fields that other pages use and this one does not are left out.

    Parameters
    ----------
    page : str
        Of the address, such as "curves".
    """
    global _component
    if _component is None:
        _component = st.components.v2.component("hierviz_copy_link", html=HTML, css=CSS, js=JS)
    where = "on this machine" if state.is_local_visit() else "for everybody who can open this server"
    until = "" if state.view().data in NAME_OF_DEMO or state.is_startup() else ", while these files are open"
    help = f"The link shows this page as it is now, {where}{until}: same data, model, threshold, filters and sample."
    with st.container(key="copy-link"):
        _component(
            key="copy-link-button",
            data={
                "help": help,
                "reach": reach(until, can_save(page)),
                "file": SAVE_VIEW if can_save(page) else "",
                "drop": foreign_fields(page),
            },
            on_file_change=lambda: ask_for_file(page),
        )


def reach(until, has_file):
    """What the copied link can do, in one sentence; empty where it opens everywhere and stays.

    Parameters
    ----------
    until : str
        How long the data are here: empty, or ", while ...".
    has_file : bool
        Whether the note offers the view as a file.
    """
    if state.is_local_visit():
        while_open = " and these files are open" if until else ""
        others = "To send this view to somebody else:" if has_file else "For others, save a report under Save."
        return f"This link opens on this machine only, while hierviz runs{while_open}. {others}"
    return f"This link opens for everybody who can reach this server{until}." if until else ""
