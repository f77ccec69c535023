// What a rater opens or folds away stays so, on the next questionnaire of the survey too, while the tab is open.

const [, , survey] = location.pathname.split("/");

function read(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null; // browsers may refuse storage, in private windows for example
  }
}

function keep(key, value) {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // then it is as the page has it
  }
}

for (const fold of document.querySelectorAll("details.fold")) {
  const key = `fold/${survey}/${fold.id}`;
  const kept = read(key);
  if (kept) fold.open = kept === "open";
  fold.addEventListener("toggle", () => keep(key, fold.open ? "open" : "folded"));
}
