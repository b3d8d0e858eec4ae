// A packed figure in a notebook: its theme and its room choose the drawing, and its threshold can be read and set.
Object.assign(hierviz, {
  // What the notebook says of its theme, else the system; the classic notebook is always light.
  isDark(page) {
    const body = page.body, theme = page.documentElement.getAttribute("theme");
    if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "false";
    if (body.classList.contains("vscode-dark") || body.classList.contains("vscode-high-contrast")) return true;
    if (body.classList.contains("vscode-light") || page.getElementById("notebook-container")) return false;
    return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  },
  // Calls when the theme of the page may have changed; gives what ends that.
  watch(page, call) {
    const theme = new MutationObserver(call), system = matchMedia("(prefers-color-scheme: dark)");
    theme.observe(page.body, {attributes: true});
    theme.observe(page.documentElement, {attributes: true});
    system.addEventListener("change", call);
    return () => { theme.disconnect(); system.removeEventListener("change", call); };
  },
  // An example, which is as wide as its place. Gives {ladder, end()}.
  async living(place, {spec, record, room, dark}, embed, page, tell) {
    place.classList.add("ladder");
    const look = () => ({dark: dark ?? hierviz.isDark(page), width: Math.max(place.clientWidth, 300), height: room});
    const ladder = await hierviz.ladder(place, {spec, record, embed, look, tell});
    const follow = async () => {
      await ladder.fit();
      const {background, ink} = ladder.view.signal("c");
      Object.assign(place.style, {background, color: ink});
    };
    await follow();
    const stop = hierviz.watch(page, follow);
    return {ladder, end() { stop(); ladder.end(); }};
  },
  // A taxonomy that one zooms into, as wide as its place. Gives {zoom, end()}.
  zooming(place, {zoom: record, start, sentence, room, dark}, page) {
    place.classList.add("zoom-room");
    const inside = hierviz.make("div");
    place.append(inside);
    const look = () => ({dark: dark ?? hierviz.isDark(page), width: Math.max(place.clientWidth, 300), height: room});
    const zoom = hierviz.zoom(inside, {record, start, sentence, look});
    const follow = () => {
      zoom.fit();
      place.style.background = inside.style.background;
    };
    follow();
    const stop = hierviz.watch(page, follow);
    return {zoom, end() { stop(); zoom.end(); }};
  },
  // Draws into `place` and follows theme and width. Gives {set(threshold), end()}, of an example what `living` gives, of a
  // taxonomy what `zooming` gives.
  async draw(place, text, embed, page, changed = () => {}) {
    const figure = await hierviz.unpack(text), field = "chosen_threshold";
    if (figure.zoom) return hierviz.zooming(place, figure, page);
    if (figure.record) return hierviz.living(place, figure, embed, page, changed);
    let drawn = null, view = null, at = null, model = null, queue = Promise.resolve();
    const has = name => { try { return view.signal(name) !== undefined; } catch { return false; } };
    const look = () => {
      const theme = hierviz.isDark(page) ? "dark" : "light", room = place.parentElement.clientWidth;
      const size = room && room < Math.min(560, figure.wide) ? "narrow" : "wide";
      return [`${theme}-${size}`, `${theme}-wide`, `light-${size}`, "light-wide", "dark-wide"].find(name => figure.specs[name]);
    };
    async function redraw() {
      const chosen = look();
      if (chosen === drawn) return;
      drawn = chosen;
      const before = view, spec = {...figure.specs[chosen], datasets: figure.data};
      view = (await embed(place, spec, {actions: false, renderer: "svg"})).view;
      if (before) before.finalize();
      place.style.background = spec.background;
      if (has("model_model")) {
        if (model !== null) view.signal("model_model", model);
        view.addSignalListener("model_model", (_, value) => { if (value !== null) model = value; });
      }
      if (has(field)) {
        if (at !== null) view.signal(field, at); else at = view.signal(field);
        view.addSignalListener(field, (_, value) => {
          // A press outside of the strip chooses no threshold: it stays where it was.
          if (value === null) view.signal(field, at).runAsync();
          else if (value !== at) { at = value; changed(value); }
        });
      }
      await view.runAsync();
      place.dataset.ready = chosen;
    }
    const follow = () => (queue = queue.then(redraw));
    const room = new ResizeObserver(follow);
    await follow();
    room.observe(place.parentElement);
    const stop = hierviz.watch(page, follow);
    return {
      set(value) {
        if (value === at) return;
        at = value;
        if (view && has(field)) view.signal(field, value).runAsync();
      },
      end() {
        room.disconnect();
        stop();
        if (view) view.finalize();
      },
    };
  },
});
globalThis.hierviz = hierviz;
