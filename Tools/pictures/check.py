"""Opens the pages of a folder in headless Chromium: check.py BROWSER FOLDER

Each page is looked at in light and in dark, driven by mouse and keyboard, printed, and opened without JavaScript. What
it logs, throws or asks of a network is a failure. Screenshots lie beside the pages.
"""
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chromium import Page

browser, folder = sys.argv[1:]
failures = []


def expect(name, what, holds):
    if not holds:
        failures.append("%s: %s" % (name, what))
        print("  FAIL  %s: %s" % (name, what))


def text(page, selector):
    return page.js("(document.querySelector(%r) || {}).textContent || ''" % selector)


def focus(page):
    page.js("lanePane.canvas.focus()")


def place(page):
    """Where the selected mark is on the screen."""
    return page.js("(() => { const box = lanePane.canvas.getBoundingClientRect(), data = lanePane.canvas.dataset;"
                   " return [box.left + Number(data.x), box.top + Number(data.y)]; })()")


def colours(page, canvas):
    """How many colours a canvas shows: more than a few where something is drawn."""
    return page.js("(() => { const c = %s, d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                   " const seen = new Set(); for (let i = 0; i < d.length; i += 4)"
                   " seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size; })()" % canvas)


def drive(name, page):
    page.settle()
    expect(name, "the diagram is drawn", colours(page, "lanePane.canvas") > 8 and colours(page, "overview") > 3)
    expect(name, "nothing is selected at first", text(page, "#detail h2") == "Nothing is selected")
    focus(page)
    page.key("ArrowRight")
    first = text(page, "#detail h2")
    expect(name, "an arrow key selects a mark", first != "Nothing is selected" and page.js("selected") >= 0)
    page.key("ArrowRight")
    expect(name, "another one goes on", page.js("selected") > 0)
    # A message with its parts: the first that was heard from somebody.
    heard = page.js("kinds.findIndex((kind, index) => isArrow(index))")
    if heard >= 0:
        page.js("select(%d)" % heard)
        page.settle()
        x, y = place(page)
        page.mouse("mouseMoved", x, y)
        page.settle()
        expect(name, "the tip shows the message", not page.js("tip.hidden") and len(text(page, "#tip .head")) > 0
               and page.js("document.querySelectorAll('#tip dt').length") > 0)
        page.key("c")
        expect(name, "c goes to the cause", page.js("selected") == page.js("causes[%d]" % heard))
        page.key("e")
        expect(name, "e goes to an effect", page.js("causes[selected]") == page.js("causes[%d]" % heard))
        page.key("Escape")
        expect(name, "Esc selects nothing", page.js("selected") == -1)
        page.click(x, y)
        expect(name, "a click selects", page.js("selected") >= 0)
        expect(name, "what is selected has a chain", page.js("chain.size") >= 2)
    width = page.js("view.to - view.from")
    page.key("+")
    expect(name, "+ comes closer", page.js("view.to - view.from") < width)
    page.key("-")
    page.key("0")
    expect(name, "0 shows everything", abs(page.js("view.to - view.from") / page.js("axis.total") - 1) < 0.05)
    if page.js("picture.folds.length"):
        total = page.js("axis.total")
        page.key("f")
        expect(name, "f unfolds", page.js("axis.total") > total)
        page.key("f")
        expect(name, "and folds", page.js("axis.total") == total)
    page.key("/")
    page.call("Input.insertText", text=page.js("shortText(markCount - 1).slice(0, 12)"))
    page.settle()
    expect(name, "the search finds what is there", page.js("searchOutput.textContent").endswith(" found")
           and page.js("searchOutput.textContent") != "0 found")
    page.key("Enter")
    expect(name, "Enter goes to it", page.js("selected") >= 0)
    page.key("Escape")
    if page.js("problems.length"):
        # From a mark that is selected on it would be the next one behind it.
        page.js("select(-1)")
        focus(page)
        page.key("n")
        expect(name, "n goes to a problem", page.js("problemOutput.textContent").startswith("1 of "))
    jump = page.js("document.querySelectorAll('.jump.live').length")
    if jump:
        page.js("select(-1)")
        page.js("document.querySelector('.jump.live').click()")
        expect(name, "a place in a table leads into the diagram", page.js("selected") >= 0)
    before = page.js("isDark()")
    page.js("document.body.focus()")
    page.key("t")
    expect(name, "t changes between dark and light", page.js("isDark()") != before)
    page.key("t")
    page.key("0")
    expect(name, "it prints", len(page.pdf()) > 10_000)
    page.settle()
    if name == "large":
        time = page.js("(() => { const start = performance.now(); for (let i = 0; i < 3; i++) drawNow();"
                       " return (performance.now() - start) / 3; })()")
        expect(name, "all of %d marks are drawn within a second, and not in %.0f ms" % (page.js("markCount"), time),
               time < 1000 and page.js("markCount") > 50_000)
    if name == "hostile":
        expect(name, "names are text", "alert(3)" in page.js("picture.strings.join(' ')")
               and page.js("document.querySelectorAll('img, svg, script:not([type])').length") == 1)


