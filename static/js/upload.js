// A form with data-upload="Importing…" sends its files by itself: it shows how much of them has arrived, what
// is done then, and that the connection broke. Without this script the form is sent as any other.
const MEGABYTE = 1e6;
const BROKEN =
  "The files did not arrive, and nothing was stored: the connection broke, or a file has changed since you chose it. Choose the files again and send them once more.";

const inMegabytes = (bytes) => (bytes / MEGABYTE).toFixed(1);

// The answer is a page with what is wrong; it takes the place of this one.
const show = (request) => {
  const answer = new DOMParser().parseFromString(request.responseText, "text/html");
  document.title = answer.title;
  document.querySelector("main").replaceWith(answer.querySelector("main"));
  window.scrollTo(0, 0);
  document.querySelector("main").focus({ preventScroll: true });
  start();
  document.dispatchEvent(new Event("page:replaced"));
};

const isAddress = (request) => request.getResponseHeader("Content-Type")?.startsWith("application/json");

const follow = (request, form) => {
  if (isAddress(request)) window.location.assign(JSON.parse(request.responseText).address);
  else if (request.responseURL === form.action) show(request);
  else window.location.assign(request.responseURL); // somebody logged out meanwhile
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
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.max = total;
      bar.value = loaded;
      share.textContent = `${inMegabytes(loaded)} of ${inMegabytes(total)} MB sent`;
    });
    request.upload.addEventListener("load", () => {
      bar.removeAttribute("value");
      status.textContent = form.dataset.uploadThen;
    });
    request.addEventListener("load", () => follow(request, form));
    request.addEventListener("error", () => {
      work(false);
      status.textContent = BROKEN;
    });
    request.open("POST", form.action);
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
