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
    const figure = await hierviz.named(place.dataset.chart), drawn = look();
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
  const unpacked = new Map();
  hierviz.beforePaper.push(async () => {
    for (const {dataset: {chart}} of places) if (!unpacked.has(chart)) unpacked.set(chart, await hierviz.named(chart));
  });
  hierviz.onPaper.chart = place => {
    const figure = unpacked.get(place.dataset.chart);
    if (!figure) return;
    hierviz.drawOnPaper(place, {...figure.specs["light-wide"], datasets: figure.data}).then(view => {
      keep(views.get(place), view);
      return view.runAsync();
    });
  };
  for (const query of [isDark, isNarrow]) {
    query.addEventListener("change", () => places.filter(place => place.dataset.drawn).forEach(draw));
  }
})();
