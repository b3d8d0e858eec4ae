// The record of a taxonomy that is zoomed into, apart from what changes with each choice: Streamlit sends a part of a page again
// as soon as any of its data change.
export default ({data}) => {
  (window.hierviz_zoom ??= {})[data.key] = data;
  window.dispatchEvent(new Event("hierviz-zoom"));
};
