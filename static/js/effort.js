// Shows what the fields filled in so far ask of raters, and the documents found. Without scripts buttons do so.
const form = document.querySelector("[data-effort-url]");
const DELAY_MS = 300;
let timer = 0;
let latest = 0;

async function update() {
  const request = ++latest;
  const response = await fetch(form.dataset.effortUrl, { method: "POST", body: new FormData(form) });
  if (!response.ok || request !== latest) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of page.querySelectorAll("[data-part]")) show(part);
}

// A list that is drawn anew keeps the focus on the document that was ticked.
function show(part) {
  const place = form.querySelector(`[data-part="${part.dataset.part}"]`);
  const focused = place.contains(document.activeElement) ? document.activeElement.value : null;
  place.replaceChildren(...part.childNodes);
  if (focused !== null) place.querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => update().catch(() => {}), DELAY_MS);
});
form.elements.find.addEventListener("keydown", (event) => {
  if (event.key === "Enter") event.preventDefault();
});
for (const button of form.querySelectorAll("[value=estimate], [value=find]")) button.hidden = true;
