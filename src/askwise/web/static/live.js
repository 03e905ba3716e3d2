// The owner's pages update themselves: when the project has changed, the parts marked data-live are fetched again.
"use strict";
(() => {
  const EVERY = 1500;       // milliseconds between checks, at least
  const SHARE = 10;         // a page that takes long to make is fetched less often
  let wait = EVERY;
  let version = document.body.dataset.version;

  async function look() {
    const answer = await fetch("/live", { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const now = String((await answer.json()).version);
    if (now === version) return;
    const begin = performance.now();
    const page = await fetch(location.href);
    if (!page.ok) return;
    const fresh = new DOMParser().parseFromString(await page.text(), "text/html");
    wait = Math.max(EVERY, SHARE * (performance.now() - begin));
    for (const old of document.querySelectorAll("[data-live]")) {
      const part = fresh.getElementById(old.id);
      // A part that the visitor is in (a form, a link with the focus, boxes that are ticked) stays until they leave it.
      const used = old.contains(document.activeElement) || old.querySelector("input[type=checkbox]:checked");
      if (part && !used && part.innerHTML !== old.innerHTML) old.replaceWith(part);
    }
    if (!fresh.querySelector("[data-soon]")) version = now; // otherwise something is still to come
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  });
  const tick = () => (document.hidden ? Promise.resolve() : look().catch(() => {})).then(() => setTimeout(tick, wait));
  setTimeout(tick, EVERY);
})();
