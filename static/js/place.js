// Another language brings another page: it is shown at the pair that was in view, as far down as it was.

import { keep, readKept } from "./kept.js";

const form = document.getElementById("rating-form");
const key = `place/${location.pathname}`;

function keepPlace({ submitter }) {
  if (submitter?.name !== "language") return;
  const tops = [...form.querySelectorAll("[data-item]")].map((item) => [item.id, item.getBoundingClientRect()]);
  const [id, place] = tops.find(([, { bottom }]) => bottom > 0) ?? [form.id, form.getBoundingClientRect()];
  keep(key, JSON.stringify([id, place.top]), "sessionStorage");
}

function showPlace() {
  const [id, top] = JSON.parse(readKept(key, "sessionStorage") || "[]");
  keep(key, "", "sessionStorage");
  const place = document.getElementById(id);
  if (place) window.scrollBy({ top: place.getBoundingClientRect().top - top, behavior: "instant" });
}

form.addEventListener("submit", keepPlace);
showPlace();
