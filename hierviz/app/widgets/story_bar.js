const TYPING = "input, textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox], [role=option], "
  + "[role=grid], [role=radiogroup], [role=radio], [role=tab], canvas";
const KEYS = {ArrowRight: "next", PageDown: "next", ArrowLeft: "previous", PageUp: "previous"};
const fill = () => document.documentElement.requestFullscreen?.().catch(() => {});

export default function ({data, parentElement, setTriggerValue}) {
  const find = (words) => parentElement.querySelector(words), screen = find(".screen");
  find("p").textContent = data.caption;
  find(".place").textContent = `${data.place} of ${data.n}`;
  find("[data-go=previous]").disabled = data.place <= 1;
  find("[data-go=next]").disabled = data.place >= data.n;
  const go = (word) => {
    if (word === "end" && document.fullscreenElement) document.exitFullscreen();
    setTriggerValue("go", word);
  };
  for (const button of parentElement.querySelectorAll("[data-go]")) button.onclick = () => go(button.dataset.go);
  const named = () => { screen.textContent = document.fullscreenElement ? "Leave full screen" : "Full screen"; };
  screen.onclick = () => document.fullscreenElement ? document.exitFullscreen() : fill();
  screen.hidden = !document.documentElement.requestFullscreen;
  named();
  if (window.hiervizStory !== data.place) {
    // The press of Play still counts as one of the visitor here; without it the button asks again.
    if (window.hiervizStory === undefined) fill();
    window.hiervizStory = data.place;
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  }
  const end = new AbortController();
  document.addEventListener("fullscreenchange", named, {signal: end.signal});
  // Before the keys of pages, which lead to the next sample or step.
  window.addEventListener("keydown", (event) => {
    const word = KEYS[event.key];
    if (!word || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.composedPath().some((one) => one instanceof Element && one.matches(TYPING))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!find(`[data-go=${word}]`).disabled) go(word);
  }, {signal: end.signal, capture: true});
  return () => {
    end.abort();
    setTimeout(() => { if (!document.querySelector(".st-key-story-played")) delete window.hiervizStory; }, 3000);
  };
}
