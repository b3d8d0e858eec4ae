"use strict";
// What `packed` of hierviz.charts made.
var hierviz = globalThis.hierviz ?? {};
globalThis.hierviz = hierviz;
hierviz.unpack = async text => {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};
