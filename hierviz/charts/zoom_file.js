// What is zoomed into as a file: hierviz.zoomFile.svg(zoom, look) gives its text, saved(zoom, kind) gives it to the browser to keep.
(() => {
  const {boxes, labels, legend, paint, svg} = hierviz.zoomScene, {make} = hierviz, TITLE = 26, SCALE = 2;

  // What is shown, below the path to it: {width, height, parts}.
  function picture(zoom, look) {
    const {record, tree, cells, focus, at} = zoom, [width, height] = zoom.room, above = legend(record, width, look);
    const words = tree.path(focus).map(row => record.rows.name[row]).join(" › ");
    const title = {kind: "text", x: 0, y: TITLE / 2 - 2, text: words, fill: record.looks[look].ink, weight: "600"};
    const marks = [...boxes(tree, cells, look), ...labels(tree, cells, look, {width, height, focus, at: at !== focus ? at : 0})];
    return {width, height: height + above.height + TITLE, parts: [
      {marks: [title], x: 0, y: 0}, {marks: above.marks, x: 0, y: TITLE}, {marks, x: 0, y: TITLE + above.height, clip: [width, height]},
    ]};
  }

  function text(zoom, look) {
    const {width, height, parts} = picture(zoom, look);
    return svg(parts, width, height, zoom.record.looks[look].background);
  }

  function drawn(zoom) {
    const look = zoom.look_now, {width, height, parts} = picture(zoom, look), canvas = make("canvas"), ctx = canvas.getContext("2d");
    Object.assign(canvas, {width: width * SCALE, height: height * SCALE});
    ctx.setTransform(SCALE, 0, 0, SCALE, 0, 0);
    ctx.fillStyle = zoom.record.looks[look].background;
    ctx.fillRect(0, 0, width, height);
    for (const part of parts) {
      ctx.save();
      ctx.translate(part.x, part.y);
      if (part.clip) { ctx.beginPath(); ctx.rect(0, 0, ...part.clip); ctx.clip(); }
      paint(ctx, part.marks);
      ctx.restore();
    }
    return canvas;
  }

  function saved(zoom, kind) {
    const of = zoom.focus ? `-${zoom.key_of(zoom.focus).replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60)}` : "";
    const give = blob => {
      const link = make("a", {href: URL.createObjectURL(blob), download: `${zoom.record.file}${of}.${kind}`});
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    };
    if (kind === "svg") give(new Blob([text(zoom, zoom.look_now)], {type: "image/svg+xml"}));
    else drawn(zoom).toBlob(give);
  }

  hierviz.zoomFile = {svg: text, saved};
})();
