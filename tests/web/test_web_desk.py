"""A steward at the desk, in a real browser: clusters are split, joined, moved and locked, and everything is undone."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import accessibility_faults, chromium, open_page, troubles
from playwright.sync_api import Browser, Page, expect
from sites import PASSWORD, Served, served

from askwise import Vote
from askwise.project.cluster_evidence import SAME, UNASKED, YES, pairs_inside, seam_between, weakest_seam

SIZE = 6


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Served]:
    """Two clusters of six and three records, and one record alone."""
    groups = {"a": SIZE, "b": 3, "c": 1}
    records = [
        {"unique_id": f"{letter}{at}", "name": f"{letter * 4} {at}", "city": "Rome", "note": "שלום" if at else "مرحبا"}
        for letter, size in groups.items()
        for at in range(size)
    ]
    ids = [str(record["unique_id"]) for record in records]
    pairs = [(one, two) for at, one in enumerate(ids) for two in ids[at + 1 :] if one[0] == two[0] or at % 3 == 0]
    scored = [{"unique_id_l": one, "unique_id_r": two, "score": 0.9 if one[0] == two[0] else 0.2} for one, two in pairs]
    with served(tmp_path / "project", records, scored, votes=2) as site:
        # The last pair of the largest cluster is never asked.
        asked = [pair for pair in pairs if pair != (f"a{SIZE - 2}", f"a{SIZE - 1}")]
        votes = [Vote(one, two, worker, one[0] == two[0]) for one, two in asked for worker in ("Maria", "Jonas")]
        site.project.add_votes(votes, "test")
        site.project.refresh()
        yield site


def partition(site: Served) -> set[frozenset[str]]:
    return {frozenset(row.members) for row in site.project.clusters()}


def cluster(site: Served, record: str) -> int:
    return next(row.id for row in site.project.clusters() if record in row.members)


def at_cluster(browser: Browser, site: Served, record: str, **kind: bool) -> Page:
    page = open_page(browser, **kind)
    page.goto(f"{site.address}/login")
    page.get_by_label("Password or token").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Progress")).to_be_visible()
    page.goto(f"{site.address}/clusters/{cluster(site, record)}")
    expect(page.get_by_role("heading", name=re.compile("^Cluster"))).to_be_visible()
    return page


def a(*numbers: int) -> frozenset[str]:
    return frozenset(f"a{number}" for number in numbers)


def test_a_cluster_is_split_into_three_by_keys_undone_and_redone(browser: Browser, site: Served) -> None:
    before = partition(site)
    others = before - {a(*range(SIZE))}
    page = at_cluster(browser, site, "a0")
    for number, records in ((2, (1, 2)), (3, (4,))):
        for record in records:
            page.get_by_label(f"Tick record a{record}").focus()
            page.keyboard.press("Space")
        page.keyboard.press("g" if number == 2 else "3")
        expect(page.locator(f'tbody[data-group="{number}"] tr[data-record]')).to_have_count(len(records))
    page.keyboard.press("s")
    expect(page.get_by_role("heading", name="Split a cluster")).to_be_visible()
    expect(page.get_by_text("No other cluster changes")).to_be_visible()
    assert accessibility_faults(page) == []
    assert partition(site) == before, "a preview changes nothing"
    page.keyboard.press("e")
    expect(page.get_by_role("status")).to_contain_text("1 cluster with 6 records becomes 3 clusters")
    after = others | {a(0, 3, 5), a(1, 2), a(4)}
    assert partition(site) == after
    page.keyboard.press("u")
    expect(page.get_by_role("heading", name="Undo an edit")).to_be_visible()
    page.keyboard.press("e")
    expect(page.get_by_role("status")).to_contain_text("is undone")
    assert partition(site) == before
    page.keyboard.press("u")
    expect(page.get_by_role("heading", name="Redo an edit")).to_be_visible()
    page.keyboard.press("e")
    expect(page.get_by_role("status")).to_contain_text("is redone")
    assert partition(site) == after
    page.goto(f"{site.address}/edits")
    for at, said in enumerate(("Redid", "Undid", "Split into groups of 2, 1 and 3 records")):
        expect(page.locator("tbody tr").nth(at)).to_contain_text(said)
    assert troubles(page) == []


def test_rows_are_dragged_into_groups(browser: Browser, site: Served) -> None:
    page = at_cluster(browser, site, "a0")
    page.set_viewport_size({"width": 1200, "height": 1600})  # whoever drags sees both ends
    page.get_by_label("Tick record a1").check()
    page.get_by_role("button", name="Ticked to a new group").click()
    expect(page.locator('tbody[data-group="2"] tr[data-record]')).to_have_count(1)
    page.locator("tr[data-record]", has_text="a3").drag_to(page.locator('tbody[data-group="2"] tr.group'))
    expect(page.locator('tbody[data-group="2"] tr[data-record]')).to_have_count(2)
    page.wait_for_load_state()
    page.locator("tr[data-record]", has_text="a4").drag_to(page.get_by_role("button", name="Ticked to a new group"))
    expect(page.locator('tbody[data-group="3"] tr[data-record]')).to_have_count(1)
    page.get_by_role("button", name="Preview the split").click()
    page.get_by_role("button", name="Back to the groups").click()
    expect(page.locator('tbody[data-group="2"] tr[data-record]')).to_have_count(2)
    page.get_by_role("button", name="Preview the split").click()
    page.get_by_label("Note").fill("two brothers")
    page.get_by_role("button", name="Split", exact=True).click()
    expect(page.locator("#history")).to_contain_text("two brothers")
    assert {a(1, 3), a(4), a(0, 2, 5)} <= partition(site)


def test_without_script_records_move_clusters_join_and_are_locked(browser: Browser, site: Served) -> None:
    page = at_cluster(browser, site, "a0", script=False)
    page.get_by_label("Group of record a5").fill("2")
    page.get_by_role("button", name="Preview the split").click()
    page.get_by_role("button", name="Split", exact=True).click()
    assert a(5) in partition(site)
    page.goto(f"{site.address}/clusters/{cluster(site, 'a0')}")
    page.get_by_label("Tick record a4").check()
    page.get_by_label("Other cluster, or a record in it").fill("a5")
    page.get_by_role("button", name="Move the ticked there").click()
    page.get_by_role("button", name="Move", exact=True).click()
    assert {a(4, 5), a(0, 1, 2, 3)} <= partition(site)
    page.get_by_label("Other cluster, or a record in it").fill("b0")
    page.get_by_role("button", name="Join the two").click()
    page.get_by_role("button", name="Join", exact=True).click()
    joined = next(group for group in partition(site) if "b0" in group)
    assert len(joined) in (5, 7)
    page.get_by_role("button", name="Lock as reviewed").click()
    page.get_by_role("button", name="Lock", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("approved"))).to_be_visible()
    page.get_by_label("Comment").fill("checked by phone")
    page.get_by_role("button", name="Save the comment").click()
    expect(page.locator("#comments")).to_contain_text("checked by phone")


def test_wrong_input_is_an_error_and_changes_nothing(site: Served) -> None:
    owner, number, before = site.owner(), cluster(site, "a0"), partition(site)
    page = f"/clusters/{number}"
    shown = {"member": ["a0", "a1"], "group": ["1", "2"]}
    for form, said in [
        ({"do": "split"}, "tick the records"),
        ({"do": "group:new"}, "tick the records"),
        ({"do": "group:99", "tick": "a0"}, "no group 99"),
        ({"do": "page:x"}, "not a whole number"),
        ({"do": "split", "member": "a0"}, "reload the page"),
        ({"do": "split", "member": "a0", "group": "-1"}, "not a whole number"),
        ({"do": "split", "member": "b0", "group": "2"}, "not in this cluster"),
        ({"do": "split", "draft": "{"}, "cannot be read"),
        ({"do": "split", "draft": '{"a0": "x"}'}, "not a whole number"),
        ({"do": "move", "tick": "a0", "to": ""}, "number of the other cluster"),
        ({"do": "move", "to": "b0"}, "tick the records"),
        ({"do": "join", "to": "zzz"}, "no cluster or record"),
        ({"do": "join", "to": str(number)}, "is this cluster"),
        ({"do": "glue"}, "not an edit"),
    ]:
        status, _, text = owner.post(page, page, **form)
        assert (status, said in text.lower() or said in text) == (422, True), (form, text)
    assert owner.post(page, page, do="split", **shown)[0] == 200
    for groups in ("", "{", "[1]", '[["a0"], ["a0"]]', '[["zzz"]]'):
        assert owner.post("/edits", page, kind="split", groups=groups)[0] == 422, groups
    assert owner.post("/edits", page, kind="split", groups='[["a0"]]', seen="old")[0] == 409, "not what was shown"
    assert owner.call("GET", "/edits/7/undo")[0] == owner.call("GET", "/edits/7/glue")[0] == 422
    assert owner.post("/pair/vote", page, left="a0", right="a1", answer="maybe")[0] == 422
    assert owner.post(f"{page}/review", page, kind="forget")[0] == 422
    assert partition(site) == before
    assert site.project.desk.edits == []


def test_why_two_are_together_and_a_decision_withdrawn(browser: Browser, site: Served) -> None:
    page = at_cluster(browser, site, "a0")
    page.goto(f"{site.address}/pair?left=a{SIZE - 2}&right=a{SIZE - 1}")
    expect(page.locator("#why svg.signed").first).to_be_visible()
    expect(page.locator("#why .odds tbody tr").last).to_contain_text("In total")
    expect(page.locator("#why")).to_contain_text("strongest path")
    assert page.locator(".path .weakest").count() >= 1
    page.get_by_role("button", name="They are different").click()
    expect(page.locator("#decisions")).to_contain_text("Decided: they are different")
    page.get_by_role("link", name="Withdraw the decision").click()
    page.get_by_role("button", name="Undo").click()
    page.goto(f"{site.address}/pair?left=a{SIZE - 2}&right=a{SIZE - 1}")
    expect(page.locator("#decisions")).not_to_contain_text("Decided")
    joined = site.project.editing.edit("join", [["b0", "c0"]], "Ann")
    page.goto(f"{site.address}/pair?left=c0&right=b2")
    expect(page.locator("#decisions")).to_contain_text(f"By Ann, just now, with edit {joined.id}. Joined 4 records")
    page.get_by_role("link", name="Undo this edit").click()
    page.get_by_role("button", name="Undo").click()
    page.goto(f"{site.address}/pair?left=c0&right=b2")
    expect(page.locator("#decisions")).not_to_contain_text("Decided")
    assert troubles(page) == []


def test_columns_are_chosen_ordered_hidden_and_folded(browser: Browser, site: Served) -> None:
    page = at_cluster(browser, site, "a0")
    expect(page.locator(".fold")).to_have_text(["city Rome"])
    page.get_by_role("link", name="Choose columns").click()
    page.get_by_label("Place of note").fill("1")
    page.get_by_label("Place of name").fill("2")
    page.get_by_label("Show city").uncheck()
    page.get_by_role("button", name="Save for me").click()
    heads = page.locator("table.records").first.locator("thead th")
    expect(heads).to_have_text(["Tick", "Record", "note", "name", "Group"])
    expect(page.get_by_text("Hidden columns: city")).to_be_visible()
    page.goto(f"{site.address}/columns")
    page.get_by_role("button", name=re.compile("^Use the project")).click()
    assert site.project.desk.preference("owner", "columns") is None


def test_keys_are_changed_and_switched_off(browser: Browser, site: Served) -> None:
    page = at_cluster(browser, site, "a0")
    page.goto(f"{site.address}/keys")
    page.get_by_label("Approve the cluster").fill("w")
    page.get_by_role("button", name="Save").click()
    page.goto(f"{site.address}/clusters/{cluster(site, 'a0')}")
    page.keyboard.press("a")
    page.keyboard.press("w")
    expect(page.get_by_role("status")).to_contain_text("is approved")
    page.goto(f"{site.address}/keys")
    page.get_by_label("Approve the cluster").fill("r")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("given twice")
    page.goto(f"{site.address}/keys")
    page.get_by_role("button", name="Switch keys off").click()
    page.goto(f"{site.address}/clusters/{cluster(site, 'b0')}")
    assert page.locator("kbd").count() == 0
    page.keyboard.press("w")
    expect(page.get_by_role("heading", name=re.compile("new"))).to_be_visible()


def test_what_holds_a_cluster(site: Served) -> None:
    project = site.project
    members = sorted(a(*range(SIZE)))
    found = pairs_inside(project, members[::-1])
    known = {
        (members[::-1][u], members[::-1][v]): k for u, v, k in zip(found.left, found.right, found.known, strict=True)
    }
    both = {frozenset(pair): k for pair, k in known.items()}
    assert both[frozenset(("a4", "a5"))] == UNASKED
    assert both[frozenset(("a0", "a1"))] == YES
    assert len(both) == SIZE * (SIZE - 1) // 2
    project.decide("a4", "a5", True)
    assert SAME in pairs_inside(project, members).known
    seam = weakest_seam(project, members)
    assert seam is not None
    assert sorted((*seam.one, *seam.two)) == members
    assert seam.total == len(seam.one) * len(seam.two)
    between = seam_between(project, members, ["b0", "b1", "b2"])
    assert between.log_odds < 0 < between.total


def test_the_queue_by_keys_with_filters_views_and_bulk_approval(browser: Browser, site: Served) -> None:
    page = at_cluster(browser, site, "a0")
    page.goto(f"{site.address}/clusters")
    expect(page.locator("#list tbody tr")).to_have_count(3)
    page.get_by_text("Filter and order").click()
    page.get_by_label("Records, from").fill("2")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#list tbody tr")).to_have_count(2)
    page.get_by_label("Name").fill("Pairs and more")
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto(f"{site.address}/clusters")
    page.get_by_role("link", name="Pairs and more").click()
    expect(page.locator("#list tbody tr")).to_have_count(2)
    page.keyboard.press("j")
    expect(page.get_by_label("Queue")).to_contain_text("1 of 2 clusters")
    first = page.url
    page.keyboard.press("j")
    expect(page.get_by_label("Queue")).to_contain_text("2 of 2 clusters")
    page.keyboard.press("k")
    expect(page.get_by_label("Queue")).to_contain_text("1 of 2 clusters")
    assert page.url == first
    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("is approved")
    expect(page.get_by_label("Queue")).to_contain_text("2 of 2 clusters")
    page.keyboard.press("z")
    expect(page.get_by_role("status")).to_contain_text("is undone")
    expect(page.get_by_role("heading", name=re.compile("new"))).to_be_visible()
    page.keyboard.press("y")
    expect(page.get_by_role("status")).to_contain_text("is redone")
    page.goto(f"{site.address}/clusters")
    page.get_by_label("Confidence from %").fill("1")
    page.get_by_role("button", name="Count").click()
    page.get_by_role("button", name="Approve 2 clusters").click()
    expect(page.get_by_role("status")).to_contain_text("Approved 2 clusters")
    expect(page.locator("#totals")).to_contain_text("approved: 3")
    page.keyboard.press("z")
    expect(page.get_by_role("status")).to_contain_text("is undone")
    expect(page.locator("#totals")).to_contain_text("approved: 1")
    page.keyboard.press("y")
    expect(page.get_by_role("status")).to_contain_text("is redone")
    expect(page.locator("#totals")).to_contain_text("approved: 3")
    assert accessibility_faults(page) == []
    assert troubles(page) == []


def test_a_split_stays_in_the_queue_and_an_undo_leads_back(browser: Browser, site: Served) -> None:
    page = at_cluster(browser, site, "a0")
    page.goto(f"{site.address}/clusters?least_size=2")
    page.keyboard.press("j")
    expect(page.get_by_label("Queue")).to_be_visible()
    number = page.url.partition("?")[0]
    page.get_by_role("link", name="Prepare this split").click()
    expect(page.locator("tbody[data-group]")).to_have_count(2)
    page.keyboard.press("s")
    expect(page.get_by_role("heading", name="Split a cluster")).to_be_visible()
    page.keyboard.press("e")
    expect(page.get_by_role("status")).to_contain_text("can be undone")
    expect(page.get_by_label("Queue")).to_be_visible()
    expect(page.locator("tbody[data-group]")).to_have_count(1)
    page.keyboard.press("z")
    expect(page.get_by_role("status")).to_contain_text("is undone")
    expect(page.get_by_label("Queue")).to_be_visible()
    assert page.url.partition("?")[0] == number


def test_enter_joins_the_cluster_that_was_typed(browser: Browser, site: Served) -> None:
    page, number = at_cluster(browser, site, "a0"), cluster(site, "a0")
    page.get_by_label("Other cluster").fill("c0")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Join clusters")).to_be_visible()
    page.keyboard.press("e")
    expect(page.get_by_role("status")).to_contain_text("can be undone")
    page.keyboard.press("z")
    expect(page.get_by_role("heading", name=re.compile(f"^Cluster {number} "))).to_be_visible()
    page.keyboard.press("s")
    expect(page.get_by_text("Tick the records that leave the cluster")).to_be_visible()
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_role("heading", name=re.compile(f"^Cluster {number} "))).to_be_visible()


def test_the_log_is_in_words(site: Served) -> None:
    site.project.change_settings(instructions="The same person", image_fields=["name"])
    site.link("Maria")
    log = site.owner().get("/edits")
    assert "Made link 1 for Maria, as a worker" in log
    assert "{&#34;" not in log


def test_a_bad_filter_is_an_error(site: Served) -> None:
    owner = site.owner()
    for query in (
        "least_size=x",
        "least_confidence=200",
        "order=glue",
        "state=glue",
        "value=name",
        "above=x",
        "page=0",
    ):
        assert owner.call("GET", f"/clusters?{query}")[0] == 422, query
    csrf = owner.csrf("/clusters")
    assert owner.call("POST", "/queue/approve", {"csrf": csrf, "above": "101", "count": "1"})[0] == 422
    owner.call("POST", "/queue/approve", {"csrf": csrf, "above": "1", "count": "99"})
    assert site.project.desk.undoable() is None, "another number of clusters than was shown"


def test_stewards_readers_and_hidden_fields(browser: Browser, site: Served) -> None:
    page = at_cluster(browser, site, "a0")
    page.get_by_role("link", name="People").click()
    for name, role, password in (("Sue", "steward", "a password of Sue"), ("Rob", "reader", "")):
        page.get_by_label("Name").fill(name)
        page.get_by_label("Role").select_option(role)
        page.get_by_label("Password", exact=True).fill(password)
        page.get_by_role("button", name="Add").click()
        expect(page.get_by_role("status")).to_contain_text(name)
    link = page.locator("#link").inner_text()
    expect(page.locator("tbody tr")).to_have_count(2)
    assert accessibility_faults(page) == []
    page.goto(f"{site.address}/settings")
    page.get_by_label("Fields hidden from readers").fill("note")
    page.get_by_label("Fields hidden from workers").fill("city, note")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Saved")

    sue = open_page(browser)
    sue.goto(f"{site.address}/login")
    sue.get_by_label("Name").fill("Sue")
    sue.get_by_label("Password or token").fill("a password of Sue")
    sue.get_by_role("button", name="Log in").click()
    expect(sue.get_by_role("link", name="Settings")).to_have_count(0)
    sue.goto(f"{site.address}/clusters/{cluster(site, 'b0')}")
    sue.get_by_role("button", name="Approve").click()
    expect(sue.get_by_text("Approved by Sue")).to_be_visible()
    sue.goto(f"{site.address}/account")
    assert accessibility_faults(sue) == []

    rob = open_page(browser)
    rob.goto(link)
    expect(rob.get_by_role("heading", name="Progress")).to_be_visible()
    rob.goto(f"{site.address}/clusters/{cluster(site, 'a0')}")
    expect(rob.get_by_role("heading", name=re.compile("^Cluster"))).to_be_visible()
    expect(rob.get_by_role("button", name="Approve")).to_have_count(0)
    expect(rob.locator("table.records thead").first).to_have_text("Recordname")
    for path in ("record?id=a0", "pair?left=a0&right=a1", "search?words=a0", "clusters", "progress"):
        rob.goto(f"{site.address}/{path}")
        assert "مرحبا" not in rob.content(), path
        assert accessibility_faults(rob) == []
    rob.goto(f"{site.address}/search?words=مرحبا")
    expect(rob.get_by_text("No record has all of these words")).to_be_visible()
    maria = open_page(browser)
    maria.goto(site.address + site.link("Mona"))
    expect(maria.locator("main")).to_be_visible()
    assert "Rome" not in maria.content()
    assert [trouble for one in (page, sue, rob) for trouble in troubles(one)] == []


def test_golden_records_and_exports(browser: Browser, site: Served) -> None:
    page = at_cluster(browser, site, "a0")
    page.get_by_role("link", name="Golden record").click()
    expect(page.get_by_role("row", name=re.compile("^city"))).to_contain_text("most common")
    assert accessibility_faults(page) == []
    page.get_by_label("Value of name by hand").fill("Anna A.")
    page.get_by_role("button", name="Set name by hand").click()
    expect(page.get_by_role("row", name=re.compile("^name"))).to_contain_text("by hand")
    page.get_by_role("link", name="The rules").click()
    page.get_by_label("Rule of note").select_option("longest")
    page.get_by_role("button", name="Save for everyone").click()
    expect(page.get_by_role("status")).to_contain_text("The rules are saved")
    assert accessibility_faults(page) == []
    site.project.editing.review("approve", [["b0", "b1", "b2"]], "Ada")
    page.goto(f"{site.address}/export")
    assert accessibility_faults(page) == []
    for label in ("approved clusters", "golden records", "review state"):
        page.get_by_label(label).check()
    with page.expect_download() as download:
        page.get_by_role("button", name="clusters.csv").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 3, "the records of the cluster that is approved"
    assert {"golden_name", "state"} & set(lines[0].split(",")), lines[0]
    assert "Ada" in lines[1]
    owner = site.owner()
    assert "Anna A." in owner.get("/export/clusters?form=json&golden=yes&one=yes")
    for query in ("form=exe", "form=csv&confidence=x", "form=csv&confidence=101"):
        assert owner.call("GET", f"/export/clusters?{query}")[0] == 422, query
    assert troubles(page) == []


def test_an_undo_that_would_do_something_else_by_now_is_shown_again(site: Served) -> None:
    """Meanwhile, another steward has decided about the same records."""
    editing = site.project.editing
    first = editing.edit("split", [["a0", "a1"], ["a2", "a3", "a4", "a5"]], "Ann")
    owner = site.owner()
    shown = owner.get(f"/edits/{first.id}/undo")
    seen = re.search(r'name="seen" value="(\w+)"', shown)
    assert seen is not None
    editing.edit("split", [["a2"], ["a3", "a4", "a5"]], "Ben")
    before = partition(site)
    form = {"csrf": owner.csrf("/settings"), "seen": seen[1]}
    status, _, said = owner.call("POST", f"/edits/{first.id}/undo", form)
    assert status == 409
    assert "Something has changed meanwhile. Please look again." in said
    assert partition(site) == before
    again = re.search(r'name="seen" value="(\w+)"', said)
    assert again is not None
    assert owner.call("POST", f"/edits/{first.id}/undo", form | {"seen": again[1]})[0] == 303
    assert partition(site) != before
