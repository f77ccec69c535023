// Keeps an element with data-refresh="URL" up to date while the page is in view: every five seconds, or as
// often as data-refresh-every says (0: never by itself). data-refresh-at-once fetches what the page came
// without, and then everything else once, since other parts may speak of it. While something in it bears
// data-awaited, it is fetched every five seconds whatever its period; the answer 204 says that nothing changed.
const PERIOD_S = 5;
const later = [];
const firsts = [];

for (const element of document.querySelectorAll("[data-refresh]")) {
  const refresh = async () => {
    // Neither while nobody looks nor under somebody's keyboard focus.
    if (document.hidden || element.contains(document.activeElement)) return;
    if (element.querySelector("details[open] form")) return; // somebody has opened it to write something
    if ([...element.querySelectorAll("input")].some((input) => input.value !== input.defaultValue)) return; // or has begun to
    try {
      const shown = element.querySelector("[data-version]")?.dataset.version ?? "";
      const headers = { Accept: "text/html", "Concord-Shown": shown };
      const response = await fetch(element.dataset.refresh, { headers });
      if (!response.ok || response.status === 204 || response.redirected) return;
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
  const whileAwaited = () => {
    if (element.querySelector("[data-awaited]")) setTimeout(() => refresh().then(whileAwaited), 1000 * PERIOD_S);
  };
  if ("refreshAtOnce" in element.dataset) firsts.push(refresh().then(whileAwaited));
  else if (!seconds) whileAwaited();
  if (!("refreshAtOnce" in element.dataset)) later.push(refresh);
  if (seconds) {
    setInterval(refresh, 1000 * seconds);
    document.addEventListener("visibilitychange", refresh);
  }
}

if (firsts.length) Promise.all(firsts).then(() => later.forEach((refresh) => refresh()));
