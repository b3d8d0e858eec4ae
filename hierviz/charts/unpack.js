"use strict";
// What all drawings begin with: what `packed` of hierviz.charts made is unpacked, and elements are made.
var hierviz = globalThis.hierviz ?? {};
globalThis.hierviz = hierviz;
hierviz.unpack = async text => {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};
// An element with text, never with markup of names; attributes that begin with "on" are called.
hierviz.make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child !== null));
  return element;
};
