// A menu is a details element and works without scripts; here Escape and a click elsewhere close it.
for (const menu of document.querySelectorAll("details.menu")) {
  const summary = menu.querySelector("summary");
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    summary.focus();
  });
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
}
