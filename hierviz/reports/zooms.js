(() => {
  // Taxonomies that one zooms into.
  const isDark = matchMedia("(prefers-color-scheme: dark)"), places = [...document.querySelectorAll("[data-zoom]")], unpacked = new Map();
  async function read(place) {
    if (!unpacked.has(place)) unpacked.set(place, await hierviz.named(place.dataset.zoom));
    return unpacked.get(place);
  }
  const mounted = (place, {zoom: record, start, sentence}, look) => hierviz.zoom(place, {record, start, sentence, look});
  async function draw(place) {
    const figure = await read(place), {room: height} = figure;
    place.hierviz = mounted(place, figure, () => ({dark: isDark.matches, width: place.clientWidth, height}));
  }
  hierviz.whenSeen(places, draw);
  isDark.addEventListener("change", () => places.forEach(place => place.hierviz?.fit()));
  hierviz.beforePaper.push(async () => { for (const place of places) await read(place); });
  // Paper: light, as it is zoomed.
  hierviz.onPaper.zoom = place => {
    const figure = unpacked.get(place);
    if (!figure) return;
    const start = place.hierviz?.shown ?? figure.start;
    const drawn = mounted(hierviz.make("div"), {...figure, start}, () => ({dark: false, width: 900, height: 520}));
    const paper = hierviz.make("div", {class: "paper"});
    paper.innerHTML = drawn.svg();
    drawn.end();
    place.parentElement.after(paper);
  };
})();
