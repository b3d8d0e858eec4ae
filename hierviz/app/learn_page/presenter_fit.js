export default function ({data}) {
  const room = () => document.querySelector("[data-testid=stMain]");
  let asked = 0;
  const fit = () => {
    asked = 0;
    const slide = document.querySelector(".st-key-lesson"), main = room();
    if (!slide || !main) return;
    let low = 0.3, high = Math.max(innerWidth / data.screen, low);
    const fits = (zoom) => {
      slide.style.zoom = zoom;
      return main.scrollHeight <= main.clientHeight;
    };
    if (fits(high)) return;
    while (high - low > 0.01) {
      const middle = (low + high) / 2;
      if (fits(middle)) low = middle;
      else high = middle;
    }
    fits(low);
  };
  const ask = () => { asked ||= requestAnimationFrame(fit); };
  const watch = new MutationObserver(ask);
  if (room()) watch.observe(room(), {childList: true, subtree: true, characterData: true});
  addEventListener("resize", ask);
  ask();
  return () => {
    watch.disconnect();
    removeEventListener("resize", ask);
    document.querySelector(".st-key-lesson")?.style.removeProperty("zoom");
  };
}
