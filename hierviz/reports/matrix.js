(() => {
  const MOST = 20, {make} = hierviz;
  const KINDS = [["same", "tp", "the same class, or both below it"], ["finer", "tp", "answer below the truth"],
    ["coarse", "path", "answer stops above the truth"], ["no_answer", "muted", "no answer: the root"], ["wrong", "fp", "wrong"], ["none", "fn", "without a partner"],
    ["folded", "axis", "both among the other classes"]];
  async function draw(place) {
    const data = await hierviz.named(place.dataset.matrix), {titles} = await hierviz.named("taxonomy-tree");
    const n = titles.length, parent = new Int32Array(n).fill(-1), opened = new Set([0]);
    const below = node => data.children.slice(data.offsets[node], data.offsets[node + 1]);
    for (let node = 0; node < n; node++) for (const child of below(node)) parent[child] = node;
    // Pairs at or below each node: children have larger numbers than parents.
    const weight = new Float64Array(n);
    for (const nodes of [data.truth, data.answer]) nodes.forEach((node, i) => { if (node >= 0) weight[node] += data.count[i]; });
    for (let node = n - 1; node > 0; node--) weight[parent[node]] += weight[node];
    const isAbove = (upper, node) => { while (node > upper) node = parent[node]; return node === upper; };
    const title = (line, isRow) => line.kind === "none" ? (line.node === -2 ? "outside the taxonomy" : isRow ? "no truth left" : "no answer left")
      : line.kind === "others" ? `${line.nodes.length} other classes of ${titles[line.node]}`
      : line.kind === "itself" ? `${titles[line.node]} itself` : titles[line.node];
    function lines() {
      const found = [], of = new Map();
      const walk = (node, level) => {
        if (!opened.has(node) || !below(node).length) { of.set(node, found.push({kind: "closed", node, level}) - 1); return; }
        of.set(node, found.push({kind: "itself", node, level}) - 1);
        const children = below(node).filter(child => weight[child] || opened.has(child));
        const kept = children.length <= MOST + 1 ? children : (() => {
          const best = new Set([...children].sort((a, b) => weight[b] - weight[a] || a - b).slice(0, MOST));
          return children.filter(child => best.has(child) || opened.has(child));
        })();
        for (const child of kept) walk(child, level + 1);
        const rest = children.filter(child => !kept.includes(child));
        if (rest.length) { const line = found.push({kind: "others", node, nodes: rest, level: level + 1}) - 1; for (const child of rest) of.set(child, line); }
      };
      walk(0, 0);
      for (const node of [-1, -2]) if (data.truth.includes(node) || data.answer.includes(node)) of.set(node, found.push({kind: "none", node, level: 0}) - 1);
      const place = node => { if (node < 0) return of.get(node); while (!of.has(node)) node = parent[node]; return of.get(node); };
      return {found, place};
    }
    function relation(row, column, isSameLine) {
      if (row.kind === "none" || column.kind === "none") return "none";
      if (isSameLine) return row.kind === "others" ? "folded" : "same";
      if (column.kind === "itself" && column.node === 0) return "no_answer";
      if (column.kind === "itself" && isAbove(column.node, row.node)) return "coarse";
      if (row.kind === "itself" && isAbove(row.node, column.node)) return "finer";
      return "wrong";
    }
    const signed = (line, isRow) => {
      const words = title(line, isRow);
      if (line.kind === "closed" && below(line.node).length) return press(`+ ${words}`, line.node, () => opened.add(line.node), `Open ${words}`, "false");
      if (line.kind === "itself" && line.node > 0) return press(`− ${words}`, line.node, () => {
        for (const node of [...opened]) if (node && isAbove(line.node, node)) opened.delete(node); }, `Close ${titles[line.node]}`, "true");
      return make("span", {class: "leaf"}, words);
    };
    function press(label, node, act, words, isOpen) {
      return make("button", {type: "button", "data-node": node, "aria-label": words, "aria-expanded": isOpen,
        onclick: () => { act(); fill(); place.querySelector(`tbody button[data-node="${node}"]`)?.focus(); }}, label);
    }
    function fill() {
      const {found, place: lineOf} = lines(), cells = new Map(), rows = new Map(), columns = new Map();
      data.count.forEach((count, i) => {
        const row = lineOf(data.truth[i]), column = lineOf(data.answer[i]), key = row * found.length + column;
        cells.set(key, (cells.get(key) ?? 0) + count);
        rows.set(row, (rows.get(row) ?? 0) + count);
        columns.set(column, (columns.get(column) ?? 0) + count);
      });
      const used = found.map((_, i) => i).filter(i => rows.has(i) || columns.has(i) || opened.has(found[i].node) && found[i].kind === "itself" && found[i].node);
      const largest = Math.max(...cells.values(), 1);
      const head = make("tr", {}, make("th", {scope: "col"}, "truth ↓ answer →"), ...used.map(i =>
        make("th", {scope: "col"}, make("div", {}, signed(found[i], false)))));
      const body = used.map(row => {
        const name = make("th", {scope: "row", title: title(found[row], true)}, signed(found[row], true));
        name.style.paddingLeft = `${Math.max(0, found[row].level - 1) * 0.8}rem`;
        return make("tr", {}, name, ...used.map(column => {
          const count = cells.get(row * found.length + column);
          if (!count) return make("td");
          const kind = relation(found[row], found[column], row === column);
          const words = `truth ${title(found[row], true)}, answer ${title(found[column], false)}: ${count.toLocaleString("en")} (${KINDS.find(k => k[0] === kind)[2]})`;
          const cell = make("td", {class: kind, title: words, "data-row": found[row].node, "data-column": found[column].node}, count.toLocaleString("en"));
          const strength = 14 + 46 * Math.log1p(count) / Math.log1p(largest);
          cell.style.background = `color-mix(in srgb, var(--${KINDS.find(k => k[0] === kind)[1]}) ${strength}%, var(--background))`;
          return cell;
        }));
      });
      const table = make("table", {class: "matrix", "aria-label": "Confusion matrix"}, make("thead", {}, head), make("tbody", {}, ...body));
      const kinds = new Set([...table.querySelectorAll("td[class]")].map(cell => cell.className));
      const legend = make("div", {class: "legend"}, ...KINDS.filter(kind => kinds.has(kind[0])).map(kind => {
        const box = make("i");
        box.style.background = `color-mix(in srgb, var(--${kind[1]}) 55%, var(--background))`;
        return make("span", {}, box, kind[2]);
      }));
      place.replaceChildren(legend, table);
      place.dataset.ready = "yes";
    }
    fill();
  }
  hierviz.whenSeen(document.querySelectorAll("[data-matrix]"), draw);
})();
