// The rater's page, made quicker: each answer is sent as soon as it is given, digits rate the item in focus,
// and a missing item is pointed out before the form is sent. What could not be sent yet is kept in the browser,
// through reloads and restarts. Without this file the form works the same. What it says comes with the page, in
// the page's language.

import { isFree, pressedDigit } from "./digits.js";
import { keep, readKept } from "./kept.js";

const form = document.getElementById("rating-form");
const items = [...form.querySelectorAll("[data-item]")];
const status = form.querySelector("[data-status]");
const notice = form.querySelector("[data-missing]");
const submit = form.querySelector("[data-submit]");
const next = form.querySelector("[data-next]");
const bar = submit.parentElement;
const texts = JSON.parse(document.getElementById("rating-texts").textContent);
const csrf = form.querySelector("[name=csrfmiddlewaretoken]").value;

const RETRY_MS = 5000;
const SUBMIT_WAIT_MS = 4000;
const REACH_MS = 10000;
const REMARK_MS = 1000; // a remark is sent once its writer pauses
const MOST_AT_ONCE = 20; // answers in one request, as the site has it
const REMARK = "remark"; // its name among the answers, which no item's code is
const CODE = form.dataset.rateUrl.split("/").at(-3); // the assignment's
const KEPT = `answers/${CODE}/`; // one key a tab and answer, so that no tab removes what another one keeps
const WISH = `submit/${CODE}`; // kept from a submission without a line until the site is seen to have it
const TAB = `tab/${CODE}`; // this and the next are kept for the tab alone
const TURN = `turn/${CODE}`;
const remark = form.elements.comment;
const unsaved = new Map(); // item code -> the answer to send; a newer answer replaces an older one
const turns = new Map(); // item code -> when its value was given
const tab = nameTab();
let turn = Number(readKept(TURN, "sessionStorage"));
let sending = null;
let retry = 0;
let pause = 0;
let storedRemark = remark.value; // what the site has, as far as this tab knows
let isSubmittedElsewhere = false; // the page does not know of it, the site does
let isLanguageSent = false; // the form is on its way for another language, not for a submission
let isSubmitting = false; // the rater has submitted; the form goes once every answer has gone

// A request that is held up on its way may arrive after a later one. The tab's name and a number that grows with
// every answer, also through reloads and whatever happens to the clock, let the server tell that it is the older.
function nameTab() {
  const name = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16)).join("");
  const kept = readKept(TAB, "sessionStorage") || name;
  keep(TAB, kept, "sessionStorage");
  return kept;
}

function nextTurn() {
  turn = Math.max(Date.now(), turn + 1);
  keep(TURN, turn, "sessionStorage");
  return turn;
}

const keyOf = (code) => `${KEPT}${tab}/${code}`;
const keepAnswer = (code) =>
  keep(keyOf(code), JSON.stringify([unsaved.get(code), turns.get(code), code === REMARK ? storedRemark : undefined]));
const keepUnsaved = () => [...unsaved.keys()].every(keepAnswer);

// What any tab of this questionnaire keeps, in the order in which it was given.
function readKeptAnswers() {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(KEPT));
    const answers = keys.map((key) => [key, ...JSON.parse(localStorage.getItem(key))]);
    return answers.sort(([, , one], [, , other]) => one - other);
  } catch {
    return [];
  }
}

// An answer is a point of the scale, or why the pair cannot be judged: this with the rater's own words behind it.
const wordsOf = (item) => item.querySelector("[data-words]");
const answerOf = (item, value) => (value === "other" ? `${value} ${wordsOf(item).value}`.trim() : value);
const splitAnswer = (answer) => [answer.split(" ", 1)[0], answer.split(" ").slice(1).join(" ")];

const isAnswered = (item) => item.querySelector("input:checked") !== null;
const isMarked = (item) => item.querySelector(".cannot input:checked") !== null;
const unrated = () => items.filter((item) => !isAnswered(item));

function say(message, isProblem = false) {
  status.textContent = message;
  status.classList.toggle("rating-status__problem", isProblem);
}

// What went wrong, and what becomes of it: where the browser keeps it the page may be closed.
function sayWaiting(why) {
  const isKept = keepUnsaved() && (!isSubmitting || keep(WISH, "true"));
  const what = isSubmitting ? "Submit" : "Save";
  say(`${texts[why + what]} ${texts[(isKept ? "kept" : "open") + what]}`, true);
  clearTimeout(retry);
  retry = setTimeout(sendAgain, RETRY_MS);
}

