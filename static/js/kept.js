// What the browser keeps: in localStorage through restarts, in sessionStorage as long as the tab is open.
// Browsers may refuse storage, in private windows for example. Then what is kept lives as long as the page.

export function keep(key, value, storage = "localStorage") {
  try {
    if (value) window[storage].setItem(key, value);
    else window[storage].removeItem(key);
    return true;
  } catch {
    return false;
  }
}

export function readKept(key, storage = "localStorage") {
  try {
    return window[storage].getItem(key) ?? "";
  } catch {
    return "";
  }
}
