// A taxonomy on a page that one zooms into: mounts the module of the server, and tells the server what was chosen once the drawing
// has moved. What the server then says of the class is what is shown already.
export default options => mounted(root => new Zooming(root), options);

class Zooming extends Mounted {
  constructor(root) {
    super(root.querySelector(".zooming"));
  }

  update(data, tell) {
    Object.assign(this, {data, tell});
    this.container.style.opacity = "";
    this.run(() => this.show());
  }

  async show() {
    const {record, of, name, sentence, act, module} = this.data, {hierviz} = await load(module);
    if (!this.zoom) {
      this.zoom = hierviz.zoom(this.place, {
        record: await hierviz.unpack(record), start: name, sentence, act, look: () => this.look(), tell: told => this.say(told),
      });
    } else {
      // Until the server has heard of what was chosen here, what it says is late.
      if (performance.now() > this.until) this.told = null;
      const isAnswer = this.told && (this.told.name === name || this.told.focus === name), stays = Boolean(this.told);
      if (isAnswer) this.told = null;
      if (of !== this.of) this.zoom.update(await hierviz.unpack(record), stays ? this.zoom.shown : name);
      else {
        if (!stays) this.zoom.show(name);
        this.zoom.fit();
      }
    }
    this.of = of;
  }

  // What Streamlit pales while the server has not answered.
  get container() { return this.place.getRootNode().host?.closest("[data-stale]") ?? this.place; }

  look() {
    const figure = this.place.querySelector(".zoom-figure"), said = this.place.querySelector(".zoom-said");
    const height = Math.max(this.room(figure, 400) - (said?.offsetHeight ?? 0), 420);
    return {dark: this.data.dark, width: this.place.clientWidth, height: Math.round(height)};
  }

  say(told) {
    this.told = told;
    this.until = performance.now() + 5000;
    // The picture is not late: the server is.
    this.container.style.opacity = "1";
    // Of several in a moment the last one counts; the drawing has moved by then.
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.tell("chosen", told), told.act ? 0 : 320);
  }

  end() {
    this.stop.abort();
    this.zoom?.end();
  }
}
