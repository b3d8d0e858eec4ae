Object.assign(hierviz, {
  // What is packed in the page, by name; unpacked once.
  found: new Map(),
  named(name) {
    if (!hierviz.found.has(name)) {
      hierviz.found.set(name, hierviz.unpack(document.getElementById("packed-" + name).textContent));
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
  // Paper: drawings once more, light and wide, whether they were seen or not, by the kind of their places. A browser that prints
  // waits for no file and no timer, so what they are made of is unpacked before.
  onPaper: {},
  beforePaper: [],
  drawOnPaper(place, spec, options, words = "") {
    const paper = hierviz.make("div", {class: "paper"}), drawing = hierviz.make("div");
    if (words) paper.append(hierviz.make("p", {class: "muted"}, words));
    paper.append(drawing);
    place.after(paper);
    // All of this is done before the browser lays out its paper: nothing here waits for a timer or a file.
    return vegaEmbed(drawing, spec, {actions: false, renderer: "svg", ...options}).then(({view}) => {
      drawing.querySelector("svg").setAttribute("preserveAspectRatio", "xMinYMin meet");
      return view;
    });
  },
});
addEventListener("beforeprint", () => {
  hierviz.folded = [...document.querySelectorAll("details:not([open]):not(:has(> [data-tree])):not(.story *)")];
  for (const one of hierviz.folded) one.open = true;
  for (const [kind, draw] of Object.entries(hierviz.onPaper)) {
    for (const place of document.querySelectorAll(`[data-${kind}]`)) if (!place.closest("details:not([open])")) draw(place);
  }
});
addEventListener("load", async () => {
  for (const call of hierviz.beforePaper) await call();
  await hierviz.now("[data-matrix], [data-tree]");
  document.documentElement.dataset.ready = "paper";
});
addEventListener("afterprint", () => {
  document.querySelectorAll(".paper").forEach(paper => paper.remove());
  for (const one of hierviz.folded.splice(0)) one.open = false;
});
