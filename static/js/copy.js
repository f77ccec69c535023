// A button beside a read-only field copies its value. Without scripts the field can be selected by hand.
for (const button of document.querySelectorAll("[data-copy]")) {
  const source = button.parentElement.querySelector("[data-copy-source]");
  const label = button.textContent;
  button.hidden = false;

  button.addEventListener("click", async () => {
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
  });
}
