// A taxonomy that one zooms into: by click, by keys, by its path and by search, without the server, which may be told afterwards.
//
// hierviz.zoom(place, {record, start, sentence, look, tell, act}) gives {shown, zoomed, show(name), update(record, name), fit(), svg(), end()}.
// `start` is the name of the class to begin with, `sentence` what the picture shows; `look()` gives {dark, width, height}.
// `tell({name, focus, act})` gets the class that was chosen and the one that is zoomed into, its parent where it has no children;
// `act` is the label of a button for what can be done with it, whose press is told as `act: true`.
(() => {
  const {Tree, boxes, labels, legend, paint} = hierviz.zoomScene, {svg, saved} = hierviz.zoomFile, {make} = hierviz;
  const TIME = 250, MOST_ITEMS = 200;
  let pictures = 0;

  class Zoom {
    constructor(place, options) {
      Object.assign(this, {tell: () => {}, act: ""}, options);
      this.place = place;
      this.id = `zoom-${++pictures}`;
      this.stop = new AbortController();
      this.path = make("nav", {class: "zoom-path", "aria-label": "Path to the class that is shown"});
      this.search = hierviz.zoomSearch(this.id, row => this.find(row), this.stop.signal);
      this.button = make("button", {type: "button", class: "zoom-act", hidden: true}, this.act);
      this.saves = ["PNG", "SVG"].map(kind => make("button", {type: "button", title: `Save what is shown as ${kind}`}, kind));
      this.bar = make("div", {class: "zoom-bar"}, this.path, make("div", {class: "zoom-tools"}, this.button,
        this.search.place, ...this.saves));
      this.canvas = make("canvas", {"aria-hidden": "true"});
      this.items = make("div", {class: "zoom-items", role: "tree", tabindex: 0});
      this.tip = make("div", {class: "zoom-tip", hidden: true});
      this.said = make("div", {class: "zoom-said", "aria-live": "polite"});
      this.figure = make("div", {class: "zoom-figure"}, this.canvas, this.items, this.tip);
      place.classList.add("zoom");
      place.setAttribute("data-hierviz", "zoom");
      place.append(this.bar, this.figure, this.said);
      this.ctx = this.canvas.getContext("2d");
      this.listen();
      this.take(this.record);
      this.choose(this.named(this.start));
      this.fit(true);
    }

    listen() {
      const on = (element, kind, act) => element.addEventListener(kind, act, {signal: this.stop.signal});
      on(this.figure, "click", event => this.click(event));
      on(this.figure, "pointermove", event => this.hover(event));
      on(this.figure, "pointerleave", () => { this.tip.hidden = true; });
      on(this.items, "keydown", event => this.key(event));
      // The outline of the keys alone: a button that gets the focus by a press stays the same one.
      for (const kind of ["focus", "blur"]) on(this.items, kind, () => this.move || !this.room || this.draw(true));
      on(this.button, "click", () => this.told(this.at, true));
      this.saves.forEach((button, place) => on(button, "click", () => saved(this, place ? "svg" : "png")));
      this.sizes = new ResizeObserver(() => this.fit());
      this.sizes.observe(this.place);
      on(window, "resize", () => this.fit());
    }

    take(record) {
      this.record = record;
      this.tree = new Tree(record);
      this.items.setAttribute("aria-label", this.sentence);
      this.search.take(record, this.tree.parent);
    }

    // Name of the class of a row in the taxonomy, and the row of a name: its nearest class above that is drawn.
    key_of(row) { return this.record.rows.key[row] ?? this.record.rows.name[row]; }
    named(name) {
      if (!this.rows_of || this.rows_of.of !== this.record) {
        this.rows_of = {of: this.record, rows: new Map()};
        for (let i = this.tree.n - 1; i >= 0; i--) if (!this.record.rows.is_own?.[i]) this.rows_of.rows.set(this.key_of(i), i);
      }
      return this.rows_of.rows.get(name) ?? 0;
    }

    // Names of the class that is chosen, and of the one that is zoomed into.
    get shown() { return this.key_of(this.at); }
    get zoomed() { return this.key_of(this.focus); }

    // What is chosen; a class without children is seen in its parent.
    choose(row) {
      this.at = row;
      this.focus = this.tree.count[row] ? row : Math.max(this.tree.parent[row], 0);
    }

    // Zooms into a class and tells of it.
    go(row) {
      const before = this.focus;
      this.choose(row);
      if (this.focus === before) this.rest();
      else this.fly();
      this.told(row);
    }

    told(row, act = false) { this.tell({name: this.key_of(row), focus: this.zoomed, act}); }

    // From outside: a class, in whatever it is seen.
    show(name) {
      const row = this.named(name);
      if (row === this.at) return;
      this.choose(row);
      this.fly();
    }

    // Moving ------------------------------------------------------------------------------------------------------------------

    fly() {
      // A place that has no width yet is drawn once it has.
      if (!this.room) return;
      cancelAnimationFrame(this.move);
      const from = this.window, to = this.tree.window(this.focus, ...this.room);
      this.tip.hidden = true;
      this.write();
      if (!from || matchMedia("(prefers-reduced-motion: reduce)").matches) return this.land(to);
      const start = performance.now();
      const frame = now => {
        const part = Math.min(Math.max((now - start) / TIME, 0), 1), eased = part * part * (3 - 2 * part);
        if (part === 1) return this.land(to);
        this.window = from.map((value, i) => value + (to[i] - value) * eased);
        this.draw(false);
        this.move = requestAnimationFrame(frame);
      };
      this.move = requestAnimationFrame(frame);
    }

    land(window) {
      this.move = 0;
      this.window = window;
      this.rest();
      this.place.dataset.ready = this.key_of(this.focus);
    }

    rest() {
      if (!this.room) return;
      this.draw(true);
      this.write();
    }

    draw(isAtRest) {
      const start = performance.now(), [width, height] = this.room, {ctx, look_now: look} = this, scale = devicePixelRatio || 1;
      this.cells = this.tree.cells(this.window, width, height, this.focus);
      ctx.setTransform(scale, 0, 0, scale, 0, 0);
      ctx.fillStyle = this.record.looks[look].background;
      ctx.fillRect(0, 0, width, height + this.above.height);
      paint(ctx, this.above.marks);
      ctx.translate(0, this.above.height);
      ctx.save();
      ctx.beginPath();
      ctx.rect(0, 0, width, height);
      ctx.clip();
      paint(ctx, boxes(this.tree, this.cells, look));
      this.over = isAtRest ? this.labels() : [];
      paint(ctx, this.over);
      ctx.restore();
      const frames = this.place.frames ??= [];
      if (!isAtRest) frames.push(performance.now() - start);
    }

    labels() {
      const [width, height] = this.room, root = this.place.getRootNode(), is_held = root.activeElement === this.items && this.items.matches(":focus-visible");
      return labels(this.tree, this.cells, this.look_now, {width, height, focus: this.focus, at: is_held || this.at !== this.focus ? this.at : 0});
    }

    fit(always = false) {
      const {dark, width, height} = this.look(), look = dark ? "dark" : "light";
      if (!width || (!always && `${[width, height, look]}` === this.size)) return;
      this.size = `${[width, height, look]}`;
      this.look_now = look;
      this.above = legend(this.record, width, look);
      this.room = [width, Math.max(height - this.above.height, 160)];
      const tall = this.room[1] + this.above.height, scale = devicePixelRatio || 1;
      Object.assign(this.canvas, {width: Math.round(width * scale), height: Math.round(tall * scale)});
      Object.assign(this.canvas.style, {width: `${width}px`, height: `${tall}px`});
      const {ink, background} = this.record.looks[look];
      Object.assign(this.place.style, {color: ink, background});
      this.items.style.top = `${this.above.height}px`;
      cancelAnimationFrame(this.move);
      this.land(this.tree.window(this.focus, ...this.room));
    }

    // Another record of the same classes, such as with other colours: what is zoomed into stays.
    update(record, name) {
      this.take(record);
      this.choose(this.named(name));
      this.fit(true);
    }

    // Words and the tree of those who listen --------------------------------------------------------------------------------------

    write() {
      const {tree, focus, at} = this, {rows} = this.record, path = tree.path(focus);
      this.path.replaceChildren(...path.flatMap((row, place) => {
        if (row === focus) return [make("b", {"aria-current": "true"}, rows.name[row])];
        return [make("button", {type: "button", "data-row": row, onclick: () => this.go(row)}, rows.name[row]), make("span", {"aria-hidden": "true"}, "›")];
      }));
      this.path.scrollLeft = this.path.scrollWidth;
      this.said.textContent = this.details(at).map(([title, text]) => title ? `${title} ${text}` : text).join(" · ");
      this.button.hidden = !this.act || !at;
      // The opened path, with the classes next to the chosen one.
      const chosen = tree.path(at), family = tree.children(tree.count[focus] && tree.parent[at] === focus ? focus : at ? tree.parent[at] : 0);
      const place = Math.max(family.indexOf(at), 0), near = family.slice(Math.max(0, place - MOST_ITEMS / 2), place + MOST_ITEMS / 2);
      const below = tree.children(at).slice(0, MOST_ITEMS), shown = [...new Set([...chosen.slice(0, -1), ...near, ...below])].sort((a, b) => a - b);
      const order = [], put = row => { order.push(row); for (const one of shown) if (tree.parent[one] === row) put(one); };
      put(0);
      const isOpen = new Set(chosen);
      this.items.replaceChildren(...order.map(row => make("div", {
        role: "treeitem", id: `${this.id}-${row}`, "aria-level": tree.level[row] + 1, "aria-selected": row === at ? "true" : "false",
        "aria-setsize": row ? tree.count[tree.parent[row]] : 1, "aria-posinset": row ? row - tree.first[tree.parent[row]] + 1 : 1,
        "aria-expanded": tree.count[row] ? String(isOpen.has(row)) : null,
      }, [rows.name[row], rows.said[row], rows.count[row]].filter(Boolean).join(", "))));
      this.items.setAttribute("aria-activedescendant", `${this.id}-${at}`);
    }

    // [title, text] of a class, its name first.
    details(row) {
      const {rows, tips} = this.record;
      return [["", rows.name[row]], ...tips.map(({title, texts}) => [title, texts[row]]).filter(([, text]) => text)];
    }

    // Pointer and keys --------------------------------------------------------------------------------------------------------------

    // The cell at a place; over the cells of a class in a treemap, its name is its own.
    cell(event) {
      const box = this.canvas.getBoundingClientRect(), scale = this.room[0] / (box.width || 1);
      const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale - this.above.height;
      const found = this.cells.filter(one => one.x <= x && x < one.x2 && one.y <= y && y < one.y2);
      const chip = this.over.find(one => one.row !== undefined && one.x <= x && x < one.x2 && one.y <= y && y < one.y2);
      return chip ? found.find(one => one.row === chip.row) : found.at(-1);
    }

    click(event) {
      if (event.target.closest("button, input, li") || this.move) return;
      const cell = this.cell(event);
      this.items.focus({preventScroll: true});
      if (cell) this.go(cell.row);
    }

    hover(event) {
      const cell = !this.move && event.pointerType !== "touch" && this.cell(event);
      this.tip.hidden = !cell;
      this.figure.style.cursor = cell ? "pointer" : "";
      if (!cell) return;
      const mark = `${cell.row} ${cell.others}`;
      if (mark !== this.tip.dataset.row) {
        this.tip.dataset.row = mark;
        const rows = cell.others
          ? [["", `${cell.others.toLocaleString("en")} smaller classes of ${this.record.rows.name[cell.row]}`], ["", "They are drawn where there is room: zoom in."]]
          : this.details(cell.row);
        this.tip.replaceChildren(...rows.map(([title, text]) => make("div", {}, title ? make("span", {}, title) : "", title ? text : make("b", {}, text))));
      }
      const box = this.figure.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
      const left = x + 16 + this.tip.offsetWidth > box.width ? Math.max(x - 12 - this.tip.offsetWidth, 0) : x + 16;
      Object.assign(this.tip.style, {left: `${left}px`, top: `${Math.max(Math.min(y + 12, box.height - this.tip.offsetHeight), 0)}px`});
    }

    key(event) {
      const {tree, at, focus} = this, above = tree.parent[at];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const sibling = by => above < 0 ? at : Math.min(Math.max(at + by, tree.first[above]), tree.first[above] + tree.count[above] - 1);
      const to = {
        ArrowRight: () => tree.count[at] ? tree.first[at] : at, ArrowLeft: () => Math.max(above, 0), ArrowDown: () => sibling(1), ArrowUp: () => sibling(-1),
        Home: () => sibling(-tree.n), End: () => sibling(tree.n),
      }[event.key];
      if (to) this.walk(to());
      else if (event.key === "Enter" || event.key === " ") this.go(at);
      else if ((event.key === "Escape" || event.key === "Backspace") && at) this.go(Math.max(tree.parent[focus], 0));
      else return;
      event.preventDefault();
      event.stopPropagation();
    }

    // From the search.
    find(row) {
      this.items.focus({preventScroll: true});
      this.go(row);
    }

    // Another class without zooming into it, except where it would not be seen.
    walk(row) {
      const {tree} = this, before = this.focus;
      this.at = row;
      const [, y0, x1, y1] = this.window, seen = tree.path(row).includes(before) && tree.x0[row] < x1 - 1e-9
        && (tree.y1[row] - tree.y0[row]) / (y1 - y0) * this.room[1] >= 3;
      if (!seen) this.focus = tree.path(before).includes(row) ? row : tree.parent[row];
      if (this.focus === before) return this.rest();
      this.fly();
      this.told(this.focus);
    }

    svg(look = this.look_now) { return svg(this, look); }

    end() {
      cancelAnimationFrame(this.move);
      this.stop.abort();
      this.sizes.disconnect();
      this.place.replaceChildren();
    }
  }

  hierviz.zoom = (place, options) => new Zoom(place, options);
})();
