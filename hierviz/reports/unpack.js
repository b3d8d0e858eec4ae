"use strict";
const hierviz = {
  // What `packed` of hierviz.charts made, by name; unpacked once.
  found: new Map(),
  unpack(name) {
    if (!hierviz.found.has(name)) {
      hierviz.found.set(name, (async () => {
        const text = document.getElementById("packed-" + name).textContent;
        const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
        return JSON.parse(await new Response(stream).text());
      })());
    }
    return hierviz.found.get(name);
  },
  // Call once for each element that comes near the window.
  whenSeen(elements, call) {
    const watcher = new IntersectionObserver(entries => {
      for (const entry of entries) if (entry.isIntersecting) { watcher.unobserve(entry.target); call(entry.target); }
    }, {rootMargin: "400px"});
    for (const element of elements) watcher.observe(element);
  },
  // An element with text, never with markup of names.
  make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...children.filter(child => child !== null));
    return element;
  },
};