function showProgress() {
  for (const one of form.querySelectorAll("[data-progress], [data-keys]")) one.hidden = false;
  const marked = items.filter(isMarked).length;
  form.querySelector("[data-rated]").textContent = items.filter(isAnswered).length - marked;
  form.querySelector("[data-marked]").textContent = marked ? texts.marked.replace("{count}", marked) : "";
  const [open] = unrated();
  next.hidden = !open;
  if (!open) return;
  next.textContent = texts.next.replace("{number}", open.dataset.position);
  next.hash = open.id;
}

function mark(item, isMissing) {
  item.classList.toggle("item--missing", isMissing);
  item.querySelector(".scale").classList.toggle("scale--missing", isMissing);
  item.querySelector(".item__error").hidden = !isMissing;
}

class BusyError extends Error {} // it answered, and may take the same answer later

function fieldsOf(code, answer) {
  if (code === REMARK) return { comment: answer };
  const [value, words] = splitAnswer(answer);
  return words ? { item: code, value, words } : { item: code, value };
}

const withTurn = ([code, answer]) => ({ ...fieldsOf(code, answer), turn: turns.get(code) });
const reasonOf = ({ message, action }) => [message ?? texts.refused, action ?? ""].join(" ");

// Sends one answer, or several together. What comes back is why each was refused, or "";
// null where several were refused as a whole, and none of them was looked at by itself.
async function post(sent) {
  const fields = sent.length > 1 ? { answers: JSON.stringify(sent.map(withTurn)) } : withTurn(sent[0]);
  const response = await fetch(form.dataset.rateUrl, {
    method: "POST",
    headers: { "X-CSRFToken": csrf, Accept: "application/json" },
    body: new URLSearchParams({ ...fields, tab }),
    keepalive: true,
  });
  if (response.status >= 500 || response.status === 429) throw new BusyError();
  const told = await response.json().catch(() => ({}));
  if (!response.ok) return sent.length > 1 ? null : [reasonOf(told)];
  isSubmittedElsewhere = Boolean(told.submitted) && !("submitted" in form.dataset);
  return sent.map((_, n) => (told.answers?.[n]?.message ? reasonOf(told.answers[n]) : ""));
}

// What goes next: the answers that wait, in the order in which they were given, or the remark.
function takeNext(most) {
  const answers = [...unsaved].filter(([code]) => code !== REMARK);
  if (!answers.length) return [...unsaved];
  return answers.sort(([one], [other]) => turns.get(one) - turns.get(other)).slice(0, most);
}

// One request at a time, so that answers arrive in their order as long as the line holds.
async function sendAll() {
  let most = MOST_AT_ONCE;
  while (unsaved.size > 0) {
    const sent = takeNext(most);
    say(texts.saving);
    const refusals = await post(sent);
    if (!refusals) {
      most = 1; // one by one, so that no more is given up than is refused
      continue;
    }
    sent.forEach(([code, value], n) => {
      if (code === REMARK && !refusals[n]) storedRemark = value;
      if (unsaved.get(code) === value) forget(code);
    });
    const refusal = refusals.find(Boolean);
    if (refusal) return refuse(refusal);
  }
  if (!isSubmitting) say(isSubmittedElsewhere ? texts.submittedElsewhere : texts.saved);
}

function forget(code) {
  unsaved.delete(code);
  keep(keyOf(code), "");
}

// Who is submitting waits for the next page: the form takes all answers there, or its page says why not.
function refuse(reason) {
  if (isSubmitting) sendForm();
  else say(texts.notSaved.replace("{reason}", () => reason), true);
}

function send() {
  sending ??= sendAll()
    .catch((error) => sayWaiting(error instanceof BusyError ? "busy" : "offline"))
    .finally(() => {
      sending = null;
    });
  return sending;
}

function hold(code, value) {
  unsaved.set(code, value);
  turns.set(code, nextTurn());
  keepAnswer(code);
}

function rate(input) {
  const item = input.closest("[data-item]");
  const words = item.querySelector("[data-words]");
  if (words && input.value !== "other") words.value = ""; // a rating takes back why there was none
  hold(item.dataset.item, answerOf(item, input.value));
  showAnswered(item);
  send();
}

function showAnswered(item) {
  mark(item, false);
  showProgress();
  if (!notice.hidden) showMissing(unrated());
}

// Who writes why has that reason; the words are held with every letter, and sent as a remark is.
function writeWords(field) {
  const item = field.closest("[data-item]");
  item.querySelector('input[value="other"]').checked = true;
  hold(item.dataset.item, answerOf(item, "other"));
  showAnswered(item);
  clearTimeout(pause);
  pause = setTimeout(send, REMARK_MS);
}

