"""Uses the example views in a preview as a person would. Prints one line a step that held.

    drive_preview.py URL FOLDER-OF-PICTURES COUNTER-SOURCE
"""
import os
import statistics
import sys
import time

from browser import Browser, Failed

url, pictures, source = sys.argv[1:4]
os.makedirs(pictures, exist_ok=True)
browser = Browser()
screen = "#screen "


def view(name):
    browser.click("#views button", name)
    browser.wait(f"document.querySelector('#views [aria-current]')?.innerText === '{name}'", name)


def picture(name):
    browser.picture(os.path.join(pictures, name + ".png"))


def done(step):
    print("held:", step, flush=True)


def counter():
    browser.says("Good morning")
    picture("counter")
    for _ in range(3):
        browser.click(screen + "button", "More")
    browser.says("3")
    browser.click(screen + "button", "5")
    browser.says("1 taps")
    browser.click(screen + "button", "More")
    browser.wait("document.querySelector('#screen').innerText.split('\\n')[1] === '8'", "8")
    done("click")
    browser.click("#dark")
    browser.says("Good evening")
    picture("counter-dark")
    browser.click("#dark")
    browser.says("Good morning")
    browser.click("#rtl")
    browser.wait("getComputedStyle(document.querySelector('#screen')).direction === 'rtl'", "rtl")
    browser.click("#rtl")
    done("switches")


def every_event():
    """Sixty taps in a burst: none is lost."""
    browser.run("""for (let i = 0; i < 60; i++)
      [...document.querySelectorAll('#screen button')].find(b => b.innerText === 'More').click()""")
    browser.wait("document.querySelector('#screen').innerText.split('\\n')[1] === '308'", "308")
    browser.says("Many")
    done("burst")


def chores():
    view("ChoresScreen")
    browser.says("2 of 3 open")
    picture("chores")
    browser.click(screen + "input")
    browser.type("Höney")
    browser.wait("document.querySelector('#screen input').value === 'Höney'", "typed")
    browser.press("Enter", 13)
    browser.says("3 of 4 open")
    browser.wait("document.querySelector('#screen input').value === ''", "emptied")
    browser.click(screen + ".segment", "Done")
    browser.says_not("Water the plants")
    browser.says("Fix the bike")
    browser.click(screen + ".segment", "All")
    browser.click(screen + ".row .t", "Write to Zoë")
    browser.says("Seen 0 times")
    picture("chores-selected")
    done("type and pick")


def settings():
    view("SettingsScreen")
    browser.says("Private profile")
    browser.click(screen + ".toggle")
    browser.says("Only friends see you")
    browser.click(screen + ".stepper button", "Increment")
    browser.says("Copies: 3")
    browser.run("""(() => { const s = document.querySelector('#screen select');
      s.value = s.options[2].value; s.dispatchEvent(new Event('change', { bubbles: true })); })()""")
    browser.wait("document.querySelector('#screen .picker .value').innerText.includes('Dark')",
                 "picked")
    picture("settings")
    browser.click(screen + "button", "Reset")
    browser.says("Ada will be forgotten.")
    picture("settings-alert")
    browser.click(screen + ".alert button", "Cancel")
    browser.says_not("forgotten")
    browser.click(screen + "button", "Delete account")
    browser.says("Delete?")
    picture("settings-dialog")
    browser.click(screen + ".dialog .cancel")
    browser.says_not("Delete?")
    done("toggle, step, pick, alert, dialog")


def shop():
    view("ShopScreen")
    browser.says("Sencha")
    picture("shop")
    browser.click(screen + ".navigation-link", "Rooibos")
    browser.says("Steep for three minutes.")
    picture("shop-detail")
    browser.click(screen + ".back")
    browser.says("Assam")
    browser.click(screen + ".navigation-link", "Rooibos")
    browser.click(screen + "button", "Add to basket")
    browser.says("× 1")
    browser.click(screen + ".bar button")
    browser.says("1 teas, 7 €")
    picture("shop-sheet")
    browser.click(screen + "button", "Done")
    browser.says_not("1 teas")
    browser.click(screen + ".tab", "Orders")
    browser.says("Nothing here yet")
    picture("shop-tab")
    done("navigate, sheet, tabs")


def long_list():
    view("LongListScreen")
    browser.says("10,000 rows")
    rows = "document.querySelectorAll('#screen .row').length"
    before = browser.run(rows)
    for _ in range(3):
        count = browser.run(rows)
        browser.run("document.querySelector('#screen .list').scrollTop ="
                    " document.querySelector('#screen .rest').offsetTop - 300")
        browser.wait(f"{rows} > {count}", "more rows")
    assert browser.run(rows) > before
    picture("long-list")
    done("scroll")
    # A pass keeps the rows that the page has asked for.
    count = browser.run(rows)
    painted = browser.run("+document.querySelector('#figures').dataset.painted")
    browser.click("#dark")
    browser.wait(f"+document.querySelector('#figures').dataset.painted > {painted}", "a pass")
    assert browser.run(rows) >= count, f"{browser.run(rows)} of {count} rows"
    browser.click("#dark")
    done("rows stay")


