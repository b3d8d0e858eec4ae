// Drags the handle and the dots of the operating curves. It draws no curve: it sets the values of the chart's inputs, and Vega
// moves everything. Streamlit receives the new value like any selection of the chart: once, on release.
//
// data: see charts.curve_drag. Positions are ten-thousandths of a panel.
const PARTS = 10000;
const NEAR = {mouse: {dot: 16, line: 9, snap: 6}, touch: {dot: 26, line: 16, snap: 9}};

export default function ({data, parentElement}) {
  // Streamlit calls this again whenever the data change, on the same element.
  if (parentElement.hierviz) parentElement.hierviz.update(data);
  else parentElement.hierviz = new Drag(parentElement, data);
  return () => {
    parentElement.hierviz?.stop();
    parentElement.hierviz = null;
  };
}

class Drag {
  constructor(root, data) {
    this.root = root;
    this.end = new AbortController();
    this.bar = root.querySelector(".bar");
    this.handle = root.querySelector(".handle");
    this.number = root.querySelector("input");
    this.models = root.querySelector("select");
    const on = (target, kind, act, more) =>
      target.addEventListener(kind, act, {signal: this.end.signal, ...more});
    on(document, "pointermove", (e) => this.move(e), {capture: true});
    for (const kind of ["pointerup", "pointercancel"]) on(document, kind, (e) => this.release(e), {capture: true});
    // Vega replaces the element under the pointer, which Streamlit would take for the end of the gesture.
    on(document, "pointerout", (e) => this.drag && e.stopPropagation(), {capture: true});
    on(window, "resize", () => this.place());
    on(this.handle, "keydown", (e) => this.key(e, false));
    on(this.number, "keydown", (e) => this.key(e, true));
    on(this.number, "input", () => this.typed());
    on(this.number, "change", () => this.show());
    on(this.models, "change", () => this.pick(this.models.selectedIndex));
    // The chart is drawn after this, and again with another theme or other curves.
    this.changes = new MutationObserver(() => {
      if (!root.isConnected) this.stop();
      else if (!this.chart?.slider.isConnected) this.find();
    });
    this.changes.observe(document.body, {childList: true, subtree: true});
    this.sizes = new ResizeObserver(() => this.place());
    this.sizes.observe(this.bar);
    this.update(data);
  }

  stop() {
    this.end.abort();
    this.bound?.abort();
    this.changes.disconnect();
    this.sizes.disconnect();
  }

  update(data) {
    this.data = data;
    this.models.replaceChildren(...data.models.map((name, j) => new Option(name, j)));
    this.models.parentElement.hidden = data.models.length < 2;
    this.chart = null;
    this.find();
  }

  // The chart and its handle ------------------------------------------------------------------------------------

  find() {
    const slider = document.querySelector(".stVegaLiteChart .vega-bindings [name=chosen_threshold]");
    if (!slider) return;
    const inputs = slider.closest(".vega-bindings");
    const named = (name) => inputs.querySelector(`[name=${name}]`);
    const own = this.data.shared ? [] : this.data.models.map((_, j) => named(`threshold_${j}`));
    const picker = named("model_model");
    // The chart of other data: the right one follows.
    if (own.includes(null) || (picker?.options.length ?? 1) !== this.data.models.length) return;
    const element = slider.closest(".stVegaLiteChart"), svg = element.querySelector("svg.marks");
    if (!svg) return;
    this.chart = {element, slider, picker, own};
    for (const one of [slider, ...own]) one.step = "any";
    inputs.hidden = true;
    inputs.style.display = "none";
    // Vega writes every value in full next to its slider; this rounds it.
    const value = (input) => this.nearest(parseFloat(input.nextElementSibling.textContent));
    const start = value(slider);
    this.picked = this.chart.picker ? this.chart.picker.selectedIndex : 0;
    this.at = this.data.models.map((_, j) => (this.data.shared ? start : value(own[j])));
    this.at[this.picked] = start;
    // Streamlit, further out, has already seen the press and holds back all messages until the release. Vega must not see
    // a drag that is handled here, and a finger on a dot must not scroll the page.
    this.bound?.abort();
    this.bound = new AbortController();
    const {signal} = this.bound;
    svg.addEventListener("pointerdown", (e) => this.press(e), {capture: true, signal});
    for (const kind of ["pointerdown", "pointermove", "click"])
      svg.addEventListener(kind, (e) => {
        if (this.drag || (kind === "click" && this.dragged)) e.stopPropagation();
      }, {capture: true, signal});
    svg.addEventListener("touchstart", (e) => {
      const touch = e.touches[0];
      if (e.touches.length === 1 && this.target(touch.clientX, touch.clientY, NEAR.touch)) e.preventDefault();
    }, {passive: false, signal});
    this.sizes.observe(element);
    this.show();
    this.place();
  }

