// Keeps an element with data-refresh="URL" up to date while the page is in view: every five seconds, or as
// often as data-refresh-every says (0: never by itself). data-refresh-at-once fetches what the page came
// without, and then everything else once, since other parts may speak of it.
const PERIOD_S = 5;
const later = [];
const firsts = [];

for (const element of document.querySelectorAll("[data-refresh]")) {
  const refresh = async () => {
    // Neither while nobody looks nor under somebody's keyboard focus.
    if (document.hidden || element.contains(document.activeElement)) return;
    try {
      const response = await fetch(element.dataset.refresh, { headers: { Accept: "text/html" } });
      if (!response.ok || response.redirected) return;
      const text = await response.text();
      if (element.contains(document.activeElement)) return; // somebody began to use it while it was fetched
      element.innerHTML = text;
      element.dataset.refreshed = "";
      element.dispatchEvent(new Event("refreshed", { bubbles: true }));
    } catch {
      // No connection: the time stated beside the numbers says how old they are.
    }
  };
  const seconds = Number(element.dataset.refreshEvery ?? PERIOD_S);
  if ("refreshAtOnce" in element.dataset) firsts.push(refresh());
  else later.push(refresh);
  if (seconds) {
    setInterval(refresh, 1000 * seconds);
    document.addEventListener("visibilitychange", refresh);
  }
}

if (firsts.length) Promise.all(firsts).then(() => later.forEach((refresh) => refresh()));