function isInView(item) {
  const { top, bottom } = item.querySelector(".scale").getBoundingClientRect();
  return top >= 0 && bottom <= bar.getBoundingClientRect().top;
}

// A digit rates the pair in focus, or else one that the rater sees; where none is in view it leads to the next.
function rateByDigit(event) {
  const digit = pressedDigit(event);
  const inFocus = event.target.closest?.("[data-item]");
  if (!digit || isWriting(event.target) || !(inFocus || isFree(event.target))) return;
  const item = inFocus ?? unrated().find(isInView);
  if (!item) return unrated()[0]?.querySelector("input").focus();
  const input = item.querySelector(`input[value="${digit}"]`);
  event.preventDefault();
  input.focus();
  if (input.checked) return;
  input.checked = true;
  rate(input);
}

// The reasons belong to the scale's choices, which Tab enters at the first one alone: who unfolds them is led there.
function leadToReasons({ target }) {
  const details = target.closest?.(".cannot > summary")?.parentElement;
  if (!details || details.open) return;
  details.addEventListener("toggle", () => details.querySelector("input").focus(), { once: true });
}

const isWriting = (target) => target === remark || Boolean(target.matches?.("[data-words]"));

// As the page without scripts joins them.
function joinWords(words) {
  const last = words.at(-1);
  return words.length > 1 ? words.slice(0, -1).join(texts.between) + texts.beforeLast + last : last;
}

// Named once a rater has tried to submit, and then kept true while the gaps are filled.
function showMissing(missing) {
  notice.hidden = missing.length === 0;
  if (notice.hidden) return;
  const names = joinWords(missing.map((item) => item.dataset.position));
  notice.textContent = texts.missing[missing.length - 1].replace("{pairs}", names);
}

function pointOutMissing(missing) {
  items.forEach((item) => mark(item, missing.includes(item)));
  showMissing(missing);
  missing[0].querySelector("input").focus({ preventScroll: true });
  missing[0].querySelector(".scale").scrollIntoView({ block: "center" });
}

function setField(name, value) {
  const field = form.elements[name] ?? form.appendChild(document.createElement("input"));
  Object.assign(field, { type: "hidden", name, value });
}

// All answers once more: what could not be sent before is in it.
function sendForm() {
  isSubmitting = false; // a try that is still to come must not send it again
  setField("tab", tab);
  setField("turn", nextTurn());
  form.submit();
}

// Another language: the answers go along, and the page comes back with them. Without a connection it stays.
async function changeLanguage(button) {
  if (!(await isSiteReached())) return say(texts.noConnection, true);
  setField("tab", tab);
  setField("turn", nextTurn());
  isLanguageSent = true;
  form.requestSubmit(button);
  isLanguageSent = false;
}

function submitForm(event) {
  if (isLanguageSent) return;
  event.preventDefault();
  if (event.submitter?.name === "language") return changeLanguage(event.submitter);
  const missing = unrated();
  if (missing.length > 0) return pointOutMissing(missing);
  if (isSubmitting) return;
  showSubmitting(true);
  sendAgain();
  setTimeout(() => sending && sendFormOrWait(), SUBMIT_WAIT_MS); // the form carries what is held up
}

async function sendAgain() {
  await send();
  if (isSubmitting && unsaved.size === 0) sendFormOrWait();
}

// Leaving for a page that cannot be reached would show the browser's error instead of the answers.
async function sendFormOrWait() {
  const isReached = await isSiteReached();
  if (!isSubmitting) return; // another try was quicker
  if (isReached) sendForm();
  else sayWaiting("offline");
}

// A browser that is "online" may reach nothing, and one that is not reaches a site on its own machine. This script
// is the least that the site can send.
async function isSiteReached() {
  const request = { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(REACH_MS) };
  return fetch(import.meta.url, request).then(() => true, () => false);
}

function showSubmitting(is) {
  isSubmitting = is;
  submit.disabled = is;
  submit.setAttribute("aria-busy", String(is));
}

// Also after the back button, which may show a page as it was left, its form sent; and after a restart of the
// browser, which has not forgotten that the rater submitted.
function showPage({ persisted }) {
  if ("submitted" in form.dataset) keep(WISH, "");
  const isWanted = !persisted && readKept(WISH) !== "" && unrated().length === 0;
  showSubmitting(isWanted);
  showProgress();
  if (isWanted) sendAgain();
}

