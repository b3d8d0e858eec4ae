// The living example on a page: mounts the module of the server, hears of another sample, and tells what was chosen once it is done.
const modules = new Map();
const load = name => {
  const url = new URL(`_hierviz/${name}`, document.baseURI).href;
  if (!modules.has(url)) modules.set(url, import(url));
  return modules.get(url);
};

export default function ({data, parentElement, setTriggerValue}) {
  // Streamlit calls this again whenever the data change, on the same element.
  parentElement.hierviz ??= new Living(parentElement);
  parentElement.hierviz.update(data, setTriggerValue);
  return () => {
    parentElement.hierviz?.end();
    parentElement.hierviz = null;
  };
}

class Living {
  constructor(root) {
    this.root = root;
    this.place = root.querySelector(".living");
    this.host = root.host ?? root;
    this.queue = Promise.resolve();
    this.records = new Map();
  }

  update(data, tell) {
    this.tell = tell;
    this.data = data;
    for (const record of [data.record, ...data.near]) this.records.set(record.id, record);
    while (this.records.size > 12) this.records.delete(this.records.keys().next().value);
    this.queue = this.queue.then(() => this.draw(data)).catch(error => {
      this.place.textContent = `The drawing cannot be shown: ${error.message}. Choose another drawing above.`;
    });
  }

  async draw(data) {
    if (data !== this.data) return;
    if (!this.ladder) {
      const {hierviz, vegaEmbed} = await load(data.module);
      this.ladder = await hierviz.ladder(this.place, {
        spec: data.spec, record: data.record, embed: vegaEmbed, look: () => this.look(), tell: state => this.told(state),
      });
      this.shown = data.mark;
    } else if (data.mark !== this.shown) {
      this.shown = data.mark;
      await this.ladder.update(data.record);
    } else await this.ladder.fit();
  }

  look() {
    const top = Math.min(this.place.getBoundingClientRect().top + 44, 180);
    return {dark: this.data.dark, width: this.place.clientWidth, height: Math.max(innerHeight - top - 16, 420)};
  }

  told(state) {
    this.tell("chosen", {...state, sample: this.ladder.record.id});
  }

  end() {
    this.ladder?.end();
  }
}
