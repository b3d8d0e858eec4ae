(() => {
  const isDark = matchMedia("(prefers-color-scheme: dark)"), isNarrow = matchMedia("(max-width: 640px)");
  const look = () => `${isDark.matches ? "dark" : "light"}-${isNarrow.matches ? "narrow" : "wide"}`;
  const views = new Map();
  const signal = (view, name) => { try { return view.signal(name); } catch { return undefined; } };
  const KEPT = ["chosen_threshold", "model_model"];
  // The threshold and the model stay where they were in another theme, in another width, and on paper.
  function keep(before, view) {
    for (const name of before ? KEPT : []) {
      const value = signal(before, name);
      if (value !== undefined && value !== null && signal(view, name) !== undefined) view.signal(name, value);
    }
  }
  async function draw(place) {
    const figure = await hierviz.unpack(place.dataset.chart), drawn = look();
    if (place.dataset.drawn === drawn) return;
    place.dataset.drawn = drawn;
    const before = views.get(place), spec = {...figure.specs[drawn], datasets: figure.data};
    const {view} = await vegaEmbed(place, spec, {actions: false, renderer: "svg", downloadFileName: "hierviz"});
    views.set(place, view);
    place.hierviz = view;
    keep(before, view);
    await view.runAsync();
    place.dataset.ready = drawn;
    if (before) before.finalize();
  }
  const places = [...document.querySelectorAll("[data-chart]")];
  hierviz.whenSeen(places, draw);
  // Paper: each chart once more, light and wide, whether it was seen or not. A browser that prints waits for no file and no timer, so what
  // charts are made of is unpacked before, and tables are drawn.
  const unpacked = new Map(), papers = [];
  addEventListener("load", async () => {
    for (const {dataset: {chart}} of places) if (!unpacked.has(chart)) unpacked.set(chart, await hierviz.unpack(chart));
    await hierviz.now("[data-matrix], [data-tree]");
    document.documentElement.dataset.ready = "paper";
  });
  hierviz.drawOnPaper = place => {
    const figure = unpacked.get(place.dataset.chart);
    if (!figure) return;
    const paper = hierviz.make("div", {class: "paper"}), spec = {...figure.specs["light-wide"], datasets: figure.data};
    place.after(paper);
    papers.push(paper);
    // All of this is done before the browser lays out its paper: nothing here waits for a timer or a file.
    vegaEmbed(paper, spec, {actions: false, renderer: "svg"}).then(({view}) => {
      keep(views.get(place), view);
      paper.querySelector("svg").setAttribute("preserveAspectRatio", "xMinYMin meet");
      return view.runAsync();
    });
  };
  addEventListener("afterprint", () => papers.splice(0).forEach(paper => paper.remove()));
  for (const query of [isDark, isNarrow]) {
    query.addEventListener("change", () => places.filter(place => place.dataset.drawn).forEach(draw));
  }
})();
