// What parts of a page that the server's module draws begin with: the module, acts one after the other, and the room there is.
const modules = new Map();
const load = name => {
  const url = new URL(`_hierviz/${name}`, document.baseURI).href;
  if (!modules.has(url)) modules.set(url, import(url));
  return modules.get(url);
};

class Mounted {
  constructor(place) {
    this.place = place;
    this.queue = Promise.resolve();
    this.stop = new AbortController();
  }

  run(act) {
    this.queue = this.queue.then(act).catch(error => {
      this.place.textContent = `The drawing cannot be shown (${error.message}). Choose another drawing above.`;
    });
  }

  get scrolled() { return document.querySelector("[data-testid=stMain]")?.scrollTop ?? 0; }

  // Pixels of what is above a part of the place, inside of it.
  above(inside) { return inside ? inside.getBoundingClientRect().top - this.place.getBoundingClientRect().top : 0; }

  // What is above the drawing takes some of its room; where the page is scrolled makes no difference.
  room(inside, most = 240) {
    return innerHeight - Math.min(this.place.getBoundingClientRect().top + this.scrolled, most) - this.above(inside) - 16;
  }
}

// Streamlit calls a component again whenever the data change, on the same element.
const mounted = (make, {data, parentElement, setTriggerValue}) => {
  parentElement.hierviz ??= make(parentElement);
  parentElement.hierviz.update(data, setTriggerValue);
  return () => {
    parentElement.hierviz?.end();
    parentElement.hierviz = null;
  };
};
