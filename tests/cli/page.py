"""The page of `firn view` in a headless browser, for tests: a program that serves it, what is to be waited for, and what
is drawn."""

import browser
from support import CliTest
from viewer import Viewer

# How many pixels have each colour, and a sum that tells pictures apart.
PIXELS = """
  const {gl, canvas} = firn.drawing;
  firn.draw();
  const p = new Uint8Array(4 * canvas.width * canvas.height);
  gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, p);
  let red = 0, green = 0, other = 0, sum = 0;
  for (let i = 0; i < p.length; i += 4) {
    const [r, g, b] = [p[i], p[i + 1], p[i + 2]];
    if (r > 60 && r > 3 * g && r > 3 * b) ++red;
    else if (g > 60 && g > 3 * r && g > 3 * b) ++green;
    else if (Math.max(r, g, b) > 60) ++other;
    sum = (sum * 31 + r * 65536 + g * 256 + b) % 1000000007;
  }
  return {red, green, other, sum, all: p.length / 4};
"""


class PageTest(CliTest):
    """`SCENE` is what each test begins with."""

    SCENE = ""

    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.scene.write_text(self.SCENE)

    def show(self, *arguments):
        viewer = Viewer(self, *arguments)
        self.browser.open(viewer.address)
        self.browser.wait_until("document.body.dataset.points > 0 && firn.drawing.shown.loaded > 0")
        return viewer

    def at(self, what):
        return self.browser.run(f"return document.body.dataset.{what}")

    def wait(self, condition, seconds=60):
        return self.browser.wait_until(condition, seconds)

    def click(self, button):
        self.browser.run("document.getElementById(arguments[0]).click()", button)

    def at_rest(self):
        """Nothing moves, all is loaded; its pixels."""
        self.wait("!firn.loading && !firn.moving && firn.drawing.shown.header.number === firn.wanted "
                  "&& firn.shownChannel === firn.channel.name "
                  "&& firn.drawing.shown.loaded === firn.drawing.shown.header.points "
                  "&& firn.drawing.tracers.loaded === (firn.drawing.tracers.header?.points ?? 0)")
        return self.browser.run(PIXELS)

    def end(self, viewer, complaints=()):
        found = self.browser.complaints()
        self.leave()
        self.assertEqual([text for text in found if not any(part in text for part in complaints)], [])
        viewer.end()

    def leave(self):
        """The page, before its program ends: it would go on to ask."""
        self.browser.open("about:blank")
        self.browser.complaints()
