// What anywidget calls: the trait `threshold` and the handle follow each other.
async function render({ model, el }) {
  const place = document.createElement("div");
  place.className = "hierviz";
  el.append(place);
  const drawn = await hierviz.draw(place, model.get("_figure"), vegaEmbed, document, value => {
    model.set("threshold", value);
    model.save_changes();
  });
  const follow = () => drawn.set(model.get("threshold"));
  follow();
  model.on("change:threshold", follow);
  return () => { model.off("change:threshold", follow); drawn.end(); };
}
export default { render };
