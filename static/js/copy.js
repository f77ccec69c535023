// A button beside a read-only field copies its value. Without scripts the field can be selected by hand.
const reveal = (root) => {
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = false;
};

async function copy(button) {
  const source = button.parentElement.querySelector("[data-copy-source]");
  const label = button.textContent;
  source.select();
  try {
    await navigator.clipboard.writeText(source.value);
  } catch {
    document.execCommand("copy"); // pages that are not served over HTTPS have no clipboard object
  }
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = label;
  }, 2000);
}

reveal(document);
document.addEventListener("refreshed", (event) => reveal(event.target));
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
});
