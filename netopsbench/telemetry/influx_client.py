"""InfluxDB's v2 API through influxdb-client, its failures translated; the only module that imports it."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from influxdb_client.client.influxdb_client import InfluxDBClient
from influxdb_client.client.write_api import SYNCHRONOUS
from influxdb_client.domain.bucket_retention_rules import BucketRetentionRules
from influxdb_client.domain.post_bucket_request import PostBucketRequest
from influxdb_client.domain.write_precision import WritePrecision
from influxdb_client.rest import ApiException
from urllib3.exceptions import HTTPError

from netopsbench.core.errors import InfraError
from netopsbench.telemetry.influx_address import InfluxAddress
from netopsbench.telemetry.influx_delivery import InfluxTroubleError
from netopsbench.telemetry.influx_version import SUPPORTED, major_version

CALL_TIMEOUT_S = 20.0
LASTING = {400, 401, 403, 404, 405, 413, 422}
"""Answers that don't change by asking again."""
LONGEST_REASON = 300
NO_BUCKET = re.compile(
    r"no database|database not found|retention policy not found|could not find bucket|bucket .* not found"
)
"""InfluxDB 1.x says it with a 500."""

csv.field_size_limit(1 << 24)


class InfluxConnection:
    """Telegraf's listener for writing, InfluxDB for the rest."""

    def __init__(self, address: InfluxAddress) -> None:
        self._address = address
        timeout_ms = int(CALL_TIMEOUT_S * 1000)
        self._front = InfluxDBClient(
            url=address.write_url, token=address.write_token or "none", org=address.org, timeout=timeout_ms
        )
        self._server = InfluxDBClient(
            url=address.url, token=address.token or "none", org=address.org, timeout=timeout_ms
        )

    def write(self, bucket: str, lines: Sequence[str]) -> None:
        """Hand the lines to Telegraf, which doesn't mean that they are stored."""
        who = "Telegraf" if self._address.has_telegraf else "InfluxDB"
        self._write(self._front, bucket, lines, f"{who} at {self._address.write_url}")

    def write_directly(self, bucket: str, lines: Sequence[str]) -> None:
        """Hand the lines to InfluxDB past Telegraf, to learn what it says of them."""
        self._write(self._server, bucket, lines, f"InfluxDB at {self._address.url}")

    def query(self, flux: str) -> list[dict[str, str]]:
        """Rows that a Flux query gives; a column that a row hasn't is missing in it."""
        with self._translated(f"InfluxDB at {self._address.url}"):
            dialect = {"header": True, "delimiter": ",", "annotations": [], "commentPrefix": "#"}
            response = self._server.query_api().query_raw(flux, dialect=dialect)
            text = response.data.decode()
        return list(_rows(text))

    def is_version_1(self) -> bool:
        """Whether it is an InfluxDB 1.x, else it is a 2.x. Raises InfraError for a version that can't be used."""
        who = f"InfluxDB at {self._address.url}"
        with self._translated(who):
            said = str(self._server.version())
        major = major_version(said)
        if major is None:
            raise InfraError("telemetry_failed", f"{who} is version {said}; {SUPPORTED}, is needed")
        return major == 1

    def create_bucket(self, name: str, keep_s: int) -> None:
        """Make a bucket whose points are kept for so long; 0 for ever."""
        with self._translated(f"InfluxDB at {self._address.url}"):
            rule = BucketRetentionRules(type="expire", every_seconds=keep_s)
            # The client's default policy, "0", contradicts the one in a 1.x bucket's name.
            policy = name.partition("/")[2] or "0"
            request = PostBucketRequest(name=name, rp=policy, retention_rules=[rule], org_id=self._org_id())
            self._server.buckets_api().create_bucket(bucket=request)

    def close(self) -> None:
        self._front.close()
        self._server.close()

    def _org_id(self) -> str:
        if self.is_version_1():
            return self._address.org
        found = self._server.organizations_api().find_organizations(org=self._address.org)
        return str(found[0].id)

    def _write(self, client: InfluxDBClient, bucket: str, lines: Sequence[str], who: str) -> None:
        with self._translated(who), client.write_api(write_options=SYNCHRONOUS) as writer:
            writer.write(bucket, record="\n".join(lines).encode(), write_precision=WritePrecision.NS)

    @contextmanager
    def _translated(self, who: str) -> Iterator[None]:
        try:
            yield
        except ApiException as error:
            said = f"{who} says {error.status}: {_reason(error)}"
            if error.status in LASTING or NO_BUCKET.search(said):
                raise InfraError("telemetry_failed", f"{said}{_hint(error)}") from error
            raise InfluxTroubleError(said) from error
        except (HTTPError, OSError) as error:
            raise InfluxTroubleError(f"{who} can't be reached: {_short(error)}") from error


def _rows(text: str) -> Iterator[dict[str, str]]:
    """Rows of annotated CSV, whose tables each begin with a header after a blank line."""
    header: list[str] = []
    for cells in csv.reader(io.StringIO(text)):
        if not cells:
            header = []
        elif not header:
            header = cells
            if "error" in header[1:2]:
                continue
        elif header[1] == "error":
            raise InfraError("telemetry_failed", f"InfluxDB can't answer a query: {cells[1]}")
        else:
            yield dict(zip(header, cells, strict=True))


def _reason(error: ApiException) -> str:
    body = error.body.decode(errors="replace") if isinstance(error.body, bytes) else error.body
    said = " ".join(str(body or error.reason).split())
    # A chain of errors ends with its cause: a full disk comes after what could not be written, with its whole path.
    return said if len(said) <= LONGEST_REASON else f"{said[: LONGEST_REASON // 3]} … {said[-LONGEST_REASON:]}"


def _hint(error: ApiException) -> str:
    if error.status == 401:
        return "; check the token (in 1.x user:password)"
    if NO_BUCKET.search(_reason(error)):
        return "; make the bucket, or name none and each store makes one of its own"
    if "lux" in _reason(error):
        return "; in InfluxDB 1.x switch Flux on: [http] flux-enabled = true"
    return ""


def _short(error: Exception) -> str:
    return str(error).rpartition(": ")[2][:200] or type(error).__name__
