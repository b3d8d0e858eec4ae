// A field that finds classes by a part of their names: hierviz.zoomSearch(id, call, signal) gives {place, take(record, parent)}, and
// calls with the row that was chosen.
(() => {
  const {make} = hierviz, MOST_FOUND = 8;
  const plain = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

  class Search {
    constructor(id, call, signal) {
      this.call = call;
      this.list = make("ul", {class: "zoom-list", role: "listbox", id: `${id}-list`, "aria-label": "Classes found", hidden: true});
      this.input = make("input", {type: "search", placeholder: "Find a class", "aria-label": "Find a class", role: "combobox", autocomplete: "off",
        "aria-expanded": "false", "aria-autocomplete": "list", "aria-controls": this.list.id});
      this.place = make("div", {class: "zoom-find"}, this.input, this.list);
      const on = (element, kind, act) => element.addEventListener(kind, act, {signal});
      on(this.input, "input", () => this.look());
      on(this.input, "keydown", event => this.key(event));
      on(this.input, "blur", () => { this.list.hidden = true; });
      // Before the field loses the focus, which hides the list.
      on(this.list, "pointerdown", event => event.preventDefault());
      on(this.list, "click", event => this.choose(event.target.closest("[role=option]")));
    }

    take(record, parent) {
      Object.assign(this, {rows: record.rows, parent, names: null});
    }

    look() {
      const {rows} = this, asked = plain(this.input.value.trim()), found = [];
      const names = this.names ??= rows.name.map(plain);
      if (asked) for (let i = 0; i < names.length; i++) if (names[i].includes(asked) && !rows.is_own?.[i]) found.push(i);
      const rank = row => (names[row] === asked ? 0 : names[row].startsWith(asked) ? 1 : 2);
      found.sort((a, b) => rank(a) - rank(b) || names[a].length - names[b].length || a - b);
      const options = found.slice(0, MOST_FOUND).map((row, place) => make("li", {role: "option", id: `${this.list.id}-${place}`, "data-row": row},
        rows.name[row], row ? make("span", {}, ` in ${rows.name[this.parent[row]]}`) : null));
      const n = found.length - MOST_FOUND;
      const more = !found.length ? "No class with samples has this name" : n > 0 ? `and ${n.toLocaleString("en")} more: type more of the name` : "";
      this.list.replaceChildren(...options, ...(more ? [make("li", {class: "zoom-more", role: "presentation"}, more)] : []));
      this.list.hidden = !asked;
      this.input.setAttribute("aria-expanded", String(Boolean(asked)));
      this.mark(0);
    }

    get options() { return [...this.list.querySelectorAll("[role=option]")]; }

    mark(place) {
      const {options} = this;
      this.marked = options.length ? (place + options.length) % options.length : -1;
      options.forEach((one, i) => one.setAttribute("aria-selected", String(i === this.marked)));
      if (options.length) this.input.setAttribute("aria-activedescendant", options[this.marked].id);
      else this.input.removeAttribute("aria-activedescendant");
    }

    key(event) {
      event.stopPropagation();
      if (event.key === "ArrowDown" || event.key === "ArrowUp") this.mark(this.marked + (event.key === "ArrowDown" ? 1 : -1));
      else if (event.key === "Enter") this.choose(this.options[this.marked]);
      else if (event.key === "Escape" && this.input.value) this.clear();
      else return;
      event.preventDefault();
    }

    clear() {
      this.input.value = "";
      this.look();
    }

    choose(option) {
      if (!option) return;
      this.clear();
      this.call(+option.dataset.row);
    }
  }

  hierviz.zoomSearch = (id, call, signal) => new Search(id, call, signal);
})();
