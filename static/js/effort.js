// Shows what the numbers entered so far ask of raters. Without scripts a button does the same.
const form = document.querySelector("[data-effort-url]");
const target = form.querySelector("[data-effort]");
const DELAY_MS = 300;
let timer = 0;
let latest = 0;

async function update() {
  const request = ++latest;
  const fields = new FormData(form);
  fields.delete("csrfmiddlewaretoken");
  fields.delete("instructions");
  const response = await fetch(`${form.dataset.effortUrl}&${new URLSearchParams(fields)}`);
  if (response.ok && request === latest) target.innerHTML = await response.text();
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => update().catch(() => {}), DELAY_MS);
});
form.querySelector("[value=estimate]").hidden = true;
