// The keys click the buttons of the page; a disabled one, at the end of the list, does nothing.
const TYPING = "input, textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox], [role=option], "
  + "[role=grid], [role=radiogroup], [role=radio], [role=tab], [role=dialog], canvas, [data-testid=stDataFrame], "
  + "[data-testid=stButtonGroup]";
const STEP = {ArrowRight: "next", j: "next", ArrowLeft: "previous", k: "previous"};
const CLICKER = {PageDown: "next", PageUp: "previous"};
const TEXT = "textarea, [contenteditable], input:not([role=combobox], [role=slider], [type=range], [type=radio], "
  + "[type=checkbox])";

// Of which sample a button was pressed last, and when. Until the next sample is there, another key counts for neither, and a
// sign says so for a while.
const pressed = {sample: null, at: 0};
const sign = {element: null, text: "", until: 0, timer: 0};
// Of the sign, and from a press until the page can be seen to work.
const SIGN_SECONDS = 4, STARTS_IN = 0.5;
// Pixels.
const GAP = 8;
const NOT_YET = "the next sample was not there yet", GREY = "its button is grey for this sample";
const isAtRest = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";
// Each sample has buttons of its own, of which a class has the name.
const shownSample = () => [...document.querySelectorAll("[class*=st-key-say-]")].filter((one) => one.checkVisibility())
  .at(-1)?.className.match(/st-key-say-\S+/)[0];
const took = () => Object.assign(pressed, {sample: shownSample(), at: performance.now()});
const isWaiting = () => pressed.sample === shownSample() && (!isAtRest() || performance.now() - pressed.at < 1000 * STARTS_IN);
// As low in the window as it covers no button.
const place = () => {
  const {left, right, height} = sign.element.getBoundingClientRect();
  const buttons = [...document.querySelectorAll("button")].map((one) => one.getBoundingClientRect());
  const covers = (end) => buttons.some((one) =>
    one.top < end + GAP && one.bottom > end - height - GAP && one.left < right && one.right > left);
  let end = innerHeight - 2 * GAP;
  while (covers(end) && end > height) end -= GAP;
  sign.element.style.bottom = `${innerHeight - end}px`;
};
// The page may draw the sign once more meanwhile, and its buttons elsewhere.
const draw = () => {
  sign.element.hidden = performance.now() >= sign.until;
  // Read aloud once: text that is set again is a change.
  if (sign.element.textContent !== sign.text) sign.element.textContent = sign.text;
  if (sign.element.hidden) clearInterval(sign.timer);
  else place();
};
const say = (why) => {
  Object.assign(sign, {text: `That key was not counted: ${why}.`, until: performance.now() + 1000 * SIGN_SECONDS});
  clearInterval(sign.timer);
  sign.timer = setInterval(draw, 100);
  draw();
};
const isInField = (element) => (field) => element?.closest?.(`.st-key-${field}`);

export default function ({parentElement, data}) {
  const end = new AbortController(), fields = Object.values(data?.fields ?? {}), judging = data?.judging ?? {};
  const isReview = Object.keys(judging).length > 0;
  sign.element = parentElement.querySelector("p");
  draw();
  if (isReview) {
    const buttons = ["next-sample", "previous-sample", ...Object.values(judging)].map((one) => `.st-key-${one} button`);
    document.addEventListener("click", (e) => {
      if (e.target instanceof Element && e.target.closest(buttons.join())) took();
    }, {signal: end.signal, capture: true});
  }
  document.addEventListener("keydown", (e) => {
    const typed = e.composedPath()[0];
    if (["Enter", "Escape"].includes(e.key) && !e.isComposing && fields.some(isInField(typed))) {
      // Once the page has the text, letters are keys again.
      setTimeout(() => typed.blur());
      return;
    }
    const presents = document.querySelector(".hierviz-presenter");
    const step = STEP[e.key] ?? (presents ? CLICKER[e.key] : undefined);
    const field = (data?.fields ?? {})[e.key], judge = judging[e.key.toLowerCase()];
    if (!(step || field || judge) || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
    // For an event inside a component, the target is its host; the path has the element.
    const inner = e.composedPath().filter((one) => one instanceof Element);
    if (inner.some((one) => one.matches(presents ? TEXT : TYPING))) return;
    if (isReview && !field && isWaiting()) {
      e.preventDefault();
      e.stopImmediatePropagation();
      // A key that is held down steps as quickly as the page follows.
      if (judge || !e.repeat) say(NOT_YET);
      return;
    }
    if (judge) {
      // The page itself presses the button.
      if (document.querySelector(`.st-key-${judge} button:not([disabled])`)) took();
      else say(GREY);
      return;
    }
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
