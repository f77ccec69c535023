"""The document around LaTeX tables: every letter that pdflatex lacks is declared, and no other."""

import re
import shutil
import subprocess

import pytest

from meta_eval.publish.latex_article import latex_article

pdflatex = shutil.which("pdflatex")
NAMES = "Größe, naïve–“so”, Ψ, γ, ς, 中文, हिन्दी, Љ, 🙂"


def declared(text):
    return re.findall(r"\\DeclareUnicodeCharacter\{(\w+)\}\{(.*)\}\n", latex_article("T", text))


def test_letters_of_other_scripts_are_shown_by_what_pdflatex_has():
    assert declared("Größe, naïve – “so” … €") == []
    assert declared("λΨΑ") == [
        ("0391", r"{\tiny [U+0391]}"),
        ("03A8", r"\ensuremath{\Psi}"),
        ("03BB", r"\ensuremath{\lambda}"),
    ]
    assert declared("ς 中 🙂") == [
        ("03C2", r"{\tiny [U+03C2]}"),
        ("4E2D", r"{\tiny [U+4E2D]}"),
        ("1F642", r"{\tiny [U+1F642]}"),
    ]
    assert declared("中中") == [("4E2D", r"{\tiny [U+4E2D]}")]


def test_a_letter_of_the_title_is_declared_too():
    assert "DeclareUnicodeCharacter{4E2D}" in latex_article("中", "")


@pytest.mark.skipif(pdflatex is None, reason="needs pdflatex, which this machine does not have")
def test_a_document_with_names_in_many_scripts_compiles(tmp_path):
    (tmp_path / "names.tex").write_text(latex_article(NAMES, NAMES), encoding="utf-8")
    command = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "names.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
