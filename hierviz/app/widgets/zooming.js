// A taxonomy on a page that one zooms into: mounts the module of the server, and tells the server what was chosen once the drawing
// has moved. What the server then says of the class is what is shown already.
export default options => mounted(root => new Zooming(root), options);

class Zooming extends Mounted {
  constructor(root) {
    super(root.querySelector(".zooming"));
    this.count = 0;
  }

  update(data, tell) {
    Object.assign(this, {data, tell});
    this.container.style.opacity = "";
    // What waits for another record may have it: of two messages the record's may come first.
    dispatchEvent(new Event("hierviz-zoom"));
    this.run(() => this.show());
  }

  async show() {
    const {hierviz} = await load(this.data.module), record = await this.record();
    const {of, name, sentence, act, heard} = this.data;
    if (!this.zoom) {
      this.count = heard;
      this.zoom = hierviz.zoom(this.place, {
        record: await hierviz.unpack(record), start: name, sentence, act, look: () => this.look(), tell: told => this.say(told),
      });
    } else {
      // Until the server has heard of the last choice, what it says is late.
      const isLate = heard < this.count;
      // The answer to a choice is what is shown, or is zoomed into; another name is that of a button or of the address.
      const {zoom} = this, isShown = isLate || (heard > this.heard ? [zoom.shown, zoom.zoomed].includes(name) : name === this.name);
      if (of !== this.of) zoom.update(await hierviz.unpack(record), isShown ? zoom.shown : name);
      else {
        if (!isShown) zoom.show(name);
        zoom.fit();
      }
      this.of = of;
      if (isLate) return;
    }
    Object.assign(this, {of, name, heard});
  }

  // What zoom_record.js has of the data as they are now, once it has it.
  async record() {
    for (;;) {
      const kept = window.hierviz_zoom?.[this.data.key];
      if (kept?.of === this.data.of) return kept.record;
      await new Promise(done => addEventListener("hierviz-zoom", done, {once: true, signal: this.stop.signal}));
    }
  }

  // What Streamlit pales while the server has not answered.
  get container() { return this.place.getRootNode().host?.closest("[data-stale]") ?? this.place; }

  look() {
    const figure = this.place.querySelector(".zoom-figure"), said = this.place.querySelector(".zoom-said");
    const height = Math.max(this.room(figure, 400) - (said?.offsetHeight ?? 0), 420);
    return {dark: this.data.dark, width: this.place.clientWidth, height: Math.round(height)};
  }

  say(told) {
    this.count += 1;
    // The picture is not late: the server is.
    this.container.style.opacity = "1";
    // Of several in a moment the last one counts; the drawing has moved by then.
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.tell("chosen", {...told, n: this.count}), told.act ? 0 : 320);
  }

  end() {
    this.stop.abort();
    this.zoom?.end();
  }
}
