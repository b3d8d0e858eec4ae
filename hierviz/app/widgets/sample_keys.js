// The keys click the buttons of the page; a disabled one, at the end of the list, does nothing.
const TYPING = "input, textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox], [role=option], "
  + "[role=grid], [role=radiogroup], [role=radio], [role=tab], [role=dialog], canvas, [data-testid=stDataFrame], "
  + "[data-testid=stButtonGroup]";
const STEP = {ArrowRight: "next", j: "next", ArrowLeft: "previous", k: "previous"};
const CLICKER = {PageDown: "next", PageUp: "previous"};
const TEXT = "textarea, [contenteditable], input:not([role=combobox], [role=slider], [type=range], [type=radio], "
  + "[type=checkbox])";

// Whose button a key pressed last, and when. Until the buttons of the next sample are there, another such key counts for neither,
// and a sign says so for a while.
const judged = {sample: null, at: 0, until: 0, sign: null};
// Of the sign, and from a press until the page can be seen to work.
const SIGN_SECONDS = 3, STARTS_IN = 0.5;
const isAtRest = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";
// Each sample has buttons of its own, of which a class has the name.
const shownSample = () => [...document.querySelectorAll("[class*=st-key-say-]")].filter((one) => one.checkVisibility())
  .at(-1)?.className.match(/st-key-say-\S+/)[0];
// The page may draw the sign once more meanwhile.
const say = () => { judged.sign.hidden = performance.now() >= judged.until; };
const isInField = (element) => (field) => element?.closest?.(`.st-key-${field}`);

export default function ({parentElement, data}) {
  const end = new AbortController(), fields = Object.values(data?.fields ?? {});
  judged.sign = parentElement.querySelector("p");
  say();
  document.addEventListener("keydown", (e) => {
    const typed = e.composedPath()[0];
    if (["Enter", "Escape"].includes(e.key) && !e.isComposing && fields.some(isInField(typed))) {
      // Once the page has the text, letters are keys again.
      setTimeout(() => typed.blur());
      return;
    }
    if (e.key === data?.undo) judged.sample = null;
    if (data?.judging?.includes(e.key) && !e.composedPath().some((one) => one instanceof Element && one.matches(TYPING))) {
      const sample = shownSample();
      if (judged.sample === sample && (!isAtRest() || performance.now() - judged.at < 1000 * STARTS_IN)) {
        e.preventDefault();
        e.stopImmediatePropagation();
        judged.until = performance.now() + 1000 * SIGN_SECONDS;
        say();
        setTimeout(say, 1000 * SIGN_SECONDS + 1);
      } else Object.assign(judged, {sample, at: performance.now()});
      return;
    }
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
