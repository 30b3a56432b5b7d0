"""Asks a judge's model, at any endpoint for chat completions; standard library only."""

import http.client
import json
import os
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from netopsbench.core.errors import NetopsbenchError
from netopsbench.records.prices import Price, Tokens, cost_usd
from netopsbench.records.usage import Usage
from netopsbench.scoring.judge import Ask, JudgeSettings, judge, read_judge, save_judge, settings_from
from netopsbench.scoring.runfolder import read_run, read_trial

_TIMEOUT_S = 60.0
_LONGEST = 1 << 20


class JudgeError(NetopsbenchError):
    """The judge can't be asked; its answer then counts as no."""


def asking(settings: JudgeSettings) -> Ask:
    """A way to ask the model of `settings`. The key is read from the environment each time and kept nowhere."""

    def ask(text: str) -> tuple[str, Usage]:
        body = {"model": settings.model, "messages": [{"role": "user", "content": text}], "max_tokens": 50}
        request = urllib.request.Request(
            settings.url.rstrip("/") + "/chat/completions",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        if settings.key_env:
            request.add_unredirected_header("Authorization", f"Bearer {os.environ.get(settings.key_env, '')}")
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:
                told = json.loads(answer.read(_LONGEST))
            return str(told["choices"][0]["message"]["content"]), _usage(told.get("usage") or {}, settings.price)
        except (OSError, http.client.HTTPException) as failure:
            raise JudgeError(f"no connection: {failure}") from failure
        except (ValueError, LookupError, TypeError, AttributeError) as wrong:
            raise JudgeError("the reply is no chat completion") from wrong

    return ask


def _usage(counted: Mapping[str, Any], price: Price | None) -> Usage:
    """What one opinion took, as the endpoint counted it: its `prompt_tokens` hold the cached ones too."""
    read = (counted.get("prompt_tokens_details") or {}).get("cached_tokens")
    asked, said = counted.get("prompt_tokens"), counted.get("completion_tokens")
    tokens = Tokens(input=None if asked is None else asked - (read or 0), cache_read=read, output=said)
    return Usage(
        input_tokens=tokens.input,
        cached_input_tokens=tokens.cache_read,
        output_tokens=tokens.output,
        cost_usd=cost_usd(tokens, price),
        price_version=price.version if price else "",
    )


def judge_run(run_folder: Path, environment: Mapping[str, str]) -> None:
    """Judge a run's fault types if the environment asks for it; what the same judge judged before is kept.

    Raises SpecError for what is missing in the environment.
    """
    settings = settings_from(environment)
    if settings is None:
        return
    records = read_run(run_folder)
    kept = read_judge(run_folder)
    scores = {score.trial_id: score for score in records.scores}
    trials = {trial_id: trial for trial_id in scores if (trial := read_trial(run_folder, trial_id))}
    known = kept.judgements if kept is not None and kept.settings.judges_like(settings) else ()
    save_judge(judge(trials, scores, settings, asking(settings), known), run_folder)
