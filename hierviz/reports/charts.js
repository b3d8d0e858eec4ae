(() => {
  const isDark = matchMedia("(prefers-color-scheme: dark)"), isNarrow = matchMedia("(max-width: 640px)");
  const look = () => `${isDark.matches ? "dark" : "light"}-${isNarrow.matches ? "narrow" : "wide"}`;
  const views = new Map();
  const signal = (view, name) => { try { return view.signal(name); } catch { return undefined; } };
  async function draw(place) {
    const figure = await hierviz.unpack(place.dataset.chart), drawn = look();
    if (place.dataset.drawn === drawn) return;
    place.dataset.drawn = drawn;
    const before = views.get(place), spec = {...figure.specs[drawn], datasets: figure.data};
    const kept = before && ["chosen", "model"].map(name => [name, signal(before, name + "_threshold") ?? signal(before, name + "_model")]);
    const {view} = await vegaEmbed(place, spec, {actions: false, renderer: "svg", downloadFileName: "hierviz"});
    views.set(place, view);
    place.hierviz = view;
    if (kept) for (const [name, value] of kept) {
      // The threshold and the model stay where they were in another theme or width.
      const field = name === "chosen" ? "chosen_threshold" : "model_model";
      if (value !== undefined && value !== null && signal(view, field) !== undefined) view.signal(field, value);
    }
    await view.runAsync();
    place.dataset.ready = drawn;
    if (before) before.finalize();
  }
  const places = [...document.querySelectorAll("[data-chart]")];
  hierviz.whenSeen(places, draw);
  for (const query of [isDark, isNarrow]) {
    query.addEventListener("change", () => places.filter(place => place.dataset.drawn).forEach(draw));
  }
})();
