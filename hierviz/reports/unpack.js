"use strict";
const hierviz = {
  // What `packed` of hierviz.charts made, by name; unpacked once.
  found: new Map(),
  unpack(name) {
    if (!hierviz.found.has(name)) {
      hierviz.found.set(name, (async () => {
        const text = document.getElementById("packed-" + name).textContent;
        const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
        return JSON.parse(await new Response(stream).text());
      })());
    }
    return hierviz.found.get(name);
  },
  // Call once for each element that comes near the window, or with `now` at once for those that are not folded away.
  waiting: new Map(),
  whenSeen(elements, call) {
    const watcher = new IntersectionObserver(entries => {
      for (const entry of entries) if (entry.isIntersecting) hierviz.waiting.get(entry.target)?.();
    }, {rootMargin: "400px"});
    for (const element of elements) {
      hierviz.waiting.set(element, () => { watcher.unobserve(element); hierviz.waiting.delete(element); return call(element); });
      watcher.observe(element);
    }
  },
  now(words) {
    const open = element => element.matches(words) && !element.closest("details:not([open])");
    return Promise.all([...hierviz.waiting].filter(([element]) => open(element)).map(([, draw]) => draw()));
  },
  // What opens on a screen stands open on paper, but for all classes of a sample, and in the story what the sections repeat.
  folded: [],
  drawOnPaper: () => {},
  // An element with text, never with markup of names.
  make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...children.filter(child => child !== null));
    return element;
  },
};
addEventListener("beforeprint", () => {
  hierviz.folded = [...document.querySelectorAll("details:not([open]):not(:has(> [data-tree])):not(.story *)")];
  for (const one of hierviz.folded) one.open = true;
  for (const place of document.querySelectorAll("[data-chart]")) {
    if (!place.closest("details:not([open])")) hierviz.drawOnPaper(place);
  }
});
addEventListener("afterprint", () => {
  for (const one of hierviz.folded.splice(0)) one.open = false;
});
