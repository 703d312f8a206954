"""docs-check.py BROWSER SITE PICTURES: the pages of the catalogues in a browser; Tools/docs-check.sh says what for."""
import functools, glob, http.server, os, re, sys, threading, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures"))
from chromium import Page

PATIENCE = 30


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(site):
    """A server of a folder on loopback; its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://127.0.0.1:%d" % server.server_port


def pages():
    """Path below the site, title and number of table rows of each page of a catalogue."""
    for path in sorted(glob.glob("Sources/*/*.docc/**/*.md", recursive=True)):
        module = re.search(r"/([^/]*)\.docc/", path)[1]
        with open(path) as file:
            text = file.read()
        title = text.split("\n")[0].removeprefix("# ").strip("`")
        name = os.path.basename(path).removesuffix(".md")
        place = "/documentation/" + module.lower() + ("" if name == module else "/" + name.lower())
        lines = [line for line in re.sub(r"```.*?```", "", text, flags=re.S).split("\n") if line.startswith("|")]
        yield place, title, sum(not re.match(r"\|[ :-]*---", line) for line in lines)


def shown(page, url, title):
    """Opens a page, and waits until its heading is there: it is drawn by a program."""
    page.events.clear()
    page.url = url
    page.call("Page.navigate", url=url)
    end = time.monotonic() + PATIENCE
    while True:
        heading = page.js("(document.querySelector('h1') || {}).innerText || ''").strip()
        if heading == title or time.monotonic() > end:
            return heading
        time.sleep(0.1)


def main():
    browser, site, pictures = sys.argv[1:]
    root = serve(site)
    bad, count = [], 0
    with Page(browser, root + "/documentation/") as page:
        # A page that is not there has to be missed, or nothing would be.
        if shown(page, root + "/documentation/rollcall", "Rollcall") and \
                page.js("fetch('/data/documentation/rollcall/no-such-page.json').then((a) => a.status)") != 404:
            bad.append("a page that is not there is answered")
        for place, title, rows in pages():
            count += 1
            heading = shown(page, root + place, title)
            page.settle()
            if heading != title:
                bad.append("%s: the heading is '%s', not '%s'" % (place, heading, title))
            found = page.js("document.querySelectorAll('main table tr').length")
            if found != rows:
                bad.append("%s: %d rows of tables, not %d" % (place, found, rows))
            bad += ["%s: %s" % (place, one) for one in page.complaints
                    if not one.startswith("request: ") or not one.removeprefix("request: ").startswith((root, "data:"))]
            page.picture(os.path.join(pictures, place.strip("/").replace("/", "-") + ".png"))
    for one in bad:
        print("docs: " + one, file=sys.stderr)
    if bad or not count:
        sys.exit("docs: %d faults in %d pages" % (len(bad), count))
    print("docs: %d pages show their titles and tables" % count)


main()
