(() => {
  const FIRST = 30, {make} = hierviz;
  // A tree or graph as a table whose rows open; a row is known by its path, as a node may stand under several parents.
  async function draw(place) {
    const tree = await hierviz.named(place.dataset.tree), values = await hierviz.named(place.dataset.values);
    const opened = new Set(["0"]), shown = new Map(), marks = values.marks ?? {};
    const below = node => tree.children.slice(tree.offsets[node], tree.offsets[node + 1])
      .sort((one, other) => values.rank[one] - values.rank[other]);
    const body = make("tbody");
    const head = make("tr", {}, make("th", {scope: "col"}, "Class"), ...values.columns.map((column, i) =>
      make("th", {scope: "col", title: column.sentence, class: i > 1 ? "later" : null}, column.label)));
    place.replaceChildren(make("table", {class: "tree", "aria-label": place.dataset.label}, make("thead", {}, head), body));
    const button = (label, path, name, words, press) => make("button", {type: "button", "data-path": path, "aria-label": words,
      "aria-expanded": name, onclick: () => { press(); fill(); body.querySelector(`[data-path="${CSS.escape(path)}"]`)?.focus(); }}, label);
    function fill() {
      const rows = [], stack = [["0", 0, 0]];
      while (stack.length) {
        const [path, node, level, more] = stack.pop();
        const indent = `padding-left:${0.4 + level * 1.2}rem`;
        if (more !== undefined) {
          const press = () => shown.set(path, (shown.get(path) ?? FIRST) + 100);
          rows.push(make("tr", {}, make("th", {scope: "row", colspan: values.columns.length + 1},
            button(`${more.toLocaleString("en")} more`, path + "/more", null, `Show ${more} more`, press))));
          rows.at(-1).firstChild.style.paddingLeft = `${0.4 + level * 1.2}rem`;
          continue;
        }
        const inside = below(node), isOpen = opened.has(path), title = tree.titles[node];
        const press = () => isOpen ? opened.delete(path) : opened.add(path);
        const sign = inside.length ? button(isOpen ? "▾" : "▸", path, String(isOpen), `${isOpen ? "Close" : "Open"} ${title}`, press)
          : make("span", {style: null}, "");
        const name = make("th", {scope: "row", "data-node": node}, sign, " ", title,
          marks[node] ? make("span", {class: "mark"}, marks[node]) : null);
        name.style.paddingLeft = `${0.4 + level * 1.2 + (inside.length ? 0 : 1.5)}rem`;
        const cells = values.columns.map((column, i) => {
          const share = values.share && values.share.column === i ? values.share.values[node] : null;
          const cell = make("td", {class: [i > 1 ? "later" : "", share === null ? "" : "bar"].join(" ").trim() || null}, column.texts[node]);
          if (share !== null) cell.style.setProperty("--share", `${100 * share}%`);
          return cell;
        });
        rows.push(make("tr", {}, name, ...cells));
        if (!isOpen) continue;
        const most = shown.get(path) ?? FIRST, some = inside.slice(0, most);
        if (some.length < inside.length) stack.push([path, -1, level + 1, inside.length - some.length]);
        for (const child of some.reverse()) stack.push([`${path}/${child}`, child, level + 1]);
      }
      body.replaceChildren(...rows);
    }
    fill();
    place.dataset.ready = "yes";
  }
  hierviz.whenSeen(document.querySelectorAll("[data-tree]"), draw);
})();
