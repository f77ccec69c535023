// What a rater opens or folds away stays so, on the next questionnaire of the survey too, while the tab is open.

import { keep, readKept } from "./kept.js";

const [, , survey] = location.pathname.split("/");

for (const fold of document.querySelectorAll("details.fold")) {
  const key = `fold/${survey}/${fold.id}`;
  const kept = readKept(key, "sessionStorage");
  if (kept) fold.open = kept === "open";
  fold.addEventListener("toggle", () => keep(key, fold.open ? "open" : "folded", "sessionStorage"));
}
