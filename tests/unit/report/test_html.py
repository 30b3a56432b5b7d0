import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from report_runs import call, clos, faulty, finding, mesh_view, run_info, trial, usual_run, write_run

from netopsbench.core.errors import SpecError
from netopsbench.records.answers import Answer
from netopsbench.records.trial import Receipt, TrialError
from netopsbench.report.write import write_report
from netopsbench.scoring.summary import Summary

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """Checks nesting and gathers what the page is made of."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def read(path) -> Page:
    page = Page()
    page.feed(path.read_text())
    page.close()
    assert page.open == []
    return page


def report_of(folder, trials, **run) -> Page:
    return read(write_report(write_run(folder, trials, run_info(trials, **run))))


def test_page_is_well_formed_and_needs_nothing_from_outside(tmp_path):
    page = report_of(tmp_path, usual_run())
    for tag, attributes in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        for name in ("src", "href", "xlink:href", "action", "srcset", "poster"):
            assert (attributes.get(name) or "#").startswith("#"), (tag, attributes)
    source = (tmp_path / "report.html").read_text()
    assert not re.search(r"url\(|@import|https?://|fetch\(|XMLHttpRequest", source)
    assert "default-src 'none'" in source


def test_anchors_lead_somewhere_and_ids_are_unique(tmp_path):
    page = report_of(tmp_path, usual_run())
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {value[1:] for _, each in page.tags if (value := each.get("href"))}
    targets |= {value for _, each in page.tags if (value := each.get("aria-labelledby"))}
    assert targets <= set(ids)


def test_headline_stands_beside_its_interval_floor_and_mark(tmp_path):
    text = report_of(tmp_path, usual_run()).text
    assert "quickstart Practice" in text
    # 1 + 0.5 + 0 + 1 + 0 of 5 cases; leaf2:eth3 everywhere gives 1 + 1 of 5.
    assert "baseline scored 0.50 of 1 on 5 cases (95 % interval 0.17–0.83, Wilson)." in text
    assert "Giving the same answer to every case would score 0.40." in text
    assert "the seed is public" in text
    assert "The xs fabric is for trying out" in text


def test_secret_seed_on_a_larger_fabric_is_a_headline(tmp_path):
    trials = [trial("t-1", case_id="c-1", answer=Answer(verdict="network_healthy"), scale="large")]
    text = report_of(tmp_path, trials, seed_kind="headline").text
    assert "quickstart Headline" in text
    assert "the seed is public" not in text


def test_trials_that_were_not_scored_are_in_the_open(tmp_path):
    text = report_of(tmp_path, usual_run()).text
    assert "effect_not_seen 1" in text
    assert "agent crashed 1" in text
    assert "invalid: effect_not_seen" in text
    assert "leaf1:eth1 stayed up for 8 s" in text


def test_truth_is_marked_only_behind_its_button(tmp_path):
    one = usual_run()[:1]
    report_of(tmp_path, one)
    source = (tmp_path / "report.html").read_text()
    style = source[source.index("<style>") : source.index("</style>")]
    assert ".mark.true, .key.true { display: none; }" in style
    assert ".truth[open] ~ .topology .mark.true { display: inline; }" in style
    body = source[source.index('<details class="trial"') :]
    assert body.index('<details class="truth">') < body.index('<figure class="topology">')
    # leaf1:eth1 is named by nothing outside the answer key but the agent's own evidence and tools.
    before_key = body[: body.index('<details class="truth">')]
    assert "or spine1:eth1" not in before_key
    assert "the device spine1 is right" not in before_key


def test_calls_phases_receipts_and_matrices_are_told(tmp_path):
    text = report_of(tmp_path, usual_run()[:1]).text
    for words in (
        "get_device_interfaces device=leaf1",
        "took 34 ms",
        "NO-CARRIER",
        "restore gate",
        "Before the injection",
        "Loss in percent",
        "0 of 2 pairs lost packets",
    ):
        assert words in text


def test_calls_stay_in_the_order_in_which_they_were_made(tmp_path):
    calls = tuple(call(tool, "{}", at_s=at) for at, tool in enumerate(("tool_z", "tool_a", "tool_m")))
    text = report_of(tmp_path, [trial("t-1", case_id="c-1", calls=calls)]).text
    assert text.index("tool_z") < text.index("tool_a") < text.index("tool_m")


def test_same_records_give_the_same_bytes(tmp_path):
    one = write_report(write_run(tmp_path / "one", usual_run()))
    two = write_report(write_run(tmp_path / "two", list(usual_run())))
    assert one.read_bytes() == two.read_bytes()


HOSTILE = (
    "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)>\" onload='x' {{ 7*7 }} \u202e \x1b[2J \x00"
)


def hostile_trial():
    answer = Answer(
        verdict="fault_detected",
        findings=(finding(HOSTILE, HOSTILE, HOSTILE, HOSTILE),),
        confidence=0.5,
        reasoning=HOSTILE,
    )
    return trial(
        "t-1",
        case_id="c-1",
        agent=HOSTILE,
        truth=faulty("link_down", ("leaf1", "eth1")),
        answer=answer,
        calls=(call(HOSTILE, HOSTILE, **{HOSTILE: HOSTILE}),),
        receipts=(Receipt(step="inject", t_ns=0, what=HOSTILE, seen=HOSTILE, is_as_expected=False),),
        error=TrialError(side="agent", reason="crashed", message=HOSTILE, traceback=HOSTILE),
        agent_stderr=HOSTILE,
        fabric=HOSTILE,
        scale=HOSTILE,
        difficulty=HOSTILE,
    )


def test_hostile_text_stays_text(tmp_path):
    page = report_of(tmp_path, [hostile_trial()], run_id=HOSTILE, campaign=HOSTILE, versions={HOSTILE: HOSTILE})
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert "img" not in [tag for tag, _ in page.tags]
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7*7 }}" in page.text
    source = (tmp_path / "report.html").read_text()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", source)


def test_hostile_text_means_nothing_in_markdown(tmp_path):
    words = "| a | [x](http://e) <b> `c` # d\n# Heading"
    report_of(tmp_path, [trial("t-1", case_id=words, agent=words)])
    markdown = (tmp_path / "report.md").read_text()
    assert "\n# Heading" not in markdown
    assert "[x](" not in markdown
    assert not re.search(r"(?<!\\)<b>", markdown)


def test_long_results_are_cut_and_say_so(tmp_path):
    long_result = "x" * 1_000_000
    page = report_of(tmp_path, [trial("t-1", case_id="c-1", calls=(call("get_route_table", long_result),))])
    assert (tmp_path / "report.html").stat().st_size < 200_000
    assert "Cut here; 1,000,000 characters in all" in page.text


def test_flood_of_findings_is_counted_and_not_shown(tmp_path):
    answer = Answer(verdict="fault_detected", findings=tuple(finding("loss", f"leaf{n}", "eth1") for n in range(3000)))
    page = report_of(tmp_path, [trial("t-1", case_id="c-1", answer=answer)])
    assert "and 2980 more findings" in page.text
    assert (tmp_path / "report.html").stat().st_size < 200_000


def test_broken_trial_file_is_named_and_the_rest_is_reported(tmp_path):
    trials = usual_run()
    folder = write_run(tmp_path, trials)
    (folder / "trials" / "t-02.json").write_text('{"trial_id": "t-02", ')
    text = read(write_report(folder)).text
    assert "trials/t-02.json is left out: it is not a whole trial" in text
    assert "unreadable record" in text
    assert "scored 0.50 of 1 on 4 cases" in text


def test_run_without_a_single_score_still_has_a_report(tmp_path):
    lost = trial(
        "t-1",
        case_id="c-1",
        end="invalid",
        was_question_asked=False,
        error=TrialError(side="infra", reason="deploy_failed", message="no memory"),
        nodes=(),
        links=(),
        baseline_mesh=None,
        fault_mesh=None,
        phases=(),
        calls=(),
        receipts=(),
    )
    text = report_of(tmp_path, [lost], finished_ns=None).text
    assert "No trial could be scored" in text
    assert "The fabric wasn't recorded" in text
    assert "The run has not ended" in text


def test_run_that_has_only_begun_has_a_report(tmp_path):
    planned = trial("t-1", case_id="c-1")
    folder = write_run(tmp_path, [], run_info([planned], finished_ns=None))
    assert "no record" in read(write_report(folder)).text


def test_json_is_the_summary(tmp_path):
    report_of(tmp_path, usual_run())
    text = (tmp_path / "report.json").read_text()
    summary = Summary.model_validate_json(text)
    assert [agent.agent for agent in summary.agents] == ["baseline", "always-faulty"]
    json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def test_folder_that_is_no_run_is_the_users_mistake(tmp_path):
    with pytest.raises(SpecError):
        write_report(tmp_path)


def test_fabric_is_drawn_once_however_many_trials_used_it(tmp_path):
    nodes, links = clos(4, 16, 4)
    view = mesh_view(nodes)
    trials = [
        trial(f"t-{n}", case_id=f"c-{n}", nodes=nodes, links=links, baseline_mesh=view, fault_mesh=view)
        for n in range(10)
    ]
    page = report_of(tmp_path, trials)
    ids = [attributes.get("id") for _, attributes in page.tags]
    assert "fabric-1" in ids
    assert "fabric-2" not in ids
    assert (tmp_path / "report.html").stat().st_size < 400_000


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_browser_shows_the_page_without_an_error(tmp_path):
    page = write_report(write_run(tmp_path / "run", usual_run()))
    done = subprocess.run(
        [
            *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *(f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    # The script's buttons prove that the page's own security policy lets it run.
    assert "Show every truth" in done.stdout
    assert "CONSOLE" not in done.stderr


def printed(page, folder):
    """What a browser that is set to dark prints of a page, as text; and the page's first sheet as grey values."""
    browser = (
        *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--blink-settings=preferredColorScheme=0"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *(f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={folder / 'page.pdf'}", page.as_uri()),
    )
    subprocess.run(browser, capture_output=True, timeout=240, check=True)
    sheet = ["pdftoppm", "-r", "20", "-gray", "-singlefile", str(folder / "page.pdf"), str(folder / "sheet")]
    subprocess.run(sheet, check=True)
    text = subprocess.run(["pdftotext", "-layout", str(folder / "page.pdf"), "-"], capture_output=True, check=True)
    return " ".join(text.stdout.decode().split()), (folder / "sheet.pgm").read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler-utils is not installed")
@pytest.mark.parametrize("trials_on_page", [True, False])
def test_paper_is_white_and_shows_what_was_closed_but_not_every_result(tmp_path, monkeypatch, trials_on_page):
    if not trials_on_page:
        monkeypatch.setattr("netopsbench.report.write.ON_ONE_PAGE", 1)
    page = write_report(write_run(tmp_path / "run", usual_run()))
    text, sheet = printed(page, tmp_path)
    # Each agent's part is closed on the screen but for the first one's.
    assert text.count("Precision") == 2
    assert ("Why this score" in text) is trials_on_page
    assert ("Results of calls are printed only where they were opened" in text) is trials_on_page
    assert '"has_carrier"' not in text
    assert sheet[-1] > 250


def test_colours_of_the_dark_are_for_screens_alone(tmp_path):
    report_of(tmp_path, usual_run())
    page = (tmp_path / "report.html").read_text()
    assert page.count("prefers-color-scheme: dark") == page.count("@media screen and (prefers-color-scheme: dark)") == 1
