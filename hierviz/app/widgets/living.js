// The living example on a page: mounts the module of the server, shows the sample before or after without waiting for it, and
// tells the server what was chosen once that is done.
const STEPS = {"next-sample": 1, "previous-sample": -1};

export default options => mounted(root => new Living(root), options);

class Living extends Mounted {
  constructor(root) {
    super(root.querySelector(".living"));
    // The buttons, which the keys press too: the drawing does not wait for the server, which is told where a press leads. Of
    // several presses of a button in a moment it would get one.
    document.addEventListener("click", event => {
      const button = event.target instanceof Element && event.target.closest("button:not([disabled])");
      const key = button && Object.keys(STEPS).find(one => button.closest(`.st-key-${one}`));
      if (!key || !this.step(STEPS[key])) return;
      event.preventDefault();
      event.stopPropagation();
    }, {signal: this.stop.signal, capture: true});
  }

  update(data, tell) {
    this.tell = tell;
    this.data = data;
    // Until the server answers for the sample that was stepped to, what it says of former ones is late.
    const now = data.samples[0], isLate = this.wanted && this.wanted !== now && performance.now() < this.until;
    const place = isLate ? Object.keys(data.samples).find(one => data.samples[one] === this.wanted) : undefined;
    if (place !== undefined) this.place_of = +place;
    else {
      this.wanted = null;
      this.place_of = 0;
      this.run(() => this.show(now));
    }
  }

  step(by) {
    const place = (this.place_of ?? 0) + by, id = this.data.samples[place];
    if (id === undefined || !this.ladder) {
      // The record of a sample that is not here yet comes from the server, which the button tells.
      this.wanted = null;
      return false;
    }
    this.place_of = place;
    this.wanted = id;
    this.until = performance.now() + 5000;
    this.run(async () => {
      await this.show(id);
      if (this.wanted === id) this.ladder.told();
    });
    return true;
  }

  async show(id) {
    const {module, dark} = this.data, packed = this.data.records[id];
    const {hierviz, vegaEmbed} = await load(module);
    const mark = `${id} ${this.data.of}`;
    if (this.ladder) this.ladder.can = this.data.can;
    if (!this.ladder) {
      const [spec, record] = await Promise.all([hierviz.unpack(this.data.spec), hierviz.unpack(packed)]);
      this.ladder = await hierviz.ladder(this.place, {
        spec, record, embed: vegaEmbed, look: () => this.look(), tell: state => this.say(state), can: this.data.can,
      });
    } else if (mark !== this.shown) {
      const record = await hierviz.unpack(packed), {state} = this.ladder;
      const model = record.models.findIndex(one => one.key === this.ladder.record.models[state.model].key);
      const isOffered = model >= 0 && record.rules.some(one => one.key === state.rule);
      const {start} = record, {told} = this;
      const isAnswer = told && told.change === undefined && start.rule === told.rule && start.model === model && Math.abs(start.value - told.value) < 1e-9;
      if (isAnswer || (told && performance.now() > told.until)) this.told = null;
      // What was chosen here stays until the server knows of it; what it chose itself is shown.
      const stays = isOffered && (this.wanted || isAnswer || this.told);
      await this.ladder.update(record, stays ? {...state, model} : {});
    } else await this.ladder.fit();
    this.shown = mark;
  }

  look() {
    const figure = this.place.querySelector(".ladder-figure");
    const height = this.data.share ? this.shared(this.scrolled, this.above(figure)) : Math.max(this.room(figure), 420);
    return {dark: this.data.dark, width: this.place.clientWidth, height: Math.round(height)};
  }

  // Of several drawings one below the other, which are in a place together: what the window leaves below its top.
  shared(scrolled, above) {
    const place = this.place.closest("[class*=st-key-main-picture]");
    const top = place ? place.getBoundingClientRect().top + scrolled : 240;
    return Math.max((innerHeight - Math.min(top, 300) - 24) * this.data.share - above - 8, 200);
  }

  say(state) {
    this.told = {...state, until: performance.now() + 5000};
    // Of keys pressed one after the other the last one counts.
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.tell("chosen", {...state, sample: this.ladder.record.id}), 120);
  }

  end() {
    this.stop.abort();
    this.ladder?.end();
  }
}
