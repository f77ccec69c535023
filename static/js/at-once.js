// One request is spared between a form and the questionnaire that it leads to: where this file runs, the form says
// so, the site answers with the questionnaire itself, and the address is put right here. Reloading and going back
// then ask for the questionnaire and do not send the form again. Without this file the site answers with the address.

for (const field of document.querySelectorAll("[name=at_once]")) field.disabled = false;

const form = document.getElementById("rating-form");
const { pathname } = new URL(form?.action ?? location.href);
if (pathname !== location.pathname) history.replaceState(history.state, "", pathname + location.hash);
