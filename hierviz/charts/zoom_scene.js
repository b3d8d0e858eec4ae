// What a part of a record shows, as a list of marks that a canvas and an SVG draw alike. The rectangles are those of the record
// under one affine map; what is in the window and at least a pixel wide and high is drawn, at most MOST marks.
(() => {
  const MOST = 1500, GAP = 2, INSET = 6, LINE = 16, HEAD = 18, ROW = 20, SIZE = 13, FONT = '"Source Sans", "Source Sans Pro", "Source Sans 3", sans-serif';
  // Treemap: the least sides of a class with its children in it, by its level below the class that is zoomed into.
  const ROOMY = [[0, 0], [90, 58], [150, 110]], FRAMES = [4, 4, 2.5];

  // The columns of a record as arrays, and what is looked up in them.
  class Tree {
    constructor(record) {
      const {rows} = record, n = rows.parent.length;
      Object.assign(this, {record, n, names: rows.name, parent: Int32Array.from(rows.parent)});
      for (const side of ["x0", "x1", "y0", "y1"]) this[side] = Float64Array.from(rows[side]);
      this.first = new Int32Array(n).fill(-1);
      this.count = new Int32Array(n);
      this.level = new Int32Array(n);
      this.deep = Float64Array.from(this.x1);
      for (let i = 1; i < n; i++) {
        const above = this.parent[i];
        if (!this.count[above]++) this.first[above] = i;
        this.level[i] = this.level[above] + 1;
      }
      for (let i = n - 1; i > 0; i--) this.deep[this.parent[i]] = Math.max(this.deep[this.parent[i]], this.deep[i]);
      this.isIcicle = record.kind === "icicle";
    }

    path(row) {
      const found = [];
      for (; row >= 0; row = this.parent[row]) found.unshift(row);
      return found;
    }

    children(row) { return Array.from({length: this.count[row]}, (_, i) => this.first[row] + i); }

    // The part of the unit square that is drawn where a class is zoomed into, with some of what is around it.
    window(row, width, height) {
      const {x0, x1, y0, y1} = this;
      if (!this.isIcicle) {
        const [x, y] = row ? [12 / width * (x1[row] - x0[row]), 12 / height * (y1[row] - y0[row])] : [0, 0];
        return [x0[row] - x, y0[row] - y, x1[row] + x, y1[row] + y];
      }
      const column = this.n > 1 ? x1[this.first[0]] - x0[this.first[0]] : 1, levels = width < 500 ? 2 : width < 800 ? 3 : 4;
      const end = Math.min(this.deep[row], x1[row] + levels * column);
      return [x0[row] - (row ? Math.min(0.22 * column, 0.05 * (end - x0[row]) + 0.05 * column) : 0), y0[row], end, y1[row]];
    }

    // The cells in a window on so many pixels, while `focus` is zoomed into: {row, x, y, x2, y2, is_open, others}; `others` is how
    // many smaller classes of a family a cell is for.
    cells(at, width, height, focus) {
      let least = 1, found = this.pass(at, width, height, focus, least);
      while (found.length > MOST) found = this.pass(at, width, height, focus, least *= 1.3);
      return found;
    }

    pass([wx0, wy0, wx1, wy1], width, height, focus, least) {
      const {n, parent, first, count, level, x0, x1, y0, y1, isIcicle} = this, found = [];
      const sx = width / (wx1 - wx0), sy = height / (wy1 - wy0), top = level[focus], open = this.open ??= new Uint8Array(n);
      open.fill(0);
      for (let i = 0; i < n; i++) {
        const above = parent[i];
        if (above >= 0 && !open[above]) continue;
        const x = (x0[i] - wx0) * sx, x2 = (x1[i] - wx0) * sx, y = (y0[i] - wy0) * sy, y2 = (y1[i] - wy0) * sy;
        if (isIcicle && y2 - y < least && i) {
          // Siblings come by size: with the first small one all further ones are small. In its column they are one block.
          const end = first[above] + count[above], low = (y1[end - 1] - wy0) * sy;
          if (low - y >= 1 && low > 0 && y < height && x2 > 0 && x < width) found.push({row: above, x, y, x2, y2: low, others: end - i});
          i = end - 1;
          continue;
        }
        if (x2 <= 0 || x >= width || y2 <= 0 || y >= height) {
          // What is left of the window has its children in it.
          if (isIcicle && x2 <= 0 && y2 > 0 && y < height) open[i] = 1;
          continue;
        }
        if (x2 - x < least || y2 - y < least) continue;
        const below = level[i] - top, room = below < 0 ? ROOMY[0] : ROOMY[below];
        const is_open = count[i] > 0 && (isIcicle || (room && x2 - x >= room[0] && y2 - y >= room[1]));
        open[i] = is_open ? 1 : 0;
        found.push({row: i, x, y, x2, y2, is_open, others: 0});
      }
      return found;
    }
  }

  // Texts -------------------------------------------------------------------------------------------------------------------

  const ruler = document.createElement("canvas").getContext("2d"), widths = new Map();
  const font = (size, weight) => `${weight} ${size}px ${FONT}`;
  function wide(text, weight = "normal", size = SIZE) {
    const key = `${size}${weight}${text}`;
    if (!widths.has(key)) {
      if (widths.size > 20000) widths.clear();
      ruler.font = font(size, weight);
      widths.set(key, ruler.measureText(text).width);
    }
    return widths.get(key);
  }
  // As much of a text as there is room for; nothing where that is less than three letters.
  function short(text, room, weight) {
    if (wide(text, weight) <= room) return text;
    let low = 0, high = text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (wide(text.slice(0, middle).trimEnd() + "…", weight) <= room) low = middle; else high = middle - 1;
    }
    return low < 3 ? "" : text.slice(0, low).trimEnd() + "…";
  }

  // Name and number in a cell, as far as there is room; `shift` is what a name over the cell takes.
  function words(cell, name, said, fill, weight, bounds) {
    const x = Math.max(cell.x, bounds.x), x2 = Math.min(cell.x2, bounds.x2), y = Math.max(cell.y, bounds.y), y2 = Math.min(cell.y2, bounds.y2);
    const room = x2 - x - 2 * INSET, tall = y2 - y, made = [];
    if (room < 14 || tall < 12.5) return made;
    const text = (words, at, more = {}) => made.push({kind: "text", x: x + INSET, y: at, text: words, fill, weight, ...more});
    const number = said && wide(said, "600");
    if (tall < 2 * LINE + 6) {
      const middle = y + Math.min(tall / 2, LINE), name_room = room - (number ? number + 8 : 0);
      const shown = name_room > 20 ? short(name, name_room, weight) : "";
      if (shown) text(shown, middle);
      if (number && number <= room && (shown || tall < 18)) text(said, middle, {x: x2 - INSET, align: "right", weight: "600"});
      return made;
    }
    const lines = wrapped(name, room, weight, Math.min(3, Math.floor((tall - 6) / LINE) - 1));
    lines.forEach((line, i) => text(line, y + LINE / 2 + 4 + LINE * i));
    if (number && number <= room) text(said, y + LINE / 2 + 4 + LINE * lines.length, {weight: "600"});
    return made;
  }

  function wrapped(name, room, weight, most) {
    const lines = [];
    let rest = name;
    while (rest && lines.length < most) {
      const parts = rest.split(" ");
      let n = parts.length;
      while (n > 1 && wide(parts.slice(0, n).join(" "), weight) > room) n--;
      const isLast = lines.length === most - 1, line = short(isLast ? rest : parts.slice(0, n).join(" "), room, weight);
      if (!line) break;
      lines.push(line);
      rest = isLast ? "" : parts.slice(n).join(" ");
    }
    return lines;
  }

  // Marks -------------------------------------------------------------------------------------------------------------------

  // The colours of cells, without words: what is drawn while it moves.
  function boxes(tree, cells, look) {
    const {record} = tree, {fills, others} = record.looks[look], made = [];
    for (const cell of cells) {
      const {row, x, y, x2, y2} = cell, edge = Math.min(x2 - x, y2 - y) >= 4 ? 1 : 0;
      const fill = cell.others || (cell.is_open && !tree.isIcicle) ? others : fills[record.rows.fill[row]];
      made.push({kind: "box", x, y, x2: tree.isIcicle ? x2 - GAP : x2 - edge, y2: y2 - edge, fill});
    }
    return made;
  }

  // Words, frames and outlines of cells.
  function labels(tree, cells, look, {width, height, focus, at}) {
    const {record} = tree, {rows} = record, {fills, inks, others, ink, background} = record.looks[look];
    const bounds = {x: 0, y: 0, x2: width, y2: height}, made = [], over = [], chips = [];
    const marked = new Set(record.marked);
    // What is around the class that is zoomed into has no words: it is cut off.
    const inside = !tree.isIcicle && focus ? cells.find(one => one.row === focus) : null;
    const isAround = one => inside && (one.x2 <= inside.x + 1 || one.x >= inside.x2 - 1 || one.y2 <= inside.y + 1 || one.y >= inside.y2 - 1);
    for (const cell of cells) {
      if (isAround(cell)) continue;
      const {row} = cell, weight = marked.has(row) ? "600" : "normal";
      if (cell.others) {
        made.push(...words(cell, `${cell.others.toLocaleString("en")} smaller`, "", ink, "normal", bounds));
      } else if (cell.is_open && !tree.isIcicle) {
        const line = FRAMES[tree.level[row] - tree.level[focus]];
        if (!line || (row === focus && !row)) continue;
        made.push({kind: "box", x: cell.x, y: cell.y, x2: cell.x2, y2: cell.y2, stroke: background, line});
        // The name lies over the cells in it, below those of the classes around it.
        let y = Math.max(cell.y, 0) + 2;
        const x = Math.max(cell.x, 0) + 2, name_room = Math.min(cell.x2, width) - x - 2 - 2 * INSET, said = rows.said[row];
        const name = short(rows.name[row], name_room - wide(` ${said}`, "600"), "600");
        if (!name) continue;
        const x2 = x + 2 * INSET + wide(`${name} ${said}`, "600");
        while (chips.some(one => one.x < x2 && x < one.x2 && one.y < y + HEAD && y < one.y2)) y += HEAD + 2;
        const fill = rows.fill[row], chip = {kind: "box", row, x, y, x2, y2: y + HEAD, fill: fills[fill]};
        chips.push(chip);
        over.push(chip, {kind: "text", x: x + INSET, y: y + HEAD / 2 + 0.5, text: `${name} ${said}`, fill: inks[fill], weight: "600"});
      }
    }
    for (const cell of cells) {
      if (cell.others || (cell.is_open && !tree.isIcicle) || isAround(cell)) continue;
      let y = cell.y;
      for (const one of chips) if (one.x < cell.x2 - 4 && one.x2 > cell.x && one.y < y + HEAD && one.y2 > y) y = Math.min(one.y2, cell.y2);
      const fill = rows.fill[cell.row], weight = marked.has(cell.row) ? "600" : "normal";
      made.push(...words({...cell, y, x2: tree.isIcicle ? cell.x2 - GAP : cell.x2}, rows.name[cell.row], rows.said[cell.row], inks[fill], weight, bounds));
    }
    const around = (row, line, more = {}) => {
      const cell = cells.find(one => one.row === row && !one.others);
      if (!cell) return;
      const inset = Math.min(cell.x2 - cell.x, cell.y2 - cell.y) > 8 ? line / 2 + 0.5 : -line / 2;
      over.push({kind: "box", x: Math.max(cell.x, 0) + inset, y: Math.max(cell.y, 0) + inset,
        x2: Math.min(cell.x2, width) - inset - (tree.isIcicle ? GAP : 0), y2: Math.min(cell.y2, height) - inset, stroke: ink, line, ...more});
    };
    // A class around the one that is zoomed into has no edge in the picture.
    if (record.outlined >= 0 && !tree.path(tree.parent[focus]).includes(record.outlined)) around(record.outlined, 2.5);
    if (at > 0) around(at, 2, {dash: [5, 3]});
    return [...made, ...over];
  }

  // What the colours mean: marks, and the pixels that they are high.
  function legend(record, width, look) {
    const {ink, muted} = record.looks[look], made = [];
    let x = 0, y = ROW / 2;
    record.legend.forEach(({title, items}) => {
      const put = (lead, label, fill, draw = () => {}) => {
        const need = lead + wide(label);
        if (x && x + need > width) { x = 0; y += ROW; }
        draw();
        made.push({kind: "text", x: x + lead, y, text: short(label, Math.max(width - lead, 30)) || label, fill, weight: "normal"});
        x += need + 16;
      };
      if (title) put(0, title, muted);
      for (const item of items) {
        const colour = item[look];
        if (item.kind === "note") put(0, item.label, muted);
        else put(20, item.label, ink, () => made.push({kind: "box", x: x + 1, y: y - 6.5, x2: x + 14, y2: y + 6.5,
          ...(item.kind === "outline" ? {stroke: colour, line: 2} : {fill: colour})}));
      }
    });
    return {marks: made, height: y + ROW / 2 + 4};
  }

  // Drawn -------------------------------------------------------------------------------------------------------------------

  function paint(ctx, marks) {
    ctx.textBaseline = "middle";
    for (const one of marks) {
      if (one.kind === "text") {
        ctx.font = font(SIZE, one.weight);
        ctx.textAlign = one.align ?? "left";
        ctx.fillStyle = one.fill;
        ctx.fillText(one.text, one.x, one.y);
      } else if (one.stroke) {
        ctx.strokeStyle = one.stroke;
        ctx.lineWidth = one.line;
        ctx.setLineDash(one.dash ?? []);
        ctx.strokeRect(one.x, one.y, Math.max(one.x2 - one.x, 0), Math.max(one.y2 - one.y, 0));
      } else {
        ctx.fillStyle = one.fill;
        ctx.fillRect(one.x, one.y, one.x2 - one.x, one.y2 - one.y);
      }
    }
  }

  const escaped = text => text.replace(/[&<>"]/g, letter => `&#${letter.charCodeAt(0)};`);
  const round = value => Math.round(100 * value) / 100;
  function svg(parts, width, height, background) {
    const made = parts.map(({marks, x, y, clip}, place) => {
      const inside = marks.map(one => one.kind === "text"
        ? `<text x="${round(one.x)}" y="${round(one.y)}" fill="${one.fill}" font-weight="${one.weight}" text-anchor="${one.align === "right" ? "end" : "start"}">${escaped(one.text)}</text>`
        : `<rect x="${round(one.x)}" y="${round(one.y)}" width="${round(Math.max(one.x2 - one.x, 0))}" height="${round(Math.max(one.y2 - one.y, 0))}" fill="${one.fill ?? "none"}"${one.stroke
          ? ` stroke="${one.stroke}" stroke-width="${one.line}"${one.dash ? ` stroke-dasharray="${one.dash}"` : ""}` : ""}/>`).join("");
      const cut = clip ? `<clipPath id="part-${place}"><rect width="${clip[0]}" height="${clip[1]}"/></clipPath>` : "";
      return `<g transform="translate(${x},${y})"${clip ? ` clip-path="url(#part-${place})"` : ""}>${cut}${inside}</g>`;
    });
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escaped(FONT)}" font-size="${SIZE}" dominant-baseline="central">`
      + `<rect width="${width}" height="${height}" fill="${background}"/>${made.join("")}</svg>`;
  }

  Object.assign(hierviz, {zoomScene: {Tree, boxes, labels, legend, paint, svg, MOST, FONT, SIZE}});
})();
