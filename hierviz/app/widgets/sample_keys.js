// The keys click the buttons of the page; a disabled one, at the end of the list, does nothing.
const TYPING = "input, textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox], [role=option], "
  + "[role=grid], [role=radiogroup], [role=radio], [role=tab], [role=dialog], canvas, [data-testid=stDataFrame], "
  + "[data-testid=stButtonGroup]";
const STEP = {ArrowRight: "next", j: "next", ArrowLeft: "previous", k: "previous"};
const CLICKER = {PageDown: "next", PageUp: "previous"};
const TEXT = "textarea, [contenteditable], input:not([role=combobox], [role=slider], [type=range], [type=radio], "
  + "[type=checkbox])";

export default function ({parentElement, data}) {
  const end = new AbortController();
  document.addEventListener("keydown", (e) => {
    const presents = document.querySelector(".hierviz-presenter");
    const step = STEP[e.key] ?? (presents ? CLICKER[e.key] : undefined);
    const field = (data?.fields ?? {})[e.key];
    if (!(step || field) || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
    // For an event inside a component, the target is its host; the path has the element.
    const inner = e.composedPath().filter((one) => one instanceof Element);
    if (inner.some((one) => one.matches(presents ? TEXT : TYPING))) return;
    if (field) {
      const input = document.querySelector(`.st-key-${field} :is(input, textarea)`);
      if (!input) return;
      // The letter itself is not typed there.
      e.preventDefault();
      input.focus();
      return;
    }
    const button = document.querySelector(`.st-key-${step}-sample button:not([disabled])`);
    if (!button) return;
    e.preventDefault();
    // The focused element would use the key too.
    e.stopPropagation();
    button.click();
  }, {signal: end.signal, capture: true});
  // Tests wait for it: a key that is pressed earlier is lost.
  (parentElement.host ?? parentElement).setAttribute("data-listens", "keys");
  return () => end.abort();
}
