const TYPING = "input, textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox], [role=option], "
  + "[role=grid], [role=radiogroup], [role=radio], [role=tab], canvas";
const KEYS = {ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1};
const FIGURES = ".stVegaLiteChart";
const fill = () => document.documentElement.requestFullscreen?.().catch(() => {});
const isAtRest = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";

// Once the page is drawn, scroll so that its first chart is visible as a whole, with as much as possible above it.
function bringIntoView() {
  const main = document.querySelector("[data-testid=stMain]"), end = new AbortController();
  let rested = 0;
  const stop = () => { clearInterval(look); end.abort(); };
  const look = setInterval(() => {
    rested = isAtRest() ? rested + 1 : 0;
    if (rested < 4) return;
    stop();
    const figure = [...main.querySelectorAll(FIGURES)].find((one) => one.getBoundingClientRect().height > 60);
    if (!figure) return;
    const box = figure.getBoundingClientRect(), room = main.getBoundingClientRect();
    main.scrollBy(0, Math.max(Math.min(box.bottom + 8 - room.bottom, box.top - 8 - room.top), 0));
  }, 150);
  // Any input of the user ends this.
  for (const event of ["wheel", "touchmove", "keydown", "pointerdown"]) window.addEventListener(event, stop, {signal: end.signal, capture: true});
}

// State that outlives the bar, which is redrawn on every page: the current step, the requested step, and the keys. A key that is
// pressed while a page is still running counts too: the request is repeated until the server shows the step.
function begin() {
  const end = new AbortController(), story = {place: 0, wanted: 0, n: 1, send: null, say: () => {}};
  const ask = () => { if (story.send && story.wanted !== story.place) story.send(String(story.wanted)); };
  story.by = (step) => { story.wanted = Math.min(Math.max(story.wanted + step, 1), story.n); story.say(); ask(); };
  const again = setInterval(() => { if (isAtRest()) ask(); }, 1000);
  story.end = () => {
    end.abort();
    clearInterval(again);
    document.documentElement.style.removeProperty("--hierviz-story");
    if (window.hiervizStory === story) delete window.hiervizStory;
  };
  // Takes precedence over the keys of pages (next sample, next step).
  window.addEventListener("keydown", (event) => {
    const step = KEYS[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.composedPath().some((one) => one instanceof Element && one.matches(TYPING))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    story.by(step);
  }, {signal: end.signal, capture: true});
  return window.hiervizStory = story;
}

export default function ({data, parentElement, setTriggerValue}) {
  const find = (words) => parentElement.querySelector(words), screen = find(".screen"), bar = find("section");
  const isNew = !window.hiervizStory, story = window.hiervizStory ?? begin();
  // The click on Play still counts as user activation here; if not, the button offers full screen.
  if (isNew) { story.wanted = data.place; fill(); }
  if (story.place !== data.place) {
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    if (data.figure) bringIntoView();
  }
  const send = (word) => setTriggerValue("go", word);
  Object.assign(story, {place: data.place, n: data.n, send});
  find("p").textContent = data.caption;
  story.say = () => {
    find(".place").textContent = `${story.place} of ${story.n}` + (story.wanted === story.place ? "" : ` → ${story.wanted}`);
    find("[data-go=previous]").disabled = story.wanted <= 1;
    find("[data-go=next]").disabled = story.wanted >= story.n;
  };
  story.say();
  find("[data-go=previous]").onclick = () => story.by(-1);
  find("[data-go=next]").onclick = () => story.by(1);
  find("[data-go=end]").onclick = () => {
    if (document.fullscreenElement) document.exitFullscreen();
    story.end();
    setTriggerValue("go", "end");
  };
  const named = () => { screen.textContent = document.fullscreenElement ? "Leave full screen" : "Full screen"; };
  screen.onclick = () => document.fullscreenElement ? document.exitFullscreen() : fill();
  screen.hidden = !document.documentElement.requestFullscreen;
  named();
  const end = new AbortController();
  document.addEventListener("fullscreenchange", named, {signal: end.signal});
  // The page ends above the bar.
  const room = new ResizeObserver(() => {
    document.documentElement.style.setProperty("--hierviz-story", `${Math.ceil(bar.getBoundingClientRect().height)}px`);
  });
  room.observe(bar);
  return () => {
    end.abort();
    room.disconnect();
    if (story.send === send) story.send = null;
    setTimeout(() => {
      if (document.querySelector(".st-key-story-played")) return;
      story.end();
      // A bar that was drawn once more after End had asked for the full screen again.
      if (document.fullscreenElement === document.documentElement) document.exitFullscreen();
    }, 3000);
  };
}
