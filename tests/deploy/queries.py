"""Queries for Prometheus held against what a service shows on its /metrics: names, labels, values, rates."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import promql_parser as promql
from prometheus_client.parser import text_string_to_metric_families

TARGET = frozenset({"job", "namespace", "pod", "instance", "service", "endpoint", "container"})
"""The labels that the Prometheus Operator gives whatever it scrapes."""
MADE = {"up": frozenset[str]()}
"""What Prometheus adds for each that it scrapes."""
VARIABLES = {"$__rate_interval": "5m", "$namespace": ".*", "$pod": ".*"}
"""What Grafana puts in the place of the dashboard's variables."""
COUNTING = ("rate", "increase")


@dataclass(frozen=True)
class Page:
    """What there is on a page of metrics."""

    labels: Mapping[str, frozenset[str]]
    """The labels of each sample's name."""
    values: Mapping[str, set[str]]
    """What each label was seen to be, and what else it can be."""
    counters: frozenset[str]
    """The names of samples that only grow."""

    @classmethod
    def of(cls, text: str, **known: set[str]) -> "Page":
        """The page of a text; `known` are values of labels that need not be on it."""
        labels: dict[str, frozenset[str]] = dict(MADE)
        values: dict[str, set[str]] = defaultdict(set, known)
        counters = set()
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                labels[sample.name] = labels.get(sample.name, frozenset()) | frozenset(sample.labels)
                if family.type in ("counter", "histogram"):
                    counters.add(sample.name)
                for label, value in sample.labels.items():
                    values[label].add(value)
        return cls(labels, values, frozenset(counters))

    def faults(self, query: str, *shown: str) -> list[str]:
        """Whatever of a query, or of a text that shows labels of what comes of it, does not fit the page."""
        for variable, value in VARIABLES.items():
            query = query.replace(variable, value)
        try:
            parsed = promql.parse(query)
        except ValueError as fault:
            return [str(fault)]
        found: list[str] = []
        there = self._labels(parsed, found)
        named = {name for text in shown for name in re.findall(r"\$labels\.(\w+)|\{\{(\w+)\}\}", text) for name in name}
        found += [f"nothing that comes of it has the label {name}" for name in sorted(named - there - {""})]
        return found

    def _labels(self, expr: Any, found: list[str]) -> frozenset[str]:
        """The labels of what an expression comes to."""
        match expr:
            case promql.VectorSelector():
                return self._selected(expr, found)
            case promql.MatrixSelector():
                return self._labels(expr.vector_selector, found)
            case promql.AggregateExpr():
                return self._aggregated(expr, found)
            case promql.BinaryExpr():
                return self._labels(expr.lhs, found) | self._labels(expr.rhs, found)
            case promql.Call():
                return self._called(expr, found)
            case promql.ParenExpr() | promql.UnaryExpr():
                return self._labels(expr.expr, found)
            case promql.NumberLiteral():
                return frozenset()
        found.append(f"{type(expr).__name__} is not understood by this test")
        return frozenset()

    def _selected(self, expr: Any, found: list[str]) -> frozenset[str]:
        if expr.name not in self.labels:
            found.append(f"there is no {expr.name}")
            return frozenset()
        there = self.labels[expr.name] | TARGET
        for matcher in expr.matchers.matchers:
            if matcher.name not in there:
                found.append(f"{expr.name} has no label {matcher.name}")
            elif matcher.name not in TARGET:
                known = self.values[matcher.name]
                unknown = [value for value in matcher.value.split("|") if value not in known]
                found += [f"{matcher.name} of {expr.name} is never {value}" for value in unknown]
        return there

    def _aggregated(self, expr: Any, found: list[str]) -> frozenset[str]:
        inner = self._labels(expr.expr, found)
        if expr.modifier is None:
            return frozenset()
        named = frozenset(expr.modifier.labels)
        found += [f"what is aggregated has no label {name}" for name in sorted(named - inner)]
        return named if expr.modifier.type == promql.AggModifierType.By else inner - named

    def _called(self, expr: Any, found: list[str]) -> frozenset[str]:
        inner = frozenset[str]().union(*(self._labels(each, found) for each in expr.args))
        name = expr.func.name
        if name in COUNTING:
            counted = expr.args[0].vector_selector.name
            if counted not in self.counters:
                found.append(f"{counted} does not only grow: it has no {name}")
        if name == "histogram_quantile" and "le" not in inner:
            found.append("a quantile needs le")
        return inner - {"le"} if name == "histogram_quantile" else inner


def names_in(query: str) -> Iterator[str]:
    """The names that a query asks for."""
    for variable, value in VARIABLES.items():
        query = query.replace(variable, value)
    found: list[str] = []

    def visit(expr: Any) -> None:
        if isinstance(expr, promql.VectorSelector) and expr.name is not None:
            found.append(expr.name)

    promql.walk(promql.parse(query), visit)
    yield from found
