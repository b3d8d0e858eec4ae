// What anywidget calls for an example: the traits follow what is chosen in the drawing, and the drawing follows them.
async function render({ model, el }) {
  const place = document.createElement("div");
  place.className = "hierviz";
  el.append(place);
  const {ladder, end} = await hierviz.draw(place, model.get("_figure"), vegaEmbed, document, state => {
    model.set("model", state.key);
    model.set("rule", state.rule);
    if (state.parameter) model.set(state.parameter, state.value);
    model.save_changes();
  });
  const names = ["model", "rule", "threshold", "lam", "bits"];
  const follow = () => {
    for (const name of names.slice(2)) ladder.values[name] = model.get(name);
    ladder.state.model = ladder.record.models.findIndex(one => one.key === model.get("model"));
    ladder.state.rule = model.get("rule");
    const {from, to} = ladder.steps()[0];
    if (ladder.parameter) ladder.state.value = Math.min(Math.max(ladder.values[ladder.parameter], from), to);
    ladder.draw();
  };
  follow();
  for (const name of names) model.on(`change:${name}`, follow);
  return () => { for (const name of names) model.off(`change:${name}`, follow); end(); };
}
export default { render };
