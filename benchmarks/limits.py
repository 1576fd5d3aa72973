"""AWS's default quotas that the simulation knows, each with the page that states it. Most can be raised on request."""

from typing import NamedTuple


class Quota(NamedTuple):
    """A quota of AWS. Its value is in the unit that its name in this module ends in."""

    value: float
    page: str


_DYNAMODB = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide"
_FIREHOSE = "https://docs.aws.amazon.com/firehose/latest/dev/limits.html"
_SQS = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html"

PARTITION_WRITE_UNITS = Quota(1_000, f"{_DYNAMODB}/bp-partition-key-design.html")
TABLE_WRITE_UNITS = Quota(40_000, f"{_DYNAMODB}/on-demand-capacity-mode.html")
NEW_TABLE_WRITE_UNITS = Quota(4_000, f"{_DYNAMODB}/on-demand-capacity-mode.html")
"""Of a table that has had no traffic. A table takes twice its former peak at once."""
API_REQUESTS = Quota(10_000, "https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html")
CONCURRENT_EXECUTIONS = Quota(1_000, "https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html")
FIFO_CALLS_LARGE_REGION = Quota(70_000, _SQS)
"""us-east-1, us-west-2 and eu-west-1, of each action of SQS, with high throughput."""
FIFO_CALLS_MIDDLE_REGION = Quota(19_000, _SQS)
"""us-east-2 and eu-central-1. Other regions have less."""
FIREHOSE_MEBIBYTES_LARGE_REGION = Quota(5, _FIREHOSE)
"""us-east-1, us-west-2 and eu-west-1."""
FIREHOSE_MEBIBYTES_OTHER_REGION = Quota(1, _FIREHOSE)
FIREHOSE_CALLS_LARGE_REGION = Quota(2_000, _FIREHOSE)
FIREHOSE_CALLS_OTHER_REGION = Quota(1_000, _FIREHOSE)
S3_PUTS = Quota(3_500, "https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html")
"""A second, below one prefix: S3 divides a busy prefix only later."""
