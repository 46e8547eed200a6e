"""Parses OTLP JSON by the protobuf definitions of opentelemetry-proto. A field that they do not have is refused.

Arguments: files, each `traces` or `metrics` by its name. Prints how many spans and data points it found, or fails.
"""

import base64
import json
import pathlib
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

IDS = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def with_base64_ids(value):
    """OTLP has ids in hex, where protobuf's own JSON has base64."""
    if isinstance(value, list):
        return [with_base64_ids(one) for one in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for name, inner in value.items():
        if name in IDS:
            raw = bytes.fromhex(inner)
            assert len(raw) == IDS[name] and any(raw), f"{name} is no id: {inner}"
            out[name] = base64.b64encode(raw).decode()
        else:
            out[name] = with_base64_ids(inner)
    return out


def parse(path, message):
    return json_format.ParseDict(with_base64_ids(json.loads(path.read_text())), message, ignore_unknown_fields=False)


def check_span(span):
    assert span.name and span.kind in (1, 2, 3)
    assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
    keys = [one.key for one in span.attributes]
    assert len(keys) == len(set(keys)), "an attribute stands twice"
    assert all(one.value.WhichOneof("value") for one in span.attributes)


def check_metric(metric):
    kind = metric.WhichOneof("data")
    assert kind in ("sum", "gauge", "histogram") and metric.name
    points = getattr(metric, kind).data_points
    if kind != "gauge":
        assert getattr(metric, kind).aggregation_temporality == 2
    for point in points:
        assert 0 < point.start_time_unix_nano <= point.time_unix_nano
        if kind == "histogram":
            assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
            assert sum(point.bucket_counts) == point.count
            assert list(point.explicit_bounds) == sorted(set(point.explicit_bounds))
        else:
            assert point.WhichOneof("value") == "as_double"
    series = [json.dumps(sorted((one.key, one.value.string_value) for one in p.attributes)) for p in points]
    assert len(series) == len(set(series)), f"{metric.name} has a series twice"
    return len(points)


spans = points = 0
for path in map(pathlib.Path, sys.argv[1:]):
    if path.name.startswith("traces"):
        told = parse(path, ExportTraceServiceRequest())
        for one in (span for r in told.resource_spans for s in r.scope_spans for span in s.spans):
            check_span(one)
            spans += 1
    else:
        told = parse(path, ExportMetricsServiceRequest())
        for one in (metric for r in told.resource_metrics for s in r.scope_metrics for metric in s.metrics):
            points += check_metric(one)
print(json.dumps({"spans": spans, "points": points}))
