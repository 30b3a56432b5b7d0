"""Runs of many trials: an index, and a page for each case."""

import re
from html.parser import HTMLParser

import pytest
from report_runs import faulty, run_info, trial, write_run

from netopsbench.records.answers import Answer
from netopsbench.report.html import case_pages
from netopsbench.report.write import ON_ONE_PAGE, write_report

CASES = 30


class Links(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.hrefs, self.ids = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.hrefs += [found["href"]] if "href" in found else []
        self.ids += [found["id"]] if "id" in found else []


@pytest.fixture
def many(tmp_path):
    """A run with too many trials for one page."""
    link, said = faulty("link_down", ("leaf1", "eth1")), Answer(verdict="network_healthy", confidence=0.5)
    trials = [
        trial(f"t{n}{agent[0]}", case_id=f"c{n}", agent=agent, truth=link if n % 2 else None, answer=said, scale=scale)
        for n, scale in zip(range(CASES), ["xs", "small"] * CASES, strict=False)
        for agent in ("baseline", "nop")
    ]
    assert len(trials) > ON_ONE_PAGE
    write_report(write_run(tmp_path, trials))
    return tmp_path


def test_index_links_lead_to_pages_and_places_that_are_there(many):
    index = Links((many / "report.html").read_text())
    pages = [href for href in index.hrefs if href.startswith("cases/")]
    assert len(pages) == 2 * CASES
    for href in pages:
        page, _, anchor = href.partition("#")
        assert anchor in Links((many / page).read_text()).ids


def test_case_pages_lead_back_and_to_their_neighbours(many):
    links = Links((many / "cases" / "c7.html").read_text())
    assert {"../report.html#cases", "c6.html", "c8.html"} <= set(links.hrefs)
    assert "c1.html" in Links((many / "cases" / "c0.html").read_text()).hrefs
    assert len(links.ids) == len(set(links.ids))


def test_index_stays_small_and_holds_no_trial(many):
    text = (many / "report.html").read_text()
    assert '<details class="trial"' not in text
    assert len(text) < 100_000


def test_pages_need_nothing_from_outside(many):
    for path in (many / "report.html", *(many / "cases").iterdir()):
        text = path.read_text()
        assert not re.search(r"url\(|@import|https?://|fetch\(|XMLHttpRequest", text)
        assert "default-src 'none'" in text


def test_truth_of_a_case_is_shown_only_on_demand(many):
    text = (many / "cases" / "c1.html").read_text()
    assert text.index("Show truth") < text.index("link_down")
    assert '<details class="truth" open' not in text


def test_heat_map_has_a_cell_for_each_fault_and_scale_and_says_where_there_is_none(many):
    text = (many / "report.html").read_text()
    # Odd cases are faulty and on the small fabric, even ones healthy on the smallest.
    assert "link_down at small: 0.00 on 15 cases" in text
    assert "healthy at xs: 1.00 on 15 cases" in text
    assert text.count("no case</span>") == 2 * 2


def test_differences_and_confidence_are_told(many):
    text = (many / "report.html").read_text()
    assert "baseline − nop" in text
    assert "Expected calibration error" in text
    assert "baseline − nop" in (many / "report.md").read_text()


def test_a_case_id_that_makes_no_file_name_gets_another(tmp_path):
    pages = case_pages(["../../etc/passwd", "c1", "c1", "a b"])
    assert len(pages) == 3
    assert pages["c1"] == "c1.html"
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+\.html", name) for name in pages.values())


def test_earlier_tries_are_told_on_the_page_of_the_trial(tmp_path):
    earlier = [{"started_ns": 1, "reason": "effect_not_seen", "was_question_asked": True}]
    one = trial("t1", case_id="c1", earlier=earlier)
    text = write_report(write_run(tmp_path, [one])).read_text()
    assert "Tries before this one: effect not seen after the question" in " ".join(text.split())


def test_a_secret_seed_is_told_with_its_hash_once_it_is_known(tmp_path):
    one = trial("t1", case_id="c1")
    run = run_info([one], seed_kind="headline", seed_sha256="f00d", seed=None)
    assert "the seed is told when the run has ended" in write_report(write_run(tmp_path, [one], run)).read_text()
    told = run.model_copy(update={"seed": 4711})
    text = write_report(write_run(tmp_path, [one], told)).read_text()
    assert "<code>f00d</code>" in text
    assert "<code>4711</code>" in text


def test_accepted_changes_stand_before_the_figures(tmp_path):
    one = trial("t1", case_id="c1")
    sitting = {"started_ns": 1, "workers": 2, "accepted_changes": ("code was old, now it is new",)}
    text = write_report(write_run(tmp_path, [one], run_info([one], sittings=(sitting,)))).read_text()
    assert "Accepted when the run was resumed: code was old, now it is new." in text
