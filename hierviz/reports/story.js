(() => {
  // One step at a time, by buttons and arrow keys; without JavaScript all steps stand one below the other.
  const player = document.getElementById("story-player");
  if (!player) return;
  const steps = [...player.querySelectorAll(".step")], place = player.querySelector(".story-place");
  const [back, on] = player.querySelectorAll("[data-go]"), screen = player.querySelector("[data-screen]");
  let at = 0;
  player.classList.add("playing");
  const show = to => {
    at = Math.min(Math.max(to, 0), steps.length - 1);
    steps.forEach((step, i) => { step.hidden = i !== at; });
    place.textContent = `${at + 1} of ${steps.length}`;
    place.setAttribute("aria-live", "polite");
    back.disabled = at === 0;
    on.disabled = at === steps.length - 1;
    player.scrollTop = 0;
  };
  back.addEventListener("click", () => show(at - 1));
  on.addEventListener("click", () => show(at + 1));
  screen.hidden = !player.requestFullscreen;
  screen.addEventListener("click", () => document.fullscreenElement ? document.exitFullscreen() : player.requestFullscreen());
  document.addEventListener("fullscreenchange", () => {
    screen.textContent = document.fullscreenElement ? "Leave full screen" : "Full screen";
  });
  player.addEventListener("click", event => {
    if (event.target instanceof Element && event.target.closest(".more a") && document.fullscreenElement) document.exitFullscreen();
  });
  document.addEventListener("keydown", event => {
    const by = {ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1}[event.key];
    if (!by || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const box = player.getBoundingClientRect(), isSeen = box.top < innerHeight * 0.7 && box.bottom > innerHeight * 0.3;
    if (!document.fullscreenElement && (!isSeen || event.key.startsWith("Page"))) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea, [role=slider]")) return;
    event.preventDefault();
    show(at + by);
  });
  const named = /^#story-([0-9]+)$/.exec(location.hash);
  show(named ? Number(named[1]) - 1 : 0);
})();
