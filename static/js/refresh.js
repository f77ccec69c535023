// Keeps an element with data-refresh="URL" up to date while the page is in view: every five seconds, or as
// often as data-refresh-every says (0: never by itself). data-refresh-at-once fetches what the page came
// without, and then everything else once, since other parts may speak of it. While something in it bears
// data-awaited, it is fetched every five seconds whatever its period; the answer 204 says that nothing changed.
// An element bears data-tried once its first attempt has ended, and data-refreshed once it has been replaced.
const PERIOD_S = 5;
const later = [];
const firsts = [];

// Somebody's keyboard focus is in it, or a form has been opened or begun to be filled in.
const isInUse = (element) =>
  element.contains(document.activeElement) ||
  element.querySelector("details[open] form") ||
  [...element.querySelectorAll("input")].some((input) => input.value !== input.defaultValue);

for (const element of document.querySelectorAll("[data-refresh]")) {
  const replace = async () => {
    if (document.hidden || isInUse(element)) return;
    try {
      const shown = element.querySelector("[data-version]")?.dataset.version ?? "";
      const headers = { Accept: "text/html", "Concord-Shown": shown };
      const response = await fetch(element.dataset.refresh, { headers });
      if (!response.ok || response.status === 204 || response.redirected) return;
      const text = await response.text();
      if (isInUse(element)) return; // somebody began to use it while it was fetched
      element.innerHTML = text;
      element.dataset.refreshed = "";
      element.dispatchEvent(new Event("refreshed", { bubbles: true }));
    } catch {
      // No connection: the time stated beside the numbers says how old they are.
    }
  };
  const refresh = () => replace().then(() => (element.dataset.tried = ""));
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
