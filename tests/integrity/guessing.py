"""A simple classifier: can it tell healthy cases from faulty ones by what lies on the surface?"""

import re
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]

_FOLDS = 5
_STEPS = 100
_RATE = 0.5
_SHRINK = 1e-3
_BINS = 64


def text_features(texts: Sequence[str]) -> Matrix:
    """One row per text: its length, its digits, its letters, and how often each of 64 hashed words stands in it."""
    row_of = {text: _text_row(text) for text in set(texts)}
    return np.array([row_of[text] for text in texts], dtype=np.float64)


def _text_row(text: str) -> list[float]:
    words = [0.0] * _BINS
    for word in re.findall(r"[\w.:/-]+", text):
        words[zlib.crc32(word.encode()) % _BINS] += 1
    digits = [float(figure) for figure in re.findall(r"\d+", text)]
    return [len(text), len(digits), sum(digits) % 1e6, text.count("\n"), zlib.crc32(text.encode()), *words]


def auc_of_guess(features: Matrix, is_faulty: Sequence[bool]) -> float:
    """Area under the curve of a logistic regression, each row judged by a model that never saw it; 0.5 is chance."""
    labels = np.array(is_faulty, dtype=np.float64)
    order = np.random.default_rng(1).permutation(len(labels))
    scores = np.zeros(len(labels))
    for fold in range(_FOLDS):
        held = order[fold::_FOLDS]
        seen = np.setdiff1d(order, held)
        mean, spread = features[seen].mean(axis=0), features[seen].std(axis=0)
        spread[spread == 0] = 1.0
        weights = _fitted((features[seen] - mean) / spread, labels[seen])
        scores[held] = _with_one((features[held] - mean) / spread) @ weights
    return _area(scores, labels)


def chance_band(features: Matrix, is_faulty: Sequence[bool], draws: int = 200) -> tuple[float, float]:
    """Where the area lies in 99 of 100 cases if the labels had nothing to do with the features."""
    shuffle = np.random.default_rng(2)
    found = [auc_of_guess(features, shuffle.permutation(np.array(is_faulty)).tolist()) for _ in range(draws)]
    low, high = np.quantile(found, [0.005, 0.995])
    return float(low), float(high)


def _fitted(features: Matrix, labels: Matrix) -> Matrix:
    """Weights by gradient descent, the last one for the constant."""
    inputs = _with_one(features)
    weights: Matrix = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):
        guess = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        weights = weights - _RATE * (inputs.T @ (guess - labels) / len(labels) + _SHRINK * weights)
    return weights


def _with_one(features: Matrix) -> Matrix:
    return np.hstack([features, np.ones((len(features), 1))])


def _area(scores: Matrix, labels: Matrix) -> float:
    """Chance that a faulty row scores above a healthy one; equals count half."""
    faulty, healthy = scores[labels == 1], scores[labels == 0]
    above = (faulty[:, None] > healthy[None, :]).mean()
    equal = (faulty[:, None] == healthy[None, :]).mean()
    return float(above + equal / 2)
