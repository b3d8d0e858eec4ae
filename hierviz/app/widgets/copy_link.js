// Browsers offer the clipboard only on pages from this machine and over https.
export default function ({data, parentElement, setTriggerValue}) {
  const button = parentElement.querySelector("button"), words = button.querySelector("span");
  const note = parentElement.querySelector("p"), file = parentElement.querySelector(".file");
  button.title = data.help;
  const copied = async (text) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* below */ }
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    button.focus();
    return done;
  };
  button.onclick = async () => {
    const address = new URL(location.href);
    // If nothing is left out, the address stays unchanged.
    for (const name of data.drop) if (address.searchParams.has(name)) address.searchParams.delete(name);
    words.textContent = (await copied(address.href)) ? "Link copied" : "Copy the address of the page";
    button.classList.add("done");
    note.querySelector("span").textContent = data.reach;
    note.hidden = !data.reach;
    setTimeout(() => { words.textContent = "Copy link"; button.classList.remove("done"); }, 2500);
    clearTimeout(note.waiting);
    note.waiting = setTimeout(() => { note.hidden = true; }, data.file ? 30000 : 12000);
  };
  file.textContent = data.file;
  file.hidden = !data.file;
  file.onclick = () => { note.hidden = true; setTriggerValue("file", true); };
}