// Answers given before this file had loaded, or that the browser filled in again, are not yet on the server.
function sendEarlierAnswers() {
  for (const input of form.querySelectorAll("input:checked")) if (!input.defaultChecked) rate(input);
  for (const field of form.querySelectorAll("[data-words]")) {
    const chosen = field.closest("[data-item]").querySelector("input:checked")?.value ?? "other";
    if (field.value !== field.defaultValue && chosen === "other") writeWords(field);
  }
  if (remark.value !== remark.defaultValue) writeRemark();
}

// What a browser fills in again, on the way back to a page, is the form as it was some time before it was left:
// a reason that a rating has replaced would come back over it. What is not on the site yet is kept here instead.
function leaveFillingInToThisFile() {
  if (keep("probe", "true") && keep("probe", "")) form.autocomplete = "off";
}

// An answer that this browser kept is older than the site's where another browser has changed it since. Each age is
// told by a clock of its own, the browser's and the site's, which need not agree; within a tab turns tell it.
function isOlder(turn, keptBy, { dataset }) {
  if (!dataset.ratedAt) return false;
  if (dataset.tab === keptBy) return turn < Number(dataset.turn);
  const [{ requestStart }] = performance.getEntriesByType("navigation");
  const sinceThen = performance.now() - requestStart; // the page says what time it was when the site made it
  return Date.now() - turn > 1000 * (form.dataset.now - dataset.ratedAt) + sinceThen;
}

// What an earlier visit, or another tab, could not send: from here on this tab keeps it.
function sendKeptAnswers() {
  for (const [key, value, turn, base] of readKeptAnswers()) {
    keep(key, "");
    const [keptBy, code] = key.split("/").slice(-2);
    if (code === REMARK) showRemark(value, base);
    const item = items.find((one) => one.dataset.item === code);
    const [point, words] = splitAnswer(String(value));
    const input = [...(item?.querySelectorAll("input") ?? [])].find((one) => one.value === point);
    if (!input || isOlder(turn, keptBy, item)) continue;
    if (words) wordsOf(item).value = words;
    input.closest("details")?.setAttribute("open", "");
    input.checked = true;
    rate(input);
  }
}

// The bar grows when it has something to say: what is being rated must not end up beneath it.
function keepInView() {
  document.documentElement.style.scrollPaddingBlockEnd = `${bar.offsetHeight}px`;
  form.style.setProperty("--bar", `${bar.offsetHeight}px`);
  const scale = document.activeElement.closest?.(".scale");
  if (!scale) return;
  const { top, bottom } = scale.getBoundingClientRect();
  const isBeneath = top < window.innerHeight && bottom > bar.getBoundingClientRect().top;
  if (isBeneath) scale.scrollIntoView({ block: "nearest" });
}

// A remark is held like an answer with every letter, and sent when its writer pauses or leaves the field.
function writeRemark() {
  hold(REMARK, remark.value);
  clearTimeout(pause);
  pause = setTimeout(send, REMARK_MS);
}

// A kept remark goes on from what the site had when it was written (`base`). Where the site has other words by now,
// of another tab, it stands beside these: neither is lost, nor said twice.
function showRemark(text, base) {
  const there = remark.value;
  const both = text.includes(there) ? text : `${there}\n${text}`;
  if (there.trim() === base?.trim()) remark.value = text;
  else remark.value = there.includes(text) ? there : both;
  remark.closest("details").open = true;
  if (remark.value === remark.defaultValue) say(texts.saved);
  else writeRemark();
}

// Who closes the tab in the middle of a remark, or of a reason: the browser still sends it, and keeps it in case it
// does not.
function sendLastWords() {
  for (const [code, answer] of unsaved)
    if (code === REMARK || splitAnswer(answer)[1]) post([[code, answer]]).catch(() => {});
}

form.addEventListener("change", ({ target }) => (isWriting(target) ? send() : rate(target)));
form.addEventListener("click", leadToReasons);
form.addEventListener("input", ({ target }) => target.matches("[data-words]") && writeWords(target));
remark.addEventListener("input", writeRemark);
window.addEventListener("pagehide", sendLastWords);
document.addEventListener("keydown", rateByDigit);
form.addEventListener("submit", submitForm);
window.addEventListener("online", sendAgain);
window.addEventListener("pageshow", showPage);
new ResizeObserver(keepInView).observe(bar);
leaveFillingInToThisFile();
sendKeptAnswers();
sendEarlierAnswers();