def language():
    view("LongListScreen")
    def choose(code):
        browser.run(f"""(() => {{ const s = document.querySelector('#locale');
          s.value = '{code}'; s.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()""")
    choose("de")
    browser.says("10.000 rows")
    choose("ar")
    browser.wait("getComputedStyle(document.querySelector('#screen')).direction === 'rtl'", "rtl")
    picture("language")
    choose("")
    browser.says("10,000 rows")
    browser.wait("getComputedStyle(document.querySelector('#screen')).direction === 'ltr'", "ltr")
    done("languages")


def desk():
    """The keyboard's place, settings, work at appearance, keys."""
    view("DeskScreen")
    browser.says("ready")
    browser.says("Nothing is edited")
    browser.click(screen + ".menu > button", "More")
    picture("desk-menu")
    browser.click(screen + "button", "Edit the name")
    browser.says("Editing")
    browser.wait("document.activeElement?.placeholder === 'Name'", "the name has the focus")
    browser.press("End", 35)
    browser.type(" Now")
    browser.says("Nobody Now")
    browser.press("Enter", 13)
    browser.wait("document.activeElement?.placeholder === 'Room'", "the room has the focus")
    browser.press("Enter", 13)
    browser.says("Nothing is edited")
    picture("desk")
    browser.click("#restart")
    browser.says("Nobody Now, Hall")
    done("focus and settings")
    view("GalleryScreen")
    browser.says("Tile 3")
    picture("gallery")
    size = "document.querySelector('#screen').innerHTML.includes('150px')"
    browser.call("Input.dispatchKeyEvent", type="rawKeyDown", key="L", code="KeyL",
                 windowsVirtualKeyCode=76, modifiers=4 | 8)
    browser.call("Input.dispatchKeyEvent", type="keyUp", key="L", code="KeyL", modifiers=4 | 8)
    browser.wait(size, "a key pressed the button")
    done("keys")


def native():
    """The native body beside the patched one."""
    # From the beginning: the edits before this kept only the state whose type is written.
    view("ChoresScreen")
    browser.click("#restart")
    browser.says("2 of 3 open")
    browser.says_not("Selected")
    browser.click("#native")
    browser.wait("['ready', 'failed'].includes(document.body.dataset.native)", "a native build")
    browser.wait("document.querySelector('#same').innerText === 'the same'", "the same tree")
    for at in ("#screen ", "#native-screen "):
        browser.click(at + ".segment", "Done")
        browser.says_not("Write to Zoë")
        browser.click(at + ".segment", "All")
        browser.says("Write to Zoë")
    texts = [browser.run(f"document.querySelector('{at}').innerText")
             for at in ("#screen", "#native-screen")]
    assert texts[0] == texts[1], texts
    picture("side-by-side")
    view("SettingsScreen")
    browser.click("#restart")
    browser.wait("document.querySelector('#same').innerText === 'the same'", "settings")
    view("Counter")
    browser.click("#restart")
    browser.click(screen + "button", "More")
    browser.wait("document.querySelector('#same').innerText === 'the same'", "counter")
    browser.click("#native")
    browser.wait("document.querySelector('#native-side').hidden", "one device")
    done("side by side")


def tree():
    browser.click("#inspect")
    browser.wait("document.querySelectorAll('#tree summary').length > 5", "the tree")
    picture("tree")
    browser.click("#inspect")
    done("tree")


def edit():
    view("Counter")
    browser.says("Many")
    generation = browser.run("document.body.dataset.generation")
    with open(source, encoding="utf-8") as file:
        text = file.read()
    begun = time.monotonic()
    with open(source, "w", encoding="utf-8") as file:
        file.write(text.replace('"Many"', '"A great many"'))
    browser.wait(f"document.body.dataset.generation !== '{generation}'", "a new build")
    browser.says("A great many")
    print(f"figure: edit to new screen {time.monotonic() - begun:.1f} s", flush=True)
    assert "308" in browser.text(), "the state is kept"
    done("edit")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text.replace("count += step", "count += nothing"))
    browser.wait("!document.querySelector('#failure').hidden", "the compiler's words")
    words = browser.run("document.querySelector('#failure').innerText")
    assert "Counter.swift:" in words and "nothing" in words, words
    assert "308" in browser.text(), "the view of the build before stays"
    picture("edit-failure")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    browser.wait("document.querySelector('#failure').hidden", "a build that succeeds")
    done("error")


def latency():
    view("ChoresScreen")
    browser.says("Fix the bike")
    times, guest = [], []
    for number in range(30):
        painted = browser.run("+document.querySelector('#figures').dataset.painted")
        browser.click(screen + ".segment", "All" if number % 2 else "Open")
        browser.wait(f"+document.querySelector('#figures').dataset.painted > {painted}", "paint")
        times.append(float(browser.run("document.querySelector('#figures').dataset.milliseconds")))
        guest.append(float(browser.run("document.querySelector('#figures').dataset.guest")))
    print(f"figure: event to new screen, median {statistics.median(times):.1f} ms, "
          f"guest {statistics.median(guest):.2f} ms", flush=True)


try:
    browser.open(url + "/#Counter")
    for step in (counter, every_event, chores, settings, shop, long_list, language, desk, tree,
                 edit, latency, native):
        step()
except (Failed, AssertionError) as fault:
    picture("fault")
    print(f"failed: {fault}", flush=True)
    sys.exit(1)
finally:
    browser.close()