def drive_campaign(name, page):
    """The page of a campaign has no diagram: problems are rows of tables, and curves are there without a script."""
    page.settle()
    count = page.js("problems.length")
    expect(name, "the tools are there", page.js("document.querySelectorAll('#tools button').length >= 1"))
    if count:
        row = "Array.from(document.querySelectorAll('tr.problem')).indexOf(document.activeElement)"
        expect(name, "problems are counted", text(page, "#tools output").startswith("%d problem" % count))
        page.key("n")
        expect(name, "n goes to the first problem", page.js(row) == 0
               and text(page, "#tools output") == "1 of %d" % count)
        page.key("p")
        expect(name, "p goes to the one before", page.js(row) == count - 1)
        expect(name, "which is in view", page.js("(() => { const box = document.activeElement.getBoundingClientRect();"
                                                 " return box.bottom > 0 && box.top < innerHeight; })()"))
        page.key("Escape")
        expect(name, "Esc leaves them", page.js(row) == -1)
    paper = "getComputedStyle(document.body).backgroundColor"
    before = page.js(paper)
    page.key("t")
    expect(name, "t changes between dark and light", page.js(paper) != before)
    page.key("t")
    expect(name, "and back", page.js(paper) == before)
    expect(name, "it prints", len(page.pdf()) > 10_000)
    facts = page.js("document.querySelectorAll('#facts tbody tr').length")
    expect(name, "facts are listed, and not %d" % facts, facts >= 20)
    if name == "campaign":
        drawn = page.js("[1, 2].map((number) => document.querySelectorAll('#curves svg circle').length >= number * 3)")
        expect(name, "the curves have dots and a theory", all(drawn)
               and page.js("document.querySelectorAll('#curves svg polyline.d').length >= 1"))
        ink = "getComputedStyle(document.querySelector('#curves svg text')).fill"
        before = page.js(ink)
        page.key("t")
        expect(name, "the text of curves follows dark and light", page.js(ink) != before)
        page.key("t")
        expect(name, "failures have a command and files", "rollcall run " in text(page, "#failures")
               and "failures/point-1-seed-" in text(page, "#failures"))
        expect(name, "names are text", "alert(1)" in text(page, "h1") and "alert(3)" in text(page, "#curves svg")
               and page.js("document.querySelectorAll('img, script, h1 *, svg *:not(title, text, line, circle,"
                           " polygon, polyline)').length") == 1)
        expect(name, "nothing hidden is in it", "\u202e" not in page.js("document.documentElement.textContent"))


def check(name):
    is_campaign = name.startswith("campaign")
    url = "file://" + os.path.abspath(os.path.join(folder, name + ".html"))
    for scheme in ("light", "dark"):
        with Page(browser, url, scheme=scheme) as page:
            page.settle()
            page.picture(os.path.join(folder, "%s-%s.png" % (name, scheme)))
            if scheme == "light":
                (drive_campaign if is_campaign else drive)(name, page)
            for one in page.complaints:
                expect(name, one[:400], False)
    with Page(browser, url, runs_scripts=False) as page:
        if is_campaign:
            expect(name, "without JavaScript the tables are there", page.js("document.querySelectorAll('table').length > 0"))
            return
        expect(name, "without JavaScript the diagram is hidden, and the tables are there",
               page.js("document.getElementById('diagram').hidden") and page.js("!!document.querySelector('h1, table')"))


names = sorted(file[:-5] for file in os.listdir(folder) if file.endswith(".html"))
for one in names:
    check(one)
    print("  %s" % one)
if failures or not names:
    print("pictures: %d pages, %d failures" % (len(names), len(failures)))
    sys.exit(1)
print("pictures: %d pages opened, driven and printed; nothing logged, nothing asked of a network" % len(names))
