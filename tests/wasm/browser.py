# SPDX-License-Identifier: MIT
"""Headless Chromium on build/playground/index.html, and what the tests do there."""
import base64
import pathlib
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.remote_connection import RemoteConnection

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "build/playground/index.html"
ARGUMENTS = """--headless --no-sandbox --disable-gpu --enable-unsafe-swiftshader --disable-quic --no-first-run --disable-dev-shm-usage
    --disable-background-networking --disable-component-update --disable-sync""".split()


class Browser:
    def __init__(self, url=None):
        self.profile = tempfile.TemporaryDirectory(prefix="perp-chromium-", ignore_cleanup_errors=True)
        options = webdriver.ChromeOptions()
        for argument in ARGUMENTS + [f"--user-data-dir={self.profile.name}"]:
            options.add_argument(argument)
        RemoteConnection.set_timeout(60)  # a page that hangs does not hang the test
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.size(1280, 1000)
        self.driver.get(url or PAGE.as_uri())
        if url is None:
            self.wait(lambda: self.js("return window.playground !== undefined"))

    def close(self):
        self.driver.quit()
        self.profile.cleanup()

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def wait(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s; the page: {self.driver.find_element(By.TAG_NAME, 'body').text[:400]}")
            time.sleep(0.03)

    def size(self, width, height, dark=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def frames(self, count=3):
        """Wait until so many frames were drawn: the page is alive."""
        self.driver.set_script_timeout(20)
        self.driver.execute_async_script(
            "let left = arguments[0]; const done = arguments[1];"
            "const next = () => (left-- > 0 ? requestAnimationFrame(next) : done()); next();", count)

    def id(self, name):
        return self.driver.find_element(By.ID, name)

    def click(self, name):
        self.id(name).click()

    def open(self, scene):
        self.click(f"tab-{scene}")
        self.frames(2)

    def status(self):
        return self.id("status").text

    def is_bad(self):
        return "bad" in self.id("status").get_attribute("class").split()

    def sliders(self):
        return [e.get_attribute("id") for e in self.driver.find_elements(By.CSS_SELECTOR, "#controls input[type=range]")]

    def drag(self, slider, fraction):
        """Drag the thumb from where it is to a fraction of the track, by the mouse."""
        element = self.id(slider)
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        here = self.js("const e = arguments[0]; return (e.value - e.min) / (e.max - e.min)", element)
        track = element.size["width"] - 16  # the thumb's centre stays within
        ActionChains(self.driver, duration=60).move_to_element_with_offset(element, (here - 0.5) * track, 0) \
            .click_and_hold().move_to_element_with_offset(element, (fraction - 0.5) * track, 0).release().perform()
        return self.js("const e = arguments[0]; return (e.value - e.min) / (e.max - e.min)", element)

    def type(self, name, text):
        """Type into the number beside a slider, as the shown unit."""
        self.js("const e = document.getElementById(arguments[0]); e.value = arguments[1];"
                "e.dispatchEvent(new Event('input', {bubbles: true}))", f"set-{name}-number", str(text))

    def pause(self):
        if self.id("play").text == "Pause":
            self.click("play")

    def play(self):
        if self.id("play").text == "Run":
            self.click("play")

    def errors(self):
        return [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self, name):
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True})
        path = PAGE.parent / f"{name}.png"
        path.write_bytes(base64.b64decode(shot["data"]))
        return path
