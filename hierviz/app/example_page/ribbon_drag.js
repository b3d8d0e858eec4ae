// Lets users drag, click and move the threshold of the ribbon with keys. It is on top of the chart and draws only the moving
// line; the server receives a new threshold once: on release, or after a key.
//
// data: see charts.flip_ribbon_drag.
const HINT = "Drag or click the ribbon. Keys: ← → by 0.01, with shift to the next change of the answer.";

export default function ({data, parentElement, setTriggerValue}) {
  // Streamlit calls this again whenever the data change, on the same element.
  parentElement.hierviz ??= new Ribbon(parentElement);
  parentElement.hierviz.update(data, (threshold) => setTriggerValue("moved", threshold));
  return () => {
    parentElement.hierviz?.stop();
    parentElement.hierviz = null;
  };
}

class Ribbon {
  constructor(root) {
    this.root = root;
    this.over = root.querySelector(".over");
    this.line = root.querySelector(".line");
    this.said = root.querySelector(".said");
    this.end = new AbortController();
    const on = (kind, act) => this.over.addEventListener(kind, act, {signal: this.end.signal});
    on("pointerdown", (e) => this.press(e));
    on("pointermove", (e) => this.move(e));
    on("pointerup", (e) => this.release(e));
    on("pointercancel", () => this.show(this.data.threshold));
    on("pointerleave", () => this.held || this.say(null));
    on("keydown", (e) => this.key(e));
    window.addEventListener("resize", () => this.place(), {signal: this.end.signal});
    // The chart is drawn after this, and again with another sample or theme.
    this.changes = new MutationObserver(() => this.place());
    this.changes.observe(document.body, {childList: true, subtree: true});
    this.sizes = new ResizeObserver(() => this.place());
    this.sizes.observe(root.querySelector(".bar"));
  }

  stop() {
    this.end.abort();
    this.changes.disconnect();
    this.sizes.disconnect();
  }

  update(data, tell) {
    this.data = data;
    this.tell = tell;
    this.held = false;
    this.show(data.threshold);
    this.say(null);
    this.place();
  }

  // On top of the ribbon that the chart draws.
  place() {
    const view = document.querySelector(".stVegaLiteChart svg.marks g.ribbon_group path.background")?.getBoundingClientRect();
    this.over.classList.toggle("placed", !!view);
    if (!view) return;
    const here = this.root.querySelector(".bar").getBoundingClientRect();
    const margin = this.data.margin * view.width, top = this.data.top * view.height;
    Object.assign(this.over.style, {
      left: `${view.left - here.left + margin}px`,
      top: `${view.top - here.top + top}px`,
      width: `${view.width - 2 * margin}px`,
      height: `${this.data.tall * view.height}px`,
    });
  }

  at(e) {
    const box = this.over.getBoundingClientRect();
    return Math.round(1000 * Math.min(Math.max((e.clientX - box.left) / box.width, 0), 1)) / 1000;
  }

  press(e) {
    if (e.button) return;
    this.held = true;
    this.over.setPointerCapture(e.pointerId);
    this.show(this.at(e), true);
    this.over.focus({preventScroll: true});
  }

  move(e) {
    if (this.held) this.show(this.at(e), true);
    else this.say(this.at(e));
  }

  release(e) {
    if (!this.held) return;
    this.held = false;
    this.set(this.at(e));
  }

  key(e) {
    const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[e.key];
    const now = this.now, low = this.data.low;
    let to;
    if (step && e.shiftKey) to = step > 0 ? low.find((one) => one > now) ?? 1 : low.findLast((one) => one < now) ?? 0;
    else if (step) to = now + step * 0.01;
    else if (e.key === "PageUp" || e.key === "PageDown") to = now + (e.key === "PageUp" ? 0.1 : -0.1);
    else if (e.key === "Home") to = 0;
    else if (e.key === "End") to = 1;
    else return;
    e.preventDefault();
    e.stopPropagation();
    this.set(Math.min(Math.max(Math.round(to * 1e12) / 1e12, 0), 1));
  }

  set(threshold) {
    this.show(threshold, true);
    if (threshold !== this.data.threshold) this.tell(threshold);
  }

  show(threshold, moving = false) {
    this.now = threshold;
    this.line.style.left = `${100 * threshold}%`;
    this.over.classList.toggle("moving", moving && threshold !== this.data.threshold);
    this.over.setAttribute("aria-valuenow", threshold);
    this.over.setAttribute("aria-valuetext", this.words(threshold));
    if (moving) this.say(threshold);
  }

  say(threshold) {
    this.said.textContent = threshold === null ? HINT : this.words(threshold);
  }

  words(threshold) {
    const {low, name, said} = this.data;
    let k = low.length - 1;
    while (k && low[k] > threshold) k--;
    return `τ = ${threshold.toFixed(3)}: ${name[k]}, ${said[k]}`;
  }
}