  panel(name) {
    return this.chart?.element.querySelector(`svg.marks g.${name}_group path.background`)?.getBoundingClientRect();
  }

  point(j, k, main) {
    return [main.left + (this.data.x[j][k] / PARTS) * main.width, main.top + (this.data.y[j][k] / PARTS) * main.height];
  }

  // Element under the pointer: {model, knot} of a curve, {model: null, strip} of the strip, or null.
  target(x, y, near) {
    const strip = this.panel("strip");
    if (!strip) return null;
    if (y > strip.top - 32 && y < strip.bottom + 4 && x > strip.left - 36 && x < strip.right + 24) return {model: null, strip};
    const main = this.panel("main");
    if (x < main.left - near.dot || x > main.right + near.dot || y < main.top - near.dot || y > main.bottom + near.dot) return null;
    let best = null;
    const order = [this.picked, ...this.data.models.keys()];
    for (const j of order) {
      const [dx, dy] = this.point(j, this.at[j], main);
      const far = Math.hypot(dx - x, dy - y);
      if (far <= near.dot && (!best || far < best.far - 1)) best = {model: j, knot: this.at[j], far, main};
    }
    if (best) return best;
    for (const j of order) {
      const one = this.closest(j, x, y, main, 0, this.data.thresholds.length - 1, this.at[j]);
      if (one.far <= near.line && (!best || one.far < best.far - 1)) best = {model: j, ...one, main};
    }
    return best;
  }

  // The knot of first ... last of a model that is closest to a point; among equal ones, the one next to `from`.
  closest(j, x, y, main, first, last, from) {
    let best = {knot: from, far: Infinity};
    for (let k = first; k <= last; k++) {
      const [px, py] = this.point(j, k, main);
      const far = Math.hypot(px - x, py - y);
      if (far < best.far - 1e-6 || (far < best.far + 1e-6 && Math.abs(k - from) < Math.abs(best.knot - from))) best = {knot: k, far};
    }
    return best;
  }

  // The part of a model's curve within a number of pixels around a knot.
  stretch(j, k, main, reach) {
    const length = this.data.thresholds.length;
    const walk = (step) => {
      let at = k, left = reach, [x, y] = this.point(j, k, main);
      while (at + step >= 0 && at + step < length) {
        const [nx, ny] = this.point(j, at + step, main);
        left -= Math.hypot(nx - x, ny - y);
        if (left < 0) break;
        [at, x, y] = [at + step, nx, ny];
      }
      return at;
    };
    return [walk(-1), walk(1)];
  }

  // Pointer ------------------------------------------------------------------------------------------------------------

  press(e) {
    this.dragged = false;
    if (!this.chart || e.button !== 0 || !e.isPrimary) return;
    const near = NEAR[e.pointerType === "mouse" ? "mouse" : "touch"];
    const hit = this.target(e.clientX, e.clientY, near);
    if (!hit) return;
    const svg = e.currentTarget;
    svg.setPointerCapture(e.pointerId);
    this.drag = {id: e.pointerId, near, svg, x: e.clientX, y: e.clientY, ...hit};
    this.dragged = true;
    svg.style.cursor = hit.model === null ? "ew-resize" : "grabbing";
    if (hit.model === null) this.follow(e);
    else {
      if (hit.model !== this.picked) this.pick(hit.model);
      this.set(hit.knot);
    }
  }

  move(e) {
    if (this.drag) {
      if (e.pointerId === this.drag.id) this.follow(e);
    } else if (this.chart && e.pointerType === "mouse" && this.chart.element.contains(e.target)) {
      const hit = e.buttons ? null : this.target(e.clientX, e.clientY, NEAR.mouse);
      const svg = e.target.closest("svg.marks");
      if (svg) svg.style.cursor = hit && hit.model !== null ? "grab" : "";
    }
  }

