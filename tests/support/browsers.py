"""Debian's Chromium, driven by playwright, and what we check of every page in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, expect, sync_playwright

DESK = {"width": 1200, "height": 800}
PHONE = {"width": 390, "height": 844}
PATIENCE = 60_000  # milliseconds: machines are shared, and what is wrong is wrong after a minute too
expect.set_options(timeout=PATIENCE)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    path = shutil.which("chromium")
    assert path, "the tests need a browser: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
        )
        yield browser
        browser.close()


def open_page(browser: Browser, *, phone: bool = False, dark: bool = False, script: bool = True) -> Page:
    """A page with cookies of its own; anything that goes wrong in it is kept in `page.troubles`."""
    context = browser.new_context(
        viewport=PHONE if phone else DESK,  # type: ignore[arg-type]
        device_scale_factor=2 if phone else 1,
        color_scheme="dark" if dark else "light",
        java_script_enabled=script,
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    page.troubles = troubles  # type: ignore[attr-defined]
    return page


def troubles(page: Page) -> list[str]:
    """What went wrong in the page so far: errors of scripts, what the content policy refused."""
    found: list[str] = page.troubles  # type: ignore[attr-defined]
    return found


# Our own accessibility checks, for each of which axe has a rule. Colours are blended down to what is really seen.
_CHECKS = """
() => {
  const wrong = [];
  const seen = (e) => e.checkVisibility({checkVisibilityCSS: true, checkOpacity: true}) && e.getClientRects().length;
  const name = (e) => (e.getAttribute('aria-label') || [...(e.labels || [])].map(l => l.textContent).join(' ') ||
    document.getElementById(e.getAttribute('aria-labelledby'))?.textContent || e.alt ||
    (e.matches('button, a') ? e.textContent : '') || '').trim();
  const what = (e) => e.outerHTML.slice(0, 120);
  for (const e of document.querySelectorAll('input:not([type=hidden]), select, textarea, button, a[href], img'))
    if (seen(e) && !name(e)) wrong.push('no name: ' + what(e));
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  for (const id of new Set(ids)) if (ids.filter(i => i === id).length > 1) wrong.push('id twice: ' + id);
  for (const e of document.querySelectorAll('[aria-describedby]'))
    if (!document.getElementById(e.getAttribute('aria-describedby'))) wrong.push('describes nothing: ' + what(e));
  if (!document.documentElement.lang) wrong.push('no language');
  if (!document.title.trim()) wrong.push('no title');
  if (document.querySelectorAll('main').length !== 1) wrong.push('not one main');
  if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
  for (const e of document.querySelectorAll('table'))
    if (!e.querySelector('th[scope]') || !e.caption) wrong.push('table without headers or caption');
  for (const e of document.querySelectorAll('[tabindex]')) if (e.tabIndex > 0) wrong.push('tabindex: ' + what(e));
  for (const e of document.querySelectorAll('svg:not([aria-hidden=true])'))
    if (!e.getAttribute('aria-label')) wrong.push('picture without a name: ' + what(e));
  const rgba = (c) => { const n = c.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (a, b) => a.slice(0, 3).map((v, i) => v * a[3] + b[i] * (1 - a[3]));
  const ground = (e) => {
    const layers = [];
    for (let n = e; n; n = n.parentElement) layers.push(rgba(getComputedStyle(n).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const light = (c) => { const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let t = walk.nextNode(); t; t = walk.nextNode()) {
    const e = t.parentElement;
    if (!t.textContent.trim() || !seen(e) || e.closest('svg, .unseen, .skip, script') || e.disabled) continue;
    const style = getComputedStyle(e), under = ground(e), [a, b] = [over(rgba(style.color), under), under].map(light);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) wrong.push(`contrast ${ratio.toFixed(2)}: ${t.textContent.trim().slice(0, 40)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page is wider than the window');
  for (const e of document.querySelectorAll('button, .button, input:not([type=hidden]):not([type=checkbox])')) {
    const box = e.getBoundingClientRect();
    if (seen(e) && (box.width < 24 || box.height < 24)) wrong.push('too small to touch: ' + what(e));
  }
  return wrong;
}
"""


def accessibility_faults(page: Page) -> list[str]:
    """What keeps people from using the page: names, headings, contrast, sizes, and the order of the focus."""
    faults: list[str] = page.evaluate(_CHECKS)
    return faults + _focus_faults(page)


def _focus_faults(page: Page) -> list[str]:
    """The tab key goes through everything, from top to bottom, and one sees where it is."""
    faults = []
    page.evaluate("() => { document.activeElement?.blur(); window.scrollTo(0, 0); }")
    last = -1e9
    for number in range(60):
        page.keyboard.press("Tab")
        at = page.evaluate(
            """() => { const e = document.activeElement; if (!e || e === document.body) return null;
            const box = e.getBoundingClientRect(), style = getComputedStyle(e);
            return [e.outerHTML.slice(0, 80), box.top + scrollY, style.outlineStyle, e.className === 'skip',
                    !!e.closest('.answers')]; }"""
        )
        if at is None:
            break
        html, top, outline, skip, sticky = at
        if skip and number:
            break  # once round
        if outline == "none":
            faults.append(f"the focus is not seen on {html}")
        if not skip and not sticky:
            if top < last - 60:
                faults.append(f"the focus goes up to {html}")
            last = top
    return faults
