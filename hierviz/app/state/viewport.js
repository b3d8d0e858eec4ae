export default function({data, setStateValue, parentElement}) {
    if (data.query && (!location.search || data.replaces))
        history.replaceState(history.state, "", location.pathname + "?" + data.query);
    const w = window.innerWidth, px = w < 640 ? 330 : w < 1000 ? 600 : w < 1300 ? 900 : w < 1800 ? 1200 : 1600;
    // Every message runs the page again.
    if (px !== data.px) setStateValue("px", px);
    const ink = getComputedStyle(parentElement.host ?? parentElement).getPropertyValue("--st-background-color");
    const [red, green, blue] = (ink.match(/[0-9a-f]{2}/gi) ?? []).map(part => parseInt(part, 16));
    const dark = red + green + blue < 384;
    if (blue !== undefined && dark !== data.dark) setStateValue("dark", dark);
}
