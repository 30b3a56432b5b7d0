"""Types a line on a device's command line over HTTP: `execute_client.py URL DEVICE LINE`. Standard library only."""

import json
import os
import sys
import urllib.error
import urllib.request


class ExecuteClient:
    """The devices of one question."""

    def __init__(self, url: str, question_number: int = 1, token: str | None = None) -> None:
        """`url` is the server's, `http://127.0.0.1:8732`."""
        self._url = url.rstrip("/") + "/api/agent/execute"
        self._question_number = question_number
        self._token = token

    def execute(self, device: str, line: str) -> tuple[int, str, str | None]:
        """The code, what the device printed or what is wrong, and the device's vendor where it is told."""
        asked = {"device_name": device, "command": line, "question_number": self._question_number}
        headers = {"Content-Type": "application/json"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        request = urllib.request.Request(self._url, json.dumps(asked).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                code, told = reply.status, json.load(reply)
        except urllib.error.HTTPError as refused:
            code, told = refused.code, json.load(refused)
        return code, told["result"], told["vendor"]


if __name__ == "__main__":
    url, device, line = sys.argv[1:]
    client = ExecuteClient(url, token=os.environ.get("NETOPSBENCH_API_TOKEN"))
    code, printed, _ = client.execute(device, line)
    print(printed)
    sys.exit(code != 200)
