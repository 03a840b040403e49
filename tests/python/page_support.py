"""A headless browser for tests of the page: real Chromium, driven by selenium."""

import base64
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
DRIVER = shutil.which("chromedriver") or "/usr/bin/chromedriver"
SWITCHES = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync")


class Page:
    """One page in a browser window of a given size."""

    def __init__(self, driver: webdriver.Chrome, path: Path) -> None:
        self.driver = driver
        self.address = path.as_uri()

    def size(self, width: int, height: int) -> None:
        """The viewport, in CSS pixels; takes effect before the next `open`."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def scripts(self, on: bool) -> None:
        """Whether the page's own scripts run (those of the test always do)."""
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not on})

    def prefers(self, scheme: str) -> None:
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, tail: str = "") -> None:
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get(self.address + tail)

    def js(self, expression: str, *arguments: Any) -> Any:
        return self.driver.execute_script("return " + expression, *arguments)

    def evaluate(self, expression: str) -> Any:
        """Like `js`, but also where the page's scripts are off."""
        answer = self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def open_rows(self) -> list[str]:
        return self.js("[...document.querySelectorAll('.tower > details[open]')].map(row => row.id)")

    def rows(self) -> list[str]:
        return self.js("[...document.querySelectorAll('.tower > details')].map(row => row.id)")

    def console(self) -> list[dict[str, Any]]:
        return self.driver.get_log("browser")

    def find(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.driver.execute_cdp_cmd("Page.captureScreenshot", {})["data"]))

    def printed(self) -> bytes:
        """The page as PDF."""
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    options = Options()
    options.binary_location = CHROMIUM
    for switch in SWITCHES:
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(DRIVER), options=options)
    try:
        yield driver
    finally:
        driver.quit()


def record(root: Path) -> dict[str, Any]:
    """The record of the pow path that the repository carries."""
    return json.loads((root / "tests/data/records/pow_kernel.json").read_text())