  follow(e) {
    const drag = this.drag;
    if (drag.model === null) {
      const strip = this.panel("strip");
      const across = Math.min(Math.max((e.clientX - strip.left) / strip.width, 0), 1) * PARTS;
      let k = closestTo(this.data.strip, across);
      if (!e.altKey) {
        const reach = (drag.near.snap / strip.width) * PARTS;
        const away = (stop) => Math.abs(this.data.strip[stop] - across);
        const stop = this.data.stops[this.picked].reduce((a, b) => (away(b) < away(a) ? b : a));
        if (away(stop) <= reach) k = stop;
      }
      this.set(k);
    } else {
      const main = this.panel("main");
      const moved = Math.hypot(e.clientX - drag.x, e.clientY - drag.y);
      const from = this.at[drag.model];
      const [first, last] = this.stretch(drag.model, from, main, 24 + 2 * moved);
      this.set(this.closest(drag.model, e.clientX, e.clientY, main, first, last, from).knot);
    }
    [drag.x, drag.y] = [e.clientX, e.clientY];
  }

  release(e) {
    if (!this.drag || e.pointerId !== this.drag.id) return;
    this.drag.svg.style.cursor = "";
    this.drag = null;
    this.settle();
    this.handle.focus({preventScroll: true}); // the keys continue where the pointer stopped
  }

  // Keys and the number field ------------------------------------------------------------------------------------------

  key(e, isNumber) {
    const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[e.key];
    const last = this.data.thresholds.length - 1;
    let k = this.at[this.picked];
    if (isNumber && !["ArrowUp", "ArrowDown"].includes(e.key)) return;
    if (step && e.shiftKey) {
      const changes = this.data.changes[this.picked];
      do k += step; while (k > 0 && k < last && changes[k] !== "1");
    } else if (step) k = this.nearest(Math.round((this.data.thresholds[k] + step * 0.01) * 1e12) / 1e12);
    else if (e.key === "PageUp" || e.key === "PageDown") k = this.nearest(this.data.thresholds[k] + (e.key === "PageUp" ? 0.1 : -0.1));
    else if (e.key === "Home") k = 0;
    else if (e.key === "End") k = last;
    else return;
    e.preventDefault();
    this.set(Math.min(Math.max(k, 0), last));
    this.settle();
  }

  typed() {
    const threshold = parseFloat(this.number.value);
    if (threshold >= 0 && threshold <= 1) {
      this.set(this.nearest(threshold), false);
      this.settle();
    }
  }

  nearest(threshold) {
    return closestTo(this.data.thresholds, threshold);
  }

  // Setting the chart's inputs -----------------------------------------------------------------------------------------

  set(k, write = true) {
    if (this.data.shared) this.at.fill(k);
    else this.at[this.picked] = k;
    tell(this.chart.slider, this.data.thresholds[k]);
    this.show(write);
  }

  // If every model has its own threshold, its slider takes the value of the drag.
  settle() {
    const own = this.chart.own[this.picked];
    if (own) tell(own, this.data.thresholds[this.at[this.picked]]);
  }

  pick(j) {
    this.settle();
    this.picked = j;
    this.chart.picker.selectedIndex = j;
    this.chart.picker.dispatchEvent(new Event("change"));
    if (!this.data.shared) tell(this.chart.slider, this.data.thresholds[this.at[j]]);
    this.show();
  }

  show(write = true) {
    const k = this.at[this.picked];
    if (write) this.number.value = this.data.texts[k];
    this.models.selectedIndex = this.picked;
    this.handle.setAttribute("aria-valuenow", this.data.thresholds[k]);
    this.handle.setAttribute("aria-valuetext", `τ = ${this.data.texts[k]}`);
    this.handle.style.setProperty("--across", this.data.strip[k] / PARTS);
  }

  // The focusable handle is on top of the one that the chart draws.
  place() {
    const strip = this.panel("strip");
    if (!strip) return;
    const here = this.bar.getBoundingClientRect();
    this.handle.style.left = `${strip.left - here.left}px`;
    this.handle.style.top = `${strip.top - here.top}px`;
    this.handle.style.setProperty("--width", `${strip.width}px`);
    this.handle.style.setProperty("--height", `${strip.height}px`);
  }
}

function tell(input, value) {
  if (+input.value === value) return;
  input.value = value;
  input.dispatchEvent(new Event("input"));
}

function closestTo(ascending, value) {
  let low = 0, high = ascending.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= value) low = middle;
    else high = middle;
  }
  return value - ascending[low] <= ascending[high] - value ? low : high;
}
