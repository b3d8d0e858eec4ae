(() => {
  // Examples whose threshold, rule and model can be changed. What all of them share is there once; their pictures are those of the page.
  const isDark = matchMedia("(prefers-color-scheme: dark)"), ROOM = 560;
  const places = [...document.querySelectorAll("[data-ladder]")];
  const unpacked = new Map();
  async function read(place) {
    const shared = await hierviz.named("ladder"), own = await hierviz.named(place.dataset.ladder);
    const {ask, ...record} = own, found = {spec: shared.spec, record: {...shared.tables, ...record}, ask};
    unpacked.set(place, found);
    return found;
  }
  const withPicture = (record, picture) => ({...record, sample: record.sample.map(one => ({...one, picture}))});
  async function draw(place) {
    const {spec, record, ask} = await read(place), picture = place.closest(".example, .step").querySelector("img")?.src ?? null;
    place.replaceChildren();
    const look = () => ({dark: isDark.matches, width: place.clientWidth, height: ROOM});
    place.hierviz = await hierviz.ladder(place, {spec, record: withPicture(record, picture), embed: vegaEmbed, look});
    // What is asked stands next to no answer: where the heading of a sample can hide its own.
    if (!place.closest(".example")) return;
    const press = () => {
      const is_on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", is_on);
      place.hierviz.update({...withPicture(record, picture), ...(is_on ? {ask} : {})}, place.hierviz.state);
    };
    const button = hierviz.make("button", {type: "button", class: "ask-first", "aria-pressed": "false", onclick: press}, "Ask first");
    place.before(button);
  }
  hierviz.whenSeen(places, draw);
  isDark.addEventListener("change", () => places.forEach(place => place.hierviz?.fit()));
  hierviz.beforePaper.push(async () => { for (const place of places) if (!unpacked.has(place)) await read(place); });
  // Paper: light, with the model, rule and threshold that are shown. The picture of the sample stands above.
  hierviz.onPaper.ladder = place => {
    if (!unpacked.has(place)) return;
    const {spec, record} = unpacked.get(place), state = place.hierviz?.state ?? record.start;
    const shown = hierviz.filled(spec, withPicture(record, null), {dark: false, width: 900, room: 520, ...state});
    const rule = record.rules.find(one => one.key === state.rule).label;
    hierviz.drawOnPaper(place, shown, {mode: "vega"}, `${record.models[state.model].name}, rule ${rule}`);
  };
})();
