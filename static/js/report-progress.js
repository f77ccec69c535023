// Keeps the progress of a report up to date, and opens the report once it is there.
// <section data-report-progress="URL">: the answer is the new content; "data-finished" in it ends the waiting.
const PERIOD_MS = 1500;

const section = document.querySelector("[data-report-progress]");

const update = async () => {
  if (document.hidden) return;
  try {
    const response = await fetch(section.dataset.reportProgress, { headers: { Accept: "text/html" } });
    if (!response.ok || response.redirected) return;
    section.innerHTML = await response.text();
    if (section.querySelector("[data-finished]")) window.location.reload();
  } catch {
    // No connection: the next try may have one.
  }
};

setInterval(update, PERIOD_MS);
document.addEventListener("visibilitychange", update);
