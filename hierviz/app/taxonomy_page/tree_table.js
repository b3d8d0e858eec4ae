// An ARIA tree grid of the rows that the server sends; clicks are sent back as {kind, what}.
export default function ({data, parentElement, setTriggerValue}) {
  if (!parentElement.hierviz) parentElement.hierviz = new TreeTable(parentElement);
  parentElement.hierviz.update(data, setTriggerValue);
}

const SIGNS = {worst: " ▾", reversed: " ▴", "": ""};

function made(kind, more = {}, ...children) {
  const element = Object.assign(document.createElement(kind), more);
  element.append(...children);
  return element;
}

class TreeTable {
  constructor(root) {
    this.head = root.querySelector("thead tr");
    this.body = root.querySelector("tbody");
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("focusin", (event) => {
      const row = event.target.closest("tr");
      this.current = row.dataset.id;
      for (const other of this.body.rows) other.tabIndex = other === row ? 0 : -1;
    });
  }

  update(data, send) {
    this.send = (kind, what) => send("did", {kind, what});
    const text = JSON.stringify(data);
    if (text === this.text) return;
    this.text = text;
    const hadFocus = this.body.contains(this.body.getRootNode().activeElement);
    this.head.replaceChildren(this.corner(data), ...data.columns.map((column) => this.column(column)));
    this.body.replaceChildren(...data.rows.map((row) => (row.kind === "more" ? this.more(row, data) : this.row(row, data))));
    const rows = [...this.body.rows];
    const now = rows.find((row) => row.dataset.id === this.current) ?? rows[0];
    if (now) now.tabIndex = 0;
    if (hadFocus && now) now.focus({preventScroll: true});
  }

  corner(data) {
    return made("th", {scope: "col"}, made("span", {textContent: data.isTree ? "Class" : "Class, and what it is below"}));
  }

  column(column) {
    const button = made("button", {
      type: "button", title: `${column.help} Click to sort.`,
      onclick: () => this.send("sort", column.key),
    }, column.label, made("span", {className: "sign", textContent: SIGNS[column.sorted], ariaHidden: "true"}));
    const cell = made("th", {scope: "col"}, button);
    if (column.sorted) cell.ariaSort = column.sorted === "worst" ? "descending" : "ascending";
    return cell;
  }

  row(row, data) {
    const name = made("div", {className: "name"});
    name.style.setProperty("--level", data.isTree ? row.level : 1);
    if (data.isTree) {
      const canOpen = row.kind !== "leaf";
      name.append(canOpen ? made("button", {
        type: "button", className: "fold", tabIndex: -1, textContent: row.kind === "open" ? "▾" : "▸",
        ariaLabel: `${row.kind === "open" ? "Close" : "Open"} ${row.title}`, onclick: () => this.send("toggle", row.path),
      }) : made("span", {className: "fold"}));
    }
    const title = row.enter
      ? made("button", {type: "button", className: "title", tabIndex: -1, textContent: row.title,
          title: "Show this subtree", onclick: () => this.send("enter", row.path)})
      : made("span", {className: "title", textContent: row.title});
    const words = made("span", {}, title);
    if (!data.isTree && row.above) words.append(made("span", {className: "above", textContent: row.above}));
    name.append(words);
    const first = made("td", {}, name);
    first.setAttribute("role", "rowheader");
    const cells = row.cells.map((cell, place) => this.cell(cell, data.columns[place], row, data.track));
    const line = made("tr", {tabIndex: -1}, first, ...cells);
    line.dataset.id = row.path;
    line.ariaLevel = row.level;
    if (data.isTree && row.kind !== "leaf") line.ariaExpanded = String(row.kind === "open");
    return line;
  }

  cell(cell, column, row, track) {
    const isLink = column.samples && row.samples;
    const inside = made("div", {className: "cell"}, isLink
      ? made("button", {type: "button", tabIndex: -1, textContent: cell.text, title: `Show these samples of ${row.title}`,
          ariaLabel: `${cell.text} ${column.label}: show these samples of ${row.title}`,
          onclick: () => this.send("samples", row.path)})
      : cell.text);
    if (cell.bar !== null) {
      const bar = made("span", {className: "bar"}, made("i"));
      bar.style.setProperty("--track", track);
      bar.firstChild.style.width = `${100 * cell.bar}%`;
      bar.firstChild.style.background = column.colour;
      inside.append(bar);
    }
    return made("td", {}, inside);
  }

  more(row, data) {
    const button = made("button", {type: "button", tabIndex: -1, textContent: row.text, onclick: () => this.send("more", row.path)});
    const cell = made("td", {className: "more", colSpan: 1 + data.columns.length}, button);
    cell.style.setProperty("--level", row.level);
    const line = made("tr", {tabIndex: -1}, cell);
    line.dataset.id = `${row.path}/more`;
    line.ariaLevel = row.level;
    return line;
  }

  key(event) {
    const row = event.target.closest("tr");
    const rows = [...this.body.rows];
    const place = rows.indexOf(row);
    const press = (selector) => row.querySelector(selector)?.click();
    const go = (other) => other && other.focus();
    const moves = {
      ArrowDown: () => go(rows[place + 1]),
      ArrowUp: () => go(rows[place - 1]),
      Home: () => go(rows[0]),
      End: () => go(rows.at(-1)),
      ArrowRight: () => (row.ariaExpanded === "false" ? press(".fold") : row.ariaExpanded === "true" && go(rows[place + 1])),
      ArrowLeft: () => row.ariaExpanded === "true" ? press(".fold")
        : go(rows.slice(0, place).findLast((other) => +other.ariaLevel < +row.ariaLevel)),
      Enter: () => event.target === row && press("button.title, .more button"),
      s: () => press(".cell button"),
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && event.target !== row) return;
    event.preventDefault();
    moves[event.key]();
  }
}
