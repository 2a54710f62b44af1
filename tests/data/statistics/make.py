"""Makes tables.json: the library's statistics, computed independently by scipy and statsmodels.

    python -m venv /tmp/venv && /tmp/venv/bin/pip install scipy statsmodels && /tmp/venv/bin/python make.py
"""
import json
import random
from math import comb
from pathlib import Path

import numpy as np
from scipy import stats
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.proportion import proportion_confint

random.seed(15)


def counts(most):
    return [random.randint(0, most), random.randint(0, most)]


def wilson():
    for n in [1, 2, 3, 5, 10, 25, 50]:
        for passes in sorted({0, 1, n // 2, n - 1, n}):
            low, high = proportion_confint(passes, n, 0.05, method="wilson")
            yield [passes, n, low, high]


def fisher():
    for _ in range(40):
        (a, b), (c, d) = counts(25), counts(15)
        yield [a, b, c, d, stats.fisher_exact([[a, b], [c, d]], alternative="greater").pvalue]


def stratified():
    """The exact p by convolving scipy's hypergeometric distributions; statsmodels' asymptotic p beside it."""
    for specs in [1, 2, 5, 10, 40]:
        strata = [[counts(20), counts(5)] for _ in range(specs)]
        distribution, seen = np.array([1.0]), 0
        for (a, b), (c, d) in strata:
            total, failed, n = a + b + c + d, b + d, c + d
            pmf = stats.hypergeom(total, failed, n).pmf(np.arange(0, n + 1)) if total else np.array([1.0])
            distribution, seen = np.convolve(distribution, pmf), seen + d
        tables = [np.array([[a, b], [c, d]]) for (a, b), (c, d) in strata if a + b + c + d > 1]
        test = StratifiedTable(tables).test_null_odds(correction=True)
        yield {"strata": strata, "p": float(distribution[seen:].sum()), "twoSided": float(test.pvalue)}


def pass_hat():
    for n in [1, 3, 5, 10]:
        for passes in range(n + 1):
            for k in range(1, n + 1):
                yield [passes, n, k, comb(passes, k) / comb(n, k)]


def student():
    return [[df, stats.t.ppf(0.975, df)] for df in [1, 2, 3, 4, 5, 7, 10, 20, 39, 100, 1000]]


def truncated():
    """P of at least so many failures among the fresh trials, the observed count half, given at most `luckiest` before."""
    for size, before, trials, failures, luckiest in [(25, 1, 15, 5, 5), (25, 0, 15, 4, 5), (5, 0, 15, 12, 5), (50, 9, 15, 7, 10)]:
        total = before + failures
        x = np.arange(0, trials + 1)
        pmf = stats.hypergeom(size + trials, total, trials).pmf(x)
        pmf[total - x > luckiest] = 0
        upper = pmf[failures + 1 :].sum() + pmf[failures] / 2
        yield [size, before, trials, failures, luckiest, float(upper / pmf.sum())]


tables = {
    "wilson": list(wilson()),
    "fisher": list(fisher()),
    "stratified": list(stratified()),
    "passHat": list(pass_hat()),
    "student": student(),
    "truncated": list(truncated()),
}


def text(name, rows):
    return f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]"


body = ",\n".join(text(name, rows) for name, rows in tables.items())
Path(__file__).with_name("tables.json").write_text("{\n" + body + "\n}\n")
