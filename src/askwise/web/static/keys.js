// Keys of all pages: an element with data-key="name" is pressed by the key that the visitor has for that name.
"use strict";
(() => {
  const names = new Map(Object.entries(JSON.parse(document.body.dataset.keys || "{}")).map(([name, key]) => [key, name]));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return;
    const at = event.target;
    if (/^(TEXTAREA|SELECT)$/.test(at.tagName) || (at.tagName === "INPUT" && at.type !== "checkbox")) return;
    const name = names.get(event.key.toLowerCase());
    const element = name && document.querySelector(`[data-key="${name}"]:not(:disabled)`);
    if (!element) return;
    event.preventDefault();
    if (element.tagName === "INPUT") element.focus();
    else element.click();
  });
})();
