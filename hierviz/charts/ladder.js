// The drawing of one sample in the browser: mounts the Vega specification and looks up, in the steps of the record, what stands
// at a threshold. It computes no answer, number or sentence. Controls are HTML; the handle is a slider on top of the drawing.
//
// hierviz.ladder(place, {spec, record, embed, look, can, tell}) gives {update(data), set(value), view, end()}.
// `look()` gives {dark, width, height}; `tell(state)` gets {model, rule, value} after a choice or a drag. `can` has what the page
// can do where a record asks before it shows (ladder_asks.js): {change: compute what a class with another p gives, keys: give the
// ladder the keys that nothing else on the page takes}.
(() => {
  const TABLES = ["sample", "models", "steps", "rows", "empty", "bars", "lanes", "win", "curve", "ticks_x", "ticks_y"];
  const SIGNS = {threshold: "τ", lam: "λ", bits: "ζ"};
  const NAMES = {threshold: "threshold τ of this sample", lam: "λ of this sample, bits", bits: "ζ of this sample, bits"};

  const {make} = hierviz;

  class Ladder {
    constructor(place, options) {
      Object.assign(this, options);
      this.place = place;
      this.stop = new AbortController();
      this.figure = make("div", {class: "ladder-figure"});
      this.drawing = make("div", {class: "ladder-drawing", role: "img"});
      this.handle = make("div", {class: "ladder-handle", role: "slider", tabindex: 0, "data-hierviz": "tau"});
      this.dot = make("div", {class: "ladder-dot", title: "Drag along the curve"});
      this.said = make("div", {class: "ladder-said", "aria-live": "polite", "data-hierviz": "answer"});
      this.model = make("select", {"aria-label": "Model"});
      this.rule = make("select", {"aria-label": "Inference rule"});
      this.value = make("input", {type: "number", min: 0, step: 0.01});
      this.sign = make("span");
      this.controls = make("div", {class: "ladder-controls"},
        make("label", {class: "ladder-model"}, make("span", {}, "Model"), this.model),
        make("label", {class: "ladder-rule"}, make("span", {}, "Rule"), this.rule),
        make("label", {class: "ladder-value"}, this.sign, this.value));
      this.figure.append(this.drawing, this.handle, this.dot);
      place.setAttribute("data-hierviz", "example");
      place.classList.add("ladder");
      place.append(this.controls, this.figure, this.said);
      this.listen();
      this.asking = hierviz.asking?.(this);
    }

    listen() {
      const on = (element, kind, act, more = {}) => element.addEventListener(kind, act, {signal: this.stop.signal, ...more});
      on(this.model, "change", () => this.choose({model: +this.model.value}));
      on(this.rule, "change", () => this.choose({rule: this.rule.value}));
      on(this.value, "change", () => this.set(+this.value.value, true));
      on(this.figure, "pointerdown", event => this.press(event));
      on(this.figure, "pointermove", event => this.held && this.drag(event));
      on(this.figure, "pointerup", () => this.release());
      on(this.figure, "pointercancel", () => this.release());
      on(this.handle, "keydown", event => this.key(event));
      this.sizes = new ResizeObserver(() => this.fit());
      this.sizes.observe(this.place);
      on(window, "resize", () => this.fit());
    }

    async start() {
      const {dark, width, height} = this.look();
      this.state = {...this.record.start, ...this.state};
      const signals = {dark, width, room: height, ...this.state, ...this.asking?.signals()};
      const spec = hierviz.filled(this.spec, this.record, signals);
      this.view = (await this.embed(this.drawing, spec, {actions: false, renderer: "svg", mode: "vega"})).view;
      this.values = {...this.record.values};
      this.fill();
      await this.fit(true);
      this.place.dataset.ready = this.record.id;
      return this;
    }

    // What can be chosen for this sample.
    fill() {
      const options = (select, items) => select.replaceChildren(...items.map(([value, text]) => make("option", {value}, text)));
      options(this.model, this.record.models.map((one, place) => [place, one.name]));
      options(this.rule, this.record.rules.map(one => [one.key, one.label]));
      this.model.parentElement.hidden = this.record.models.length < 2;
      this.rule.parentElement.hidden = this.record.rules.length < 2;
      this.show();
    }

    get parameter() {
      return this.record.rules.find(one => one.key === this.state.rule)?.parameter ?? "";
    }

    steps() {
      return this.record.steps.filter(one => one.m === this.state.model && one.r === this.state.rule);
    }

    step() {
      const value = this.state.value;
      return this.steps().find(one => !one.parameter || (one.closed === "low"
        ? (one.low <= value || one.first) && (value < one.high || one.last)
        : (one.low < value || one.first) && (value <= one.high || one.last)));
    }

    // Controls, handle and words say what the drawing shows.
    show() {
      const step = this.step(), parameter = this.parameter;
      this.model.value = this.state.model;
      this.rule.value = this.state.rule;
      this.value.parentElement.hidden = !parameter;
      this.sign.textContent = parameter ? `${SIGNS[parameter]} ` : "";
      this.value.value = this.state.value.toFixed(3);
      this.value.max = step?.to ?? 1;
      this.handle.hidden = !parameter;
      this.dot.hidden = !(parameter === "threshold" && this.view?.data("curve_now").length);
      if (!step) return;
      this.handle.setAttribute("aria-label", NAMES[parameter] ?? "");
      this.handle.setAttribute("aria-valuemin", step.from);
      this.handle.setAttribute("aria-valuemax", step.to);
      this.handle.setAttribute("aria-valuenow", this.state.value);
      // Until it is told, nothing says the answer.
      const isTold = this.asking?.told ?? true, sentence = isTold ? step.sentence : "";
      this.handle.setAttribute("aria-valuetext", [this.state.value.toFixed(3), sentence].filter(Boolean).join(": "));
      this.said.textContent = this.asking?.is_on ? "" : sentence;
      this.said.dataset.answer = isTold ? step.name : "";
      const held = this.asking?.is_on ? "" : this.record.models[this.state.model].held;
      this.drawing.setAttribute("aria-label", [sentence, held].filter(Boolean).join(" "));
      this.asking?.show();
      this.move();
    }

    // The handle lies on the line.
    move() {
      const view = this.view, at = view?.signal("at"), x = view && at !== null && this.x(at);
      if (!view || at === null || this.handle.hidden) return;
      const top = this.isOnRows() ? view.signal("top") : view.signal("ribbon"), low = view.signal("ribbon") + view.signal("ribbon_tall");
      Object.assign(this.handle.style, {left: `${x - 9}px`, top: `${top - 14}px`, height: `${low - top + 16}px`});
      const dot = view.data("curve_at")[0];
      if (dot) {
        const place = [view.scale("curve_x")(dot.x), view.scale("curve_y")(dot.y)];
        Object.assign(this.dot.style, {left: `${place[0] - 12}px`, top: `${place[1] - 12}px`});
      }
    }

    isOnRows() { return this.view.signal("is_p"); }
    x(value) { return this.view.scale(this.view.signal("axis"))(value); }

    // State -----------------------------------------------------------------------------------------------------------------

    choose(change) {
      const before = this.parameter;
      if (before) this.values[before] = this.state.value;
      Object.assign(this.state, change);
      const parameter = this.parameter;
      if (parameter && parameter !== before) this.state.value = this.values[parameter];
      this.asking?.turn();
      this.draw();
      this.told();
    }

    set(value, done = false) {
      const step = this.steps()[0];
      if (!step || !Number.isFinite(value)) return this.show();
      this.state.value = Math.min(Math.max(this.snapped(value, Math.round), step.from), step.to);
      this.draw();
      if (done) this.told();
    }

    // With as many digits as an address keeps.
    snapped(value, round) {
      const unit = this.parameter === "threshold" ? 1e12 : 1e3;
      return round(unit * value) / unit;
    }

    // A value of a step, next to its own bound, that rounding leaves inside.
    inside(step) {
      const isLow = step.closed === "low", bound = isLow ? step.low : step.high;
      const value = this.snapped(bound, isLow ? Math.ceil : Math.floor);
      const isInside = isLow ? value >= bound && (value < step.high || step.last) : value <= bound && (value > step.low || step.first);
      return isInside ? value : bound;
    }

    draw() {
      const view = this.view, start = performance.now();
      const signals = {model: this.state.model, rule: this.state.rule, value: this.state.value, ...this.asking?.signals()};
      for (const [name, value] of Object.entries(signals)) view.signal(name, value);
      view.run();
      this.show();
      (this.place.frames ??= []).push(performance.now() - start);
    }

    told(more = {}) {
      if (this.parameter) this.values[this.parameter] = this.state.value;
      this.tell?.({...this.state, parameter: this.parameter, key: this.record.models[this.state.model].key, ...more});
    }

    // Pointer and keys ------------------------------------------------------------------------------------------------------

    at(event) {
      const box = this.drawing.getBoundingClientRect(), scale = this.view.width() / (box.width || 1);
      return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    }

    press(event) {
      if (event.button || !this.parameter) return;
      const [x, y] = this.at(event), view = this.view, s = name => view.signal(name);
      const top = this.isOnRows() ? s("top") - 20 : s("ribbon") - 14, low = s("ribbon") + s("ribbon_tall") + 14;
      const isOnCurve = !this.dot.hidden && x >= s("curve_left") - 8 && x <= s("curve_left") + s("curve_wide") + 8
        && y >= s("curve_top") - 8 && y <= s("curve_top") + s("curve_tall") + 8;
      if (isOnCurve) this.held = "curve";
      else if (x >= s("bars") - 10 && x <= s("end") + 10 && y >= top && y <= low) this.held = "line";
      else return;
      event.preventDefault();
      this.figure.setPointerCapture(event.pointerId);
      this.handle.focus({preventScroll: true});
      this.place.classList.add("held");
      this.drag(event);
    }

    drag(event) {
      const [x, y] = this.at(event), step = this.steps()[0], view = this.view;
      if (this.held === "curve") {
        const far = one => Math.hypot(view.scale("curve_x")(one.x) - x, view.scale("curve_y")(one.y) - y);
        const near = view.data("curve_now").reduce((best, one) => far(one) < far(best) ? one : best);
        return this.set(near.t);
      }
      // Whole thousandths where the axis is short, as many digits as there are pixels where it is long.
      const digits = Math.max(0, Math.ceil(3 - Math.log10(step.to - step.from)));
      this.set(+view.scale(view.signal("axis")).invert(x).toFixed(digits));
    }

    release() {
      if (!this.held) return;
      this.held = null;
      this.place.classList.remove("held");
      this.told();
    }

    key(event) {
      const direction = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[event.key];
      const steps = this.steps(), now = this.state.value, {from, to} = steps[0], room = to - from;
      let next;
      if (direction && event.shiftKey) {
        // To the next answer.
        const step = steps[steps.indexOf(this.step()) + direction];
        next = step ? this.inside(step) : direction > 0 ? to : from;
      } else if (direction) next = now + direction * room / 100;
      else if (event.key === "PageUp" || event.key === "PageDown") next = now + (event.key === "PageUp" ? room : -room) / 10;
      else if (event.key === "Home") next = from;
      else if (event.key === "End") next = to;
      else return;
      event.preventDefault();
      event.stopPropagation();
      this.set(next, true);
    }

    // Another sample, size or theme -----------------------------------------------------------------------------------------

    // Another record; `state` is what is shown of it where that is not its start.
    async update(record, state = {}) {
      this.record = record;
      this.state = {...record.start, ...state};
      this.values = {...record.values};
      this.asking?.take(record);
      for (const name of TABLES) this.view.data(name, record[name]);
      const signals = {model: this.state.model, rule: this.state.rule, value: this.state.value, ...this.asking?.signals()};
      for (const [name, value] of Object.entries(signals)) this.view.signal(name, value);
      await this.view.runAsync();
      this.fill();
      await this.fit(true);
      this.place.dataset.ready = record.id;
    }

    // Fitted to its room; as high as its bars need.
    async fit(always = false) {
      if (!this.view) return;
      const {dark, width, height} = this.look();
      if (!always && width === this.size?.[0] && height === this.size?.[1] && dark === this.size?.[2]) return;
      this.size = [width, height, dark];
      await this.view.signal("dark", dark).signal("width", width).signal("room", height).runAsync();
      this.place.classList.toggle("is-wide", Boolean(this.view.signal("has_side")));
      this.show();
    }

    end() {
      this.stop.abort();
      this.sizes.disconnect();
      this.view?.finalize();
      this.place.replaceChildren();
    }
  }

  // The specification with the tables of a record, and with values of signals.
  hierviz.filled = (spec, record, values) => {
    const made = structuredClone(spec);
    for (const signal of made.signals) if (values[signal.name] !== undefined) signal.value = values[signal.name];
    for (const data of made.data) if (TABLES.includes(data.name)) data.values = record[data.name];
    return made;
  };
  hierviz.ladder = (place, options) => new Ladder(place, options).start();
})();
