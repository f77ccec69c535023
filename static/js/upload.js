// A form with data-upload="Importing…" sends its files by itself: it shows how much of them has arrived, what
// is done then, and that the connection broke. Without this script the form is sent as any other.
const MEGABYTE = 1e6;
const BROKEN =
  "The files did not arrive, and nothing was stored: the connection broke, or a file has changed since you chose it. Choose the files again and send them once more.";
const BROKEN_LATE =
  "The connection broke after all files had been sent. They may have been stored: look at the list before you send them again.";

const inMegabytes = (bytes) => (bytes / MEGABYTE).toFixed(1);

const withoutPage = ({ status }) =>
  status === 413
    ? "The server refused the files as too large (status 413), and nothing was stored. Send smaller files, or ask the person who runs this site."
    : `The server answered with status ${status} and no page of this site. The files may have been stored, or not: look at the list before you send them again, and log in again if it asks you to.`;

// A fragment stands in the address of a page, but never in that of an answer.
const addressOf = (form) => {
  const address = new URL(form.action);
  address.hash = "";
  return address.href;
};

// The answer is a page with what is wrong; it takes the place of this one. Whether it was one.
const show = (request) => {
  const answer = new DOMParser().parseFromString(request.responseText, "text/html");
  const main = answer.querySelector("main#content");
  if (!main) return false;
  document.title = answer.title;
  document.querySelector("main").replaceWith(main);
  window.scrollTo(0, 0);
  main.focus({ preventScroll: true });
  start();
  document.dispatchEvent(new Event("page:replaced"));
  return true;
};

// Where the stored files are shown; nothing if the answer does not say so.
const addressIn = (request) => {
  if (!request.getResponseHeader("Content-Type")?.startsWith("application/json")) return undefined;
  try {
    return JSON.parse(request.responseText).address;
  } catch {
    return undefined;
  }
};

// Whether this page is left or replaced.
const follow = (request, form) => {
  const isRedirected = request.responseURL !== addressOf(form); // somebody logged out meanwhile
  const address = isRedirected ? request.responseURL : addressIn(request);
  if (address) window.location.assign(address);
  return Boolean(address) || show(request);
};

const watch = (form) => {
  const button = form.querySelector("button:not([type=button])");
  const progress = form.querySelector("[data-upload-progress]");
  const bar = progress.querySelector("progress");
  const share = progress.querySelector("[data-upload-share]");
  const status = form.querySelector("[data-upload-status]");
  const label = button.textContent;

  const work = (isBusy) => {
    button.setAttribute("aria-busy", String(isBusy));
    button.setAttribute("aria-disabled", String(isBusy));
    button.textContent = isBusy ? form.dataset.upload : label;
    progress.hidden = !isBusy;
  };

  const send = () => {
    const request = new XMLHttpRequest();
    let hasAllLeft = false;
    const stop = (message) => {
      work(false);
      status.textContent = message;
    };
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.max = total;
      bar.value = loaded;
      hasAllLeft = loaded === total;
      share.textContent = `${inMegabytes(loaded)} of ${inMegabytes(total)} MB sent`;
    });
    request.upload.addEventListener("load", () => {
      hasAllLeft = true;
      bar.removeAttribute("value");
      status.textContent = form.dataset.uploadThen;
    });
    request.addEventListener("load", () => follow(request, form) || stop(withoutPage(request)));
    request.addEventListener("error", () => stop(hasAllLeft ? BROKEN_LATE : BROKEN));
    request.open("POST", addressOf(form));
    request.setRequestHeader("X-Requested-With", "XMLHttpRequest");
    request.send(new FormData(form));
    status.textContent = "Sending the files. Keep this page open.";
    work(true);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (button.getAttribute("aria-busy") !== "true") send();
  });
  // Coming back with the back button shows the page as it was left.
  window.addEventListener("pageshow", () => work(false));
};

const start = () => document.querySelectorAll("form[data-upload]").forEach(watch);

start();
