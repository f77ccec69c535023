// Times come in the site's zone, with its name; here they are put in the reader's own, with its name.
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });
const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });

function translate(root) {
  for (const element of root.querySelectorAll("time[data-moment]")) {
    const moment = new Date(element.dateTime);
    const name = zone.formatToParts(moment).find((part) => part.type === "timeZoneName");
    element.textContent = `${day.format(moment)}, ${time.format(moment)} (${name.value})`;
  }
}

translate(document);
document.addEventListener("refreshed", (event) => translate(event.target));
