// The worker's page with script: keys, the next question already there, no answer lost when the connection fails.
// Without it the same forms work, a page at a time.
"use strict";
(() => {
  const place = document.getElementById("place");
  const trouble = document.getElementById("trouble");
  const refused = document.getElementById("refused");
  const undo = document.querySelector(".undo");
  const TOO_SOON = 200;      // milliseconds in which no one can have read a question
  const keys = Object.fromEntries(Object.entries(JSON.parse(document.body.dataset.keys || "{}")).map(([name, key]) => [key, name]));
  const own = { yes: 1, no: 1, unsure: 1, undo: 1 };
  let ahead = null;          // the question after the one that is shown: a promise of its HTML
  let saving = Promise.resolve();
  let unsaved = 0;
  let shownAt = performance.now();
  let leaving = false;

  const task = () => place.querySelector("[data-task]")?.dataset.task ?? "";
  const pause = (ms) => new Promise((go) => setTimeout(go, ms));
  const part = (html) => new DOMParser().parseFromString(html, "text/html").querySelector("section");
  const say = (text) => {
    trouble.hidden = !text;
    trouble.querySelector("p").textContent = text;
  };

  function show(section) {
    section.classList.add("arriving");
    place.replaceChildren(section);
    document.title = section.querySelector("h1").textContent + document.title.slice(document.title.indexOf(" ·"));
    section.querySelector("h1").focus({ preventScroll: true });
    window.scrollTo(0, 0);
    shownAt = performance.now();
  }

  async function fetchPart(address, options) {
    const response = await fetch(address, { ...options, headers: { Accept: "text/x-part" }, redirect: "error" });
    if (response.status >= 500 || response.status === 429) throw new Error("busy");
    if (response.ok) return response.text();
    // The question is no longer ours or has another answer, or the link was revoked: to try again would not help.
    const said = await response.json().catch(() => ({}));
    throw Object.assign(new Error(said.detail || "the server refuses it"), { final: true });
  }

  // This message stays until the worker dismisses it, even if later answers are saved.
  function tell(text) {
    refused.querySelector("p").textContent = "One of your answers was not saved: " + text + ".";
    refused.hidden = false;
  }

  // A repeated request counts once, so a post is repeated until the server has said that it is saved, or refused it.
  async function insist(address, options) {
    for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
      try {
        const html = await fetchPart(address, options);
        say("");
        for (const tally of document.querySelectorAll(".tally")) tally.textContent = Number(tally.textContent) + 1;
        return html;
      } catch (error) {
        if (error.final) {
          say("");
          tell(error.message);
          return "";
        }
        say("Not saved yet: the server does not answer. Your answer is kept here and will be sent again.");
        await pause(wait);
      }
    }
  }

  // A question other than the one that is shown; "" if there is none to be had.
  const look = (address) => fetchPart(address).catch(() => "");
  const lookAhead = () => (task() ? look("/work/next?beside=" + encodeURIComponent(task())) : Promise.resolve(""));

  async function answer(form, value) {
    const data = new URLSearchParams(new FormData(form));
    data.set("answer", value);
    data.set("seconds", ((performance.now() - shownAt) / 1000).toFixed(2));
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    const next = part((await ahead) || "<i></i>");
    const post = () => insist("/work/answer", { method: "POST", body: data });
    unsaved += 1;
    if (next && next.dataset.task) {
      show(next);
      data.set("shown", task());
      ahead = saving = saving.then(post).then((html) => html || lookAhead());
    } else {
      const html = (await (saving = saving.then(post))) || (await look("/work"));
      if (html) show(part(html));
      ahead = lookAhead();
    }
    saving.then(() => { unsaved -= 1; });
  }

  place.addEventListener("submit", (event) => {
    event.preventDefault();
    answer(event.target, event.submitter.value);
  });
  undo.addEventListener("submit", async (event) => {
    if (leaving) return;
    event.preventDefault();
    leaving = true;
    await saving;
    undo.submit();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || leaving) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const name = keys[event.key.toLowerCase()];
    if (!own[name]) return;
    if (name === "undo") return undo.requestSubmit();
    if (performance.now() - shownAt < TOO_SOON) return;   // pressed for the question before
    place.querySelector(`button[value="${name}"]:not(:disabled)`)?.click();
  });
  window.addEventListener("beforeunload", (event) => {
    if (unsaved && !leaving) event.preventDefault();
  });
  refused.querySelector("button").addEventListener("click", () => { refused.hidden = true; });
  ahead = lookAhead();
})();
