"""How `influx://…` is read."""

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.telemetry.influx_address import parse_influx


def test_telegraf_takes_what_is_written_and_influxdb_answers_queries() -> None:
    address = parse_influx("influx://db.example:9999/lab/week?telegraf=http://t.example:8186&org=noc", {})
    assert (address.url, address.write_url) == ("http://db.example:9999", "http://t.example:8186")
    assert (address.bucket, address.org, address.has_telegraf) == ("lab/week", "noc", True)


def test_without_telegraf_points_go_to_influxdb_itself() -> None:
    address = parse_influx("influxs://db.example/lab", {})
    assert address.write_url == address.url == "https://db.example:8086"
    assert not address.has_telegraf


@pytest.mark.parametrize(
    ("written", "token"),
    [
        ("influx://anna:secret@db.example/lab", "anna:secret"),
        ("influx://:a-2.x-token@db.example/lab", "a-2.x-token"),
        ("influx://anna:p%40ss@db.example/lab", "anna:p@ss"),
        ("influx://db.example/lab", ""),
    ],
)
def test_a_token_of_either_version_stands_before_the_host(written: str, token: str) -> None:
    assert parse_influx(written, {}).token == token


def test_tokens_of_the_environment_come_first_and_each_goes_to_its_own_server() -> None:
    known = {"NETOPSBENCH_INFLUX_TOKEN": "for the server", "NETOPSBENCH_TELEGRAF_TOKEN": "for telegraf"}
    behind = parse_influx("influx://anna:secret@db.example/lab?telegraf=http://t.example:8186", known)
    assert (behind.token, behind.write_token) == ("for the server", "for telegraf")
    direct = parse_influx("influx://db.example/lab", known)
    assert direct.write_token == "for the server"


def test_every_mistake_is_named_at_once_and_no_password_among_them() -> None:
    with pytest.raises(SpecError) as mistakes:
        parse_influx("influx://anna:secret@:99/two words?telegraf=8186&retention=1&topology_id=a,b", {})
    assert [problem.key for problem in mistakes.value.problems] == [
        "host", "bucket", "retention", "telegraf", "topology_id",
    ]  # fmt: skip
    assert "secret" not in str(mistakes.value)


@pytest.mark.parametrize("text", ["mysql://db/lab", "influx", "influx://h:99999/lab", "influx:///lab", ""])
def test_what_is_no_address_is_refused_with_the_form_of_one(text: str) -> None:
    with pytest.raises(SpecError, match="influx://HOST:PORT/BUCKET"):
        parse_influx(text, {})
