"""The dashboard and the alerts ask for what a running service shows, and each alert's page tells what to do."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations
from typing import Any

import pytest

from service import metrics
from service.errors import OK, STATUSES
from tests.deploy.layers import K8S, layered, named, read
from tests.deploy.queries import Page, names_in
from tests.service.running import ROOT, WHIST, Running, running

FOLDER = K8S / "components" / "monitoring"
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
RULES: list[dict[str, Any]] = read(FOLDER / "prometheusrule.yaml")[0]["spec"]["groups"][0]["rules"]
DOCUMENTED = (ROOT / "docs" / "operations.md").read_text()
QUERIES = {
    **{
        f"{panel['title']} {target['refId']}": (target["expr"], target["legendFormat"])
        for panel in PANELS
        for target in panel["targets"]
    },
    **{rule["alert"]: (rule["expr"], rule["annotations"]["description"]) for rule in RULES},
}
RANGE = re.compile(r"\[(\d+)m\]")


def traffic(server: Running) -> None:
    """A little of everything, and what nobody can make happen from outside."""
    http = server.http
    state = http.post("/v1/deal", json=WHIST).json()["state"]
    for path in ("validate", "play"):
        http.post(f"/v1/{path}", json={"state": state, "move": "play 2C"})
    http.post("/v1/legal-moves", json={"state": state})
    http.post("/v1/batch", json={"calls": [{"id": "1", "validate": {"state": state, "move": "play 2C"}}]})
    table = http.post("/v1/tables", json={"game": "flip7", "places": 3, "seed": "a test's"}).json()
    path = f"/v1/tables/{table['id']}"
    tokens = [http.post(f"{path}/claim", json={"joinCode": code}).json()["token"] for code in table["joinCodes"]]
    for token in tokens:
        http.post(
            f"{path}/moves",
            json={"move": "hit", "idempotencyKey": "a test's"},
            headers={"Authorization": f"Bearer {token}"},
        )
    metrics.LIMITED.labels("a-test", "calls").inc()
    with suppress(OSError), metrics.Timed("read"):
        raise OSError


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with running() as server:
        traffic(server)
        yield Page.of(server.http.get("/metrics").text, code={OK, "CANCELLED", *STATUSES})


@pytest.mark.parametrize("title", QUERIES)
def test_a_query_asks_for_what_there_is(title: str, page: Page) -> None:
    query, shown = QUERIES[title]
    assert page.faults(query, shown) == []


FAULTY = {
    "a name": ("sum(rate(scheids_request_total[5m]))", "there is no scheids_request_total"),
    "a label": ('scheids_requests_total{route="/"}', "has no label route"),
    "a value": ('scheids_requests_total{code="BROKEN"}', "code of scheids_requests_total is never BROKEN"),
    "one value of several": ('scheids_requests_total{operation=~"playMove|move"}', "is never move"),
    "what is summed by": ("sum by (game) (scheids_requests_total)", "has no label game"),
    "what was summed away": ("sum by (code) (sum by (operation) (scheids_requests_total))", "has no label code"),
    "the rate of a gauge": ("rate(scheids_watchers[5m])", "does not only grow"),
    "a quantile of nothing": (
        "histogram_quantile(0.9, sum by (operation) (rate(scheids_request_seconds_bucket[5m])))",
        "needs le",
    ),
    "a bracket": ("sum(rate(scheids_requests_total[5m])", "unclosed"),
    "a kind": ("rate(scheids_requests_total)", "expected type matrix"),
    "a legend": ("sum by (code) (scheids_requests_total)", "has the label operation"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_fault_is_found(fault: str, page: Page) -> None:
    query, told = FAULTY[fault]
    assert told in "\n".join(page.faults(query, "{{operation}}" if fault == "a legend" else ""))


def test_every_metric_is_on_the_dashboard() -> None:
    asked = {name for panel in PANELS for target in panel["targets"] for name in names_in(target["expr"])}
    suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "info": ("_info",), "gauge": ("",)}
    for family in metrics.REGISTRY.collect():
        if family.name.startswith("scheids_"):
            assert asked & {family.name + suffix for suffix in suffixes[family.type]}, family.name


def test_panels_lie_beside_each_other() -> None:
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    places = [panel["gridPos"] for panel in DASHBOARD["panels"]]
    assert all(place["x"] + place["w"] <= 24 for place in places)
    for one, other in combinations(places, 2):
        apart = (
            one["x"] + one["w"] <= other["x"]
            or other["x"] + other["w"] <= one["x"]
            or one["y"] + one["h"] <= other["y"]
            or other["y"] + other["h"] <= one["y"]
        )
        assert apart, (one, other)


def test_the_dashboard_names_no_prometheus_of_anybody() -> None:
    variables = {each["name"]: each for each in DASHBOARD["templating"]["list"]}
    assert variables.keys() == {"datasource", "namespace", "pod"}
    sources = {target["datasource"]["uid"] for panel in PANELS for target in panel["targets"]}
    assert sources | {panel["datasource"]["uid"] for panel in PANELS} == {"${datasource}"}
    for name in ("namespace", "pod"):
        assert "label_values(scheids_build_info" in variables[name]["definition"]


def test_grafana_is_given_the_dashboard() -> None:
    made = named(layered(FOLDER), "ConfigMap", "scheids-dashboard")
    assert json.loads(made["data"]["dashboard.json"]) == DASHBOARD
    assert made["metadata"]["labels"]["grafana_dashboard"] == "1"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_says_what_it_is_and_where_what_to_do_stands(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in ("critical", "warning")
    assert rule["annotations"]["summary"].endswith(".")
    assert rule["annotations"]["runbook"] == f"docs/operations.md#{rule['alert'].lower()}"
    runbook = DOCUMENTED.partition(f"\n### {rule['alert']}\n")[2].partition("\n#")[0]
    assert len(runbook.split()) >= 15


def test_the_page_knows_no_other_alerts() -> None:
    assert re.findall(r"^### (Scheids\w+)$", DOCUMENTED, re.MULTILINE) == [rule["alert"] for rule in RULES]


def test_every_query_has_several_scrapes_in_its_range() -> None:
    endpoint = named(layered(FOLDER), "ServiceMonitor", "scheids")["spec"]["endpoints"][0]
    seconds = int(endpoint["interval"].removesuffix("s"))
    for query, _ in QUERIES.values():
        assert all(int(minutes) * 60 >= 4 * seconds for minutes in RANGE.findall(query))


def test_alerts_know_the_deployment() -> None:
    """The job is the Service that is scraped; the memory, the container's limit."""
    documents = layered(FOLDER, layered(K8S / "overlays" / "production"))
    monitor = named(documents, "ServiceMonitor", "scheids")
    port = monitor["spec"]["endpoints"][0]["port"]
    (job,) = [
        service["metadata"]["name"]
        for service in documents
        if service["kind"] == "Service" and port in [each["name"] for each in service["spec"]["ports"]]
    ]
    assert {job} == {name for query, _ in QUERIES.values() for name in re.findall(r'job="([^"]*)"', query)}
    container = named(documents, "Deployment", "scheids")["spec"]["template"]["spec"]["containers"][0]
    limit = int(container["resources"]["limits"]["memory"].removesuffix("Mi"))
    (rule,) = [rule for rule in RULES if rule["alert"] == "ScheidsMemory"]
    assert 0.7 <= float(rule["expr"].split(">")[1]) / (limit << 20) <= 0.9
    assert f"{limit} MiB" in rule["annotations"]["description"]


def test_every_alert_is_played_through_until_it_fires() -> None:
    """By promtool, which only `make manifests` has."""
    cases = read(ROOT / "tests" / "deploy" / "alerts.yaml")[0]["tests"]
    steps = [step for case in cases for step in case["alert_rule_test"]]
    fired = {step["alertname"] for step in steps if step["exp_alerts"]}
    silent = {step["alertname"] for step in steps if not step["exp_alerts"]}
    assert fired == silent == {rule["alert"] for rule in RULES}
