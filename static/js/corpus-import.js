// Shows the fields of the chosen format, and proposes a name for each system's output file.
const form = document.querySelector("[data-corpus-import]");
const sections = form.querySelectorAll("[data-format]");
const files = form.elements.systems;
const names = form.elements.system_names;

const showFormat = () => {
  for (const section of sections) section.hidden = section.dataset.format !== form.elements.format.value;
};

const nameOf = (file) =>
  file.replace(/\.[^.]*$/, "").replace(/^(hyps?|hypotheses|outputs?|summaries)[_.-]+/i, "") || file;

// Names that were typed for a file stay with it when the files are chosen again.
const typedNames = () => {
  const pairs = names.value.split("\n").filter((line) => line.includes("="));
  return new Map(pairs.map((line) => [line.slice(line.indexOf("=") + 1).trim(), line.slice(0, line.indexOf("="))]));
};

const proposeNames = () => {
  const typed = typedNames();
  const line = (file) => `${(typed.get(file.name) ?? nameOf(file.name)).trim()}=${file.name}`;
  names.value = Array.from(files.files, line).join("\n");
  names.rows = Math.max(4, files.files.length + 1);
};

for (const radio of form.elements.format) radio.addEventListener("change", showFormat);
files.addEventListener("change", proposeNames);
showFormat();
