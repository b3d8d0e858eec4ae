// The ladder that asks before it shows: questions with choices, rows that open one by one, and bars that can be dragged. All
// texts, choices and verdicts are those of `record.ask`; without it nothing here is seen. A ladder makes one of these for itself.
(() => {
  // All rows; the place of a choice that is none: its answer is shown.
  const ALL = 999, SHOWN = -1;

  const {make} = hierviz;

  class Asking {
    constructor(ladder) {
      this.ladder = ladder;
      this.question = make("p", {class: "ladder-question"});
      this.choices = make("div", {class: "ladder-choices", role: "group"});
      this.verdict = make("p", {class: "ladder-verdict", "aria-live": "polite", "data-hierviz": "verdict"});
      this.next = make("button", {type: "button", class: "ladder-next", title: "Space or ↓"});
      this.all = make("button", {type: "button"});
      this.again = make("button", {type: "button"});
      this.hint = make("span", {class: "ladder-hint"});
      this.changed = make("p", {class: "ladder-changed", "data-hierviz": "changed"});
      this.reset = make("button", {type: "button"});
      this.grips = make("div", {class: "ladder-grips"});
      const moves = make("div", {class: "ladder-moves"}, this.next, this.all, this.again, this.reset);
      this.panel = make("div", {class: "ladder-asks", "data-hierviz": "asks"},
        make("div", {class: "ladder-head"}, this.question, moves), this.choices, this.verdict, this.changed, this.hint);
      ladder.figure.before(this.panel);
      ladder.figure.append(this.grips);
      const on = (element, kind, act) => element.addEventListener(kind, act, {signal: ladder.stop.signal});
      on(this.next, "click", () => this.open(this.opened + 1));
      on(this.all, "click", () => this.open(ALL));
      on(this.again, "click", () => this.start());
      on(this.reset, "click", () => ladder.told({change: null}));
      on(document, "keydown", event => this.key(event));
      this.take(ladder.record);
    }

    get is_on() { return Boolean(this.asked); }

    // Another record: of another sample it starts anew.
    take(record) {
      const is_same = this.asked && record.ask && this.id === record.id;
      if (is_same && this.asked.words.changed !== record.ask.words.changed) {
        // What was chosen was about other probabilities.
        if (this.picked !== null) this.picked = SHOWN;
        if (this.picked_win !== null) this.picked_win = SHOWN;
      }
      this.asked = record.ask;
      this.id = record.id;
      this.ladder.place.classList.toggle("is-asking", this.is_on);
      this.panel.hidden = !this.is_on;
      if (!is_same) Object.assign(this, {opened: 1, picked: null, picked_win: null, at: null});
      this.dragged = null;
    }

    // Which signals of the drawing are other ones.
    signals() {
      if (!this.is_on) return {asks: false, opened: ALL, told: true, told_win: true};
      return {asks: true, opened: this.opened, told: this.told, told_win: this.told && this.told_win};
    }

    find(table) {
      const {model, rule} = this.ladder.state;
      return this.asked[table].find(one => one.m === model && (one.r === undefined || one.r === rule));
    }

    get told() { return !this.is_on || this.picked !== null || !this.find("answers"); }
    get told_win() { return this.picked_win !== null || !this.find("wins"); }
    get n_rows() { return Math.max(0, ...this.ladder.view.data("rows_now").map(one => one.row + 1)); }

    start() {
      Object.assign(this, {opened: 1, picked: null, picked_win: null});
      this.draw();
    }

    // Another model or rule is another question; its rows stay open.
    turn() { Object.assign(this, {picked: null, picked_win: null, dragged: null}); }

    open(rows) {
      this.opened = Math.min(rows, this.n_rows);
      this.draw();
    }

    draw() {
      for (const [name, value] of Object.entries(this.signals())) this.ladder.view.signal(name, value);
      this.ladder.view.run();
      this.ladder.fit(true);
    }

    // What the panel says; called whenever the drawing has changed.
    show() {
      if (!this.is_on) return;
      const {view, place} = this.ladder, large = view.signal("large");
      this.panel.style.fontSize = `${15 * large}px`;
      this.panel.style.marginLeft = place.classList.contains("is-wide") ? `${view.signal("x0")}px` : 0;
      const {words} = this.asked, step = this.ladder.step(), answers = this.find("answers"), wins = this.find("wins");
      const is_win = this.told && wins && this.picked_win !== SHOWN, asked = is_win ? wins : this.told ? null : answers;
      this.question.textContent = asked?.question ?? "";
      const places = !asked ? [] : is_win ? wins.choices.map((_, place) => place) : answers.offered[step.k];
      const picked = is_win ? this.picked_win : this.picked;
      this.choices.setAttribute("aria-label", this.question.textContent);
      const drawn = JSON.stringify([this.question.textContent, places, picked, step.k]);
      if (drawn !== this.drawn) {
        this.drawn = drawn;
        this.offer(asked, places, picked, place => is_win ? asked.choices[place].is_right : place === answers.at[step.k],
          is_win ? "picked_win" : "picked");
      }
      const said = [];
      if (answers?.choices[this.picked]) {
        said.push(answers.choices[this.picked][this.picked === answers.at[step.k] ? "right" : "wrong"]);
      }
      if (this.told) said.push(step.sentence);
      if (is_win && wins.choices[this.picked_win]) said.push(wins.choices[this.picked_win].said, wins.sum);
      const text = said.join(" ");
      if (this.verdict.textContent !== text) this.verdict.textContent = text;
      this.next.textContent = words.next;
      this.all.textContent = words.all;
      this.again.textContent = words.again;
      this.reset.textContent = words.reset;
      this.next.disabled = this.all.disabled = this.opened >= this.n_rows;
      this.again.hidden = this.picked === null && this.picked_win === null;
      this.changed.textContent = words.changed;
      this.changed.hidden = this.reset.hidden = !words.changed;
      const free = this.find("free");
      this.hint.textContent = !this.told ? "" : free.why || (this.ladder.can?.change ? words.what_if : words.no_server);
      this.show_grips(this.told && this.ladder.can?.change ? free.nodes : {});
    }

    // The choices as buttons; once one is picked, it and the right ones are marked.
    offer(asked, places, picked, is_right, what) {
      const focus = this.choices.contains(this.root.activeElement);
      this.choices.replaceChildren(...places.map(place => {
        const button = make("button", {type: "button", "data-place": place}, asked.choices[place].text);
        button.onclick = () => this.pick(what, place);
        if (picked === null) return button;
        button.disabled = true;
        if (is_right(place)) button.classList.add("right");
        else if (place === picked) button.classList.add("wrong");
        if (is_right(place) || place === picked) button.prepend(is_right(place) ? "✓ " : "✗ ");
        return button;
      }));
      if (focus) (this.choices.querySelector("button:not([disabled])") ?? this.next).focus();
    }

    get root() { return this.ladder.place.getRootNode(); }

    pick(what, place) {
      this[what] = place;
      if (what === "picked_win") this.opened = ALL;
      this.draw();
      const button = this.choices.querySelector("button:not([disabled])") ?? (this.next.disabled ? this.again : this.next);
      button.focus({preventScroll: true});
    }

    // Space and the arrow down open the next row, unless what has the focus takes them.
    key(event) {
      if (!this.is_on || ![" ", "ArrowDown"].includes(event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
      const from = event.composedPath()[0], is_inside = this.ladder.place.contains(from);
      if (!is_inside && !(this.ladder.can?.keys && from === document.body)) return;
      const takes = "input, select, textarea, [role=slider], [contenteditable]";
      if (from.matches?.(takes) || (event.key === " " && from.matches?.("button, a"))) return;
      if (this.opened >= this.n_rows) return;
      event.preventDefault();
      this.open(this.opened + 1);
    }

    // Handles at the ends of bars -------------------------------------------------------------------------------------------

    show_grips(nodes) {
      const view = this.ladder.view, x = view.scale("p"), s = name => view.signal(name), here = new Map();
      for (const bar of view.data("bars_now")) if (nodes[bar.node] && !here.has(bar.node)) here.set(bar.node, bar);
      const old = new Map([...this.grips.children].map(grip => [+grip.dataset.node, grip]));
      for (const [node, grip] of old) if (!here.has(node)) grip.remove();
      for (const [node, bar] of here) {
        const grip = old.get(node) ?? this.grip(node), {most, label} = nodes[node];
        if (!old.has(node)) this.grips.append(grip);
        grip.setAttribute("aria-label", label);
        grip.setAttribute("aria-valuemin", 0);
        grip.setAttribute("aria-valuemax", most);
        grip.p = bar.p;
        grip.most = most;
        const top = s("top") + bar.u * s("slot_tall") + (s("narrow") ? 5 : 0), tall = Math.max(s("bar_tall") + 6, 18);
        Object.assign(grip.style, {top: `${top - tall / 2}px`, height: `${tall}px`});
        this.place_grip(grip, this.dragged?.node === node ? this.dragged.p : bar.p, x);
      }
    }

    place_grip(grip, p, x = this.ladder.view.scale("p")) {
      grip.setAttribute("aria-valuenow", p);
      grip.setAttribute("aria-valuetext", p.toFixed(3));
      grip.style.left = `${x(0)}px`;
      grip.style.setProperty("--long", `${x(p) - x(0)}px`);
      grip.dataset.text = p.toFixed(3);
    }

    grip(node) {
      const grip = make("div", {class: "ladder-grip", role: "slider", tabindex: 0, "data-node": node}, make("i"));
      const move = event => this.to(grip, this.ladder.view.scale("p").invert(this.ladder.at(event)[0]));
      const done = () => { if (this.dragged) this.say(node); };
      grip.onpointerdown = event => {
        if (event.button) return;
        event.preventDefault();
        event.stopPropagation();
        grip.setPointerCapture(event.pointerId);
        grip.focus({preventScroll: true});
        grip.classList.add("held");
        grip.onpointermove = move;
      };
      grip.onpointerup = grip.onpointercancel = () => {
        grip.onpointermove = null;
        grip.classList.remove("held");
        done();
      };
      grip.onkeydown = event => {
        const by = {ArrowRight: .01, ArrowUp: .01, ArrowLeft: -.01, ArrowDown: -.01, PageUp: .1, PageDown: -.1}[event.key];
        const end = {Home: 0, End: grip.most}[event.key];
        if (by === undefined && end === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        grip.classList.add("held");
        this.to(grip, end ?? (this.dragged?.p ?? grip.p) + by);
      };
      // The server hears of it once the key is released.
      grip.onkeyup = () => { grip.classList.remove("held"); done(); };
      return grip;
    }

    to(grip, p) {
      const whole = Math.round(Math.min(Math.max(p, 0), grip.most) * 1000) / 1000;
      this.dragged = {node: +grip.dataset.node, p: Math.min(whole, grip.most)};
      this.place_grip(grip, this.dragged.p);
    }

    say() { this.ladder.told({change: this.dragged}); }
  }

  hierviz.asking = ladder => new Asking(ladder);
})();
