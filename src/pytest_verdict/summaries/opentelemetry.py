"""The comparisons of a report as OpenTelemetry events, sent by its SDK, which environment variables configure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.report.reading import Report
from pytest_verdict.summaries.reading import Comparison, comparisons, one_line

if TYPE_CHECKING:
    from opentelemetry._logs import LogRecord

_EVENT: Final = "gen_ai.evaluation.result"
_BATCH: Final = 500
_LONGEST_EXPLANATION: Final = 4_000


def write(report: Report) -> Iterator[str]:
    """Send all events, and yield a line that counts them."""
    try:
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.sdk._logs import ReadableLogRecord
        from opentelemetry.sdk._logs.export import LogRecordExportResult
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    except ImportError as error:
        raise ConfigurationError(f"the format otel needs `pip install 'pytest-verdict[otel]'`: {error}") from None
    resource = Resource({"service.name": "pytest-verdict"}).merge(OTELResourceDetector().detect())
    scope = InstrumentationScope("pytest-verdict", report.run.pytest_verdict)
    records = (_event(report, comparison) for comparison in comparisons(report, keys=True))
    events = (ReadableLogRecord(record, resource, scope) for record in records)
    exporter: Any = OTLPLogExporter()
    sent = 0
    while batch := list(islice(events, _BATCH)):
        if exporter.export(batch) is not LogRecordExportResult.SUCCESS:
            raise RecordError(
                f"the collector refused a batch of events after {sent} were sent; check OTEL_EXPORTER_OTLP_ENDPOINT"
            )
        sent += len(batch)
    exporter.shutdown()
    yield f"{format_count(sent, 'event')} {_EVENT} sent\n"


def _event(report: Report, comparison: Comparison) -> LogRecord:
    from opentelemetry._logs import LogRecord, SeverityNumber
    from opentelemetry.context import Context

    record = comparison.record
    attributes: dict[str, Any] = {
        "gen_ai.evaluation.name": one_line(record.get("name") or record["operator"]),
        "gen_ai.evaluation.score.value": float(record["score"]),
        "gen_ai.evaluation.score.label": record["verdict"],
        "test.case.name": one_line(comparison.test.name),
        "verdict.operator": one_line(record["operator"]),
        "verdict.threshold": float(record["threshold"]),
        "verdict.key": comparison.key,
    }
    if record["verdict"] != "pass":
        attributes["gen_ai.evaluation.explanation"] = comparison.block()[:_LONGEST_EXPLANATION]
    if record["verdict"] == "error":
        attributes["error.type"] = "verdict.OperatorError"
    time = report.milliseconds()[1] * 1_000_000
    return LogRecord(
        timestamp=time,
        observed_timestamp=time,
        context=Context(),
        severity_number=SeverityNumber.INFO,
        attributes=attributes,
        event_name=_EVENT,
    )
