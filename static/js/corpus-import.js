// Shows the fields of the chosen format, and proposes a name for each system's output file.
const nameOf = (file) =>
  file.replace(/\.[^.]*$/, "").replace(/^(hyps?|hypotheses|outputs?|summaries)[_.-]+/i, "") || file;

// Names that were typed for a file stay with it when the files are chosen again.
const typedNames = (names) => {
  const pairs = names.value.split("\n").filter((line) => line.includes("="));
  return new Map(pairs.map((line) => [line.slice(line.indexOf("=") + 1).trim(), line.slice(0, line.indexOf("="))]));
};

const proposeNames = ({ systems: { files }, system_names: names }) => {
  const typed = typedNames(names);
  const line = (file) => `${(typed.get(file.name) ?? nameOf(file.name)).trim()}=${file.name}`;
  names.value = Array.from(files, line).join("\n");
  names.rows = Math.max(4, files.length + 1);
};

const start = () => {
  const form = document.querySelector("[data-corpus-import]");
  if (!form) return; // the page that took its place says that nothing can be imported
  const showFormat = () => {
    for (const part of document.querySelectorAll("[data-format]"))
      part.hidden = part.dataset.format !== form.elements.format.value;
  };
  for (const radio of form.elements.format) radio.addEventListener("change", showFormat);
  form.elements.systems.addEventListener("change", () => proposeNames(form.elements));
  showFormat();
};

start();
document.addEventListener("page:replaced", start); // by upload.js, with what is wrong
