// Which key rates, and whether one rates where no pair has the focus: who speaks to the browser, or rests a hand on
// the keys, switches that off in the instructions, for this device.

import { keep, readKept } from "./kept.js";

const KEY = "digits"; // "off", or nothing
const TAKES_KEYS = "input, textarea, select, button, a, summary, [contenteditable]";
const box = document.querySelector("[data-digits]");

// Keyboards of other scripts have digits of their own: Arabic ones begin at U+0660, Persian ones at U+06F0.
function westernDigit(key) {
  const digit = [..."\u0661\u0662\u0663\u0664\u0665\u0666"].indexOf(key) + 1;
  return digit || [..."\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6"].indexOf(key) + 1 || key;
}

// The point of the scale that was pressed; "" for every other key.
export function pressedDigit({ key, ctrlKey, altKey, metaKey }) {
  const digit = String(westernDigit(key));
  return /^[1-6]$/.test(digit) && !ctrlKey && !altKey && !metaKey ? digit : "";
}

// Whether a digit that goes to this element, which is in no pair, may rate one.
export const isFree = (target) => box.checked && !target.closest?.(TAKES_KEYS);

box.checked = readKept(KEY) !== "off";
box.parentElement.hidden = false;
box.addEventListener("change", () => keep(KEY, box.checked ? "" : "off"));
