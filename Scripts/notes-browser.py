"""Uses NotesServer's page in a browser: adds a note, sees it appear, and removes it.

notes-browser.py CHROMIUM URL FOLDER [NOTE...]: FOLDER gets the browser's files, and a picture of
the page at each width, with the notes. Ends with an error if the page writes one to its console.
"""
import asyncio
import base64
import itertools
import json
import pathlib
import shutil
import subprocess
import sys

import websockets


class Page:
    """A page, through the browser's debugging protocol."""

    def __init__(self, socket):
        self.socket = socket
        self.numbers = itertools.count()
        self.errors = []

    async def call(self, method, **parameters):
        number = next(self.numbers)
        request = {"id": number, "method": method, "params": parameters}
        await self.socket.send(json.dumps(request))
        while True:
            message = json.loads(await asyncio.wait_for(self.socket.recv(), 20))
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]
            self.receive(message)

    def receive(self, event):
        kind, details = event["method"], event["params"]
        if kind == "Runtime.exceptionThrown":
            self.errors.append(details)
        if kind == "Runtime.consoleAPICalled" and details["type"] in ("error", "assert"):
            self.errors.append(details)
        if kind == "Log.entryAdded" and details["entry"]["level"] == "error":
            self.errors.append(details)

    async def value(self, expression):
        result = await self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    async def wait_until(self, condition):
        for _ in range(200):
            if await self.value(condition):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"not within ten seconds: {condition}")

    async def add(self, note):
        await self.value(f"document.querySelector('input').value = {json.dumps(note)}")
        await self.value("document.querySelector('form button').click()")
        await self.wait_until(has(note))

    async def save_picture(self, path, width, height):
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=False)
        picture = await self.call("Page.captureScreenshot")
        path.write_bytes(base64.b64decode(picture["data"]))


def item(note):
    return f"[...document.querySelectorAll('li')].find(i => i.innerText.includes({json.dumps(note)}))"


def has(note):
    return f"{item(note)} != undefined"


async def add_while_loading(page, note):
    """The page fetches the list, as after each connecting; a note is added before it arrives."""
    await page.value("""
        realFetch = fetch
        fetch = async path => {
            const notes = await (await realFetch(path)).json()
            await new Promise(done => { release = done })
            return { json: () => notes }
        }
        release = arrived = null
        events.addEventListener('added', () => { arrived = true })
        loading = events.onopen()
        0""")
    await page.wait_until("release != null")
    body = json.dumps(json.dumps({"text": note}))
    await page.value(f"realFetch('/notes', {{ method: 'POST', body: {body} }}).then(() => 0)")
    await page.wait_until("arrived")
    await page.value("fetch = realFetch; release(); loading.then(() => 0)")
    await page.wait_until(has(note))


async def use(page, folder, notes):
    for domain in "Runtime", "Log", "Page":
        await page.call(f"{domain}.enable")
    await page.wait_until("typeof events == 'object' && events.readyState == EventSource.OPEN")
    # With a word that is longer than a line.
    await page.add("written by a browser: " + "long" * 40)
    for note in notes:
        await page.add(note)
    for width, height in (1280, 800), (390, 844):
        await page.save_picture(folder / f"page-{width}.png", width, height)
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await page.value(overflow) <= 0, f"the page is wider than {width} pixels"
    await add_while_loading(page, "added while the list was fetched")
    await page.value(f"{item('written by a browser')}.querySelector('button').click()")
    await page.wait_until(f"!({has('written by a browser')})")
    assert not page.errors, page.errors


async def main(browser, url, folder, notes):
    profile = folder / "browser"
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(command, stderr=(folder / "browser.log").open("w"))
    try:
        for _ in range(300):
            # The port, and the path of the browser's own socket.
            active = profile / "DevToolsActivePort"
            if active.exists() and len(lines := active.read_text().split()) == 2:
                break
            assert process.poll() is None, (folder / "browser.log").read_text()
            await asyncio.sleep(0.1)
        debugger = f"ws://127.0.0.1:{lines[0]}/devtools/"
        async with websockets.connect(f"ws://127.0.0.1:{lines[0]}{lines[1]}") as socket:
            target = await Page(socket).call("Target.createTarget", url=url)
        async with websockets.connect(
                f"{debugger}page/{target['targetId']}", max_size=None) as socket:
            await use(Page(socket), folder, notes)
    finally:
        process.terminate()
        process.wait()


asyncio.run(main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]))
