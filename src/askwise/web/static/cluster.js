// A cluster's page with script: rows are dragged between groups, digits put ticked rows into a group, arrows move.
// Without it the same form works: every step of the draft is a page of the server's.
"use strict";
(() => {
  const form = document.getElementById("edit");
  const table = form?.querySelector("table.records");
  if (!table) return;
  let dragged = null;

  const ticked = () => [...table.querySelectorAll("input[name=tick]:checked")];
  const press = (value) => {
    const button = document.createElement("button");
    button.name = "do";
    button.value = value;
    button.hidden = true;
    form.append(button);
    form.requestSubmit(button);
  };
  // The server draws the groups: what it shows is what it will do.
  const put = (row, group) => {
    const own = row.querySelector("input[name=tick]");
    if (!own.checked) for (const tick of ticked()) tick.checked = false;   // a row that is ticked takes the others along
    own.checked = true;
    press("group:" + group);
  };

  for (const row of table.querySelectorAll("tr[data-record]")) {
    if (!row.querySelector("input[name=tick]")) continue;
    row.draggable = true;
    row.addEventListener("dragstart", (event) => {
      dragged = row;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", "");
      form.classList.add("dragging");
    });
    row.addEventListener("dragend", () => form.classList.remove("dragging"));
  }
  const target = (event) => event.target.closest?.("tbody[data-group], [data-into]");
  form.addEventListener("dragover", (event) => {
    if (dragged && target(event)) event.preventDefault();
  });
  form.addEventListener("drop", (event) => {
    const to = target(event);
    if (!dragged || !to) return;
    event.preventDefault();
    const group = to.dataset.group ?? to.dataset.into;
    if (dragged.closest("tbody").dataset.group !== group) put(dragged, group);
  });

  document.getElementById("to")?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;   // without script, the form's first button splits
    event.preventDefault();
    press(ticked().length ? "move" : "join");
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const box = event.target.matches?.("input[name=tick]");
    if (box && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const boxes = [...table.querySelectorAll("input[name=tick]")];
      const next = boxes[boxes.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)];
      if (next) {
        event.preventDefault();
        next.focus();
      }
    }
    if (!box && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    if (document.body.dataset.keys && /^[1-9]$/.test(event.key) && ticked().length) press("group:" + event.key);
  });
})();
