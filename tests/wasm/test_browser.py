#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The tests of perp.mjs, those of node, in headless Chromium: in a page and in a worker, from a server that
allows scripts of its own and WebAssembly, and nothing else. After scripts/build-wasm."""
import functools
import http.server
import threading
import unittest

from browser import ROOT, Browser


class Strict(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}

    def end_headers(self):
        self.send_header("Content-Security-Policy", "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:")
        super().end_headers()

    def log_message(self, *_):
        pass


class InBrowser(unittest.TestCase):
    def test_page_and_worker(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Strict, directory=ROOT)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            browser = Browser(f"http://127.0.0.1:{server.server_port}/tests/wasm/page.html")
            try:
                for where in ("inPage", "inWorker"):
                    browser.wait(lambda: browser.js("return window[arguments[0]] !== undefined", where), seconds=120)
                    found = browser.js("return window[arguments[0]]", where)
                    self.assertGreater(len(found), 25)
                    self.assertEqual({name: why for name, why in found.items() if why}, {}, where)
                self.assertEqual([e for e in browser.errors()], [])
            finally:
                browser.close()
                server.shutdown()


if __name__ == "__main__":
    unittest.main()
