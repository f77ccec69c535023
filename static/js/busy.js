// A form with data-busy="Working…" shows that it works and cannot be sent twice by a double click.
for (const form of document.querySelectorAll("form[data-busy]")) {
  const button = form.querySelector("button:not([type=button])");
  const hint = form.querySelector("[data-busy-hint]");
  const label = button.textContent;

  const show = (busy) => {
    button.setAttribute("aria-busy", String(busy));
    button.setAttribute("aria-disabled", String(busy));
    button.textContent = busy ? form.dataset.busy : label;
    if (hint) hint.hidden = !busy;
  };

  form.addEventListener("submit", (event) => {
    if (button.getAttribute("aria-busy") === "true") event.preventDefault();
    else show(true);
  });
  // Coming back with the back button shows the page as it was left.
  window.addEventListener("pageshow", () => show(false));
}
