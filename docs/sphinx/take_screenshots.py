"""Take the pictures of the documentation anew, from a demonstration that runs.

In one terminal `make demo | tee var/demo.log`, and once it prints its addresses in another one
`.venv/bin/python docs/sphinx/take_screenshots.py var/demo.log`.
"""

import re
import shutil
import sys
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parents[1] / "images"
WIDTH = 1280
COLOURS = 128
"""Enough for pages of few colours, and a third of the size."""


def main(log: Path) -> None:
    """Every picture, from what the demonstration printed."""
    printed = log.read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        rater = browser.new_page(viewport={"width": WIDTH, "height": 1000})
        rater.goto(_told(printed, r"Rate one .+?(http\S+)"))
        rater.get_by_role("button", name="I agree: start").click()
        _take(rater, "rater")
        staff = browser.new_page(viewport={"width": WIDTH, "height": 1400})
        _log_in(staff, printed)
        report, monitor = (_told(printed, rf"{words}:\s+(http\S+)") for words in ("report", "batch monitor"))
        pages: Mapping[str, tuple[str, int]] = {
            "report": (report, 1400),
            "monitor": (monitor, 1000),
            "quality": (f"{monitor}quality/", 1000),
        }
        for name, (address, height) in pages.items():
            staff.set_viewport_size({"width": WIDTH, "height": height})
            staff.goto(address)
            _take(staff, name)
        browser.close()


def _told(printed: str, pattern: str) -> str:
    found = re.search(pattern, printed)
    if found is None:
        raise SystemExit(
            f"The log has no line like {pattern!r}: is it that of `make demo`, and is the site up?"
        )
    return found[1]


def _log_in(page: Page, printed: str) -> None:
    page.goto(_told(printed, r"Log in:\s+(http\S+)"))
    page.locator("[name=username]").fill("demo-admin")
    page.locator("[name=password]").fill(_told(printed, r"demo-admin\s+(\S+)"))
    page.locator("button[type=submit]").click()
    page.wait_for_load_state("networkidle")


def _take(page: Page, name: str) -> None:
    page.wait_for_load_state("networkidle")
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(COLOURS).save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
