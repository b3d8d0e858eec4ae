// Streamlit closes its menu after a choice only on touch screens, and reopens it on every later visit of a user who opened it once.
const forget = () => {
  for (const key of Object.keys(localStorage)) if (key.startsWith("stSidebarCollapsed-")) localStorage.removeItem(key);
};
const narrow = () => innerWidth <= 768;
const pressed = (event) => {
  const found = (id) => event.target instanceof Element && event.target.closest(`[data-testid=${id}]`);
  if (found("stSidebarNavLink") && narrow())
    setTimeout(() => document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click(), 50);
  if (found("stSidebar") || found("stExpandSidebarButton")) setTimeout(forget, 200);
};
// A card of a sample is its link or button, whatever of it is pressed.
const followed = (event) => {
  const card = event.target instanceof Element && event.target.closest("[class*=st-key-card-]");
  if (card && !event.target.closest("a, button")) card.querySelector("a, .stButton button")?.dispatchEvent(new MouseEvent("click", event));
};
// The place of the main picture, see `main_place` of figure.py; the browser reuses an element of one page for another.
const MAIN = "st-key-main-picture", marked = new Set();
const mark = () => {
  for (const one of marked) {
    if (one.isConnected && one.className.includes(MAIN)) continue;
    one.removeAttribute("data-hierviz");
    marked.delete(one);
  }
  for (const one of document.querySelectorAll(`[class*=${MAIN}]`)) {
    one.setAttribute("data-hierviz", "main");
    marked.add(one);
  }
};
export default function ({data}) {
  if (!window.hiervizMenu) {
    window.hiervizMenu = true;
    forget();
    document.addEventListener("click", pressed);
    document.addEventListener("click", followed);
    mark();
    new MutationObserver(mark).observe(document.body, {subtree: true, childList: true, attributeFilter: ["class"]});
  }
  if (data.greeted) document.cookie = `${data.greeted}=1; path=/; max-age=31536000; SameSite=Strict`;
}
