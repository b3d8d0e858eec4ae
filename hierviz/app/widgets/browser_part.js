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
export default function ({data}) {
  if (!window.hiervizMenu) {
    window.hiervizMenu = true;
    forget();
    document.addEventListener("click", pressed);
  }
  if (data.greeted) document.cookie = `${data.greeted}=1; path=/; max-age=31536000; SameSite=Strict`;
}
