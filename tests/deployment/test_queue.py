"""No event is lost, and the events of a run stay in order: the properties of the queues and of the mapping."""

from tests.deployment.conftest import Resources

LAMBDA_BATCH = 10


def test_queue_and_dead_letter_queue_are_high_throughput_fifo(resources: Resources) -> None:
    for name in ("EventQueue", "DeadLetterQueue"):
        queue = resources[name]
        assert queue["FifoQueue"] is True
        assert queue["DeduplicationScope"] == "messageGroup"
        assert queue["FifoThroughputLimit"] == "perMessageGroupId"


def test_a_message_is_tried_for_half_an_hour_before_it_is_given_up(resources: Resources) -> None:
    queue, redrive = resources["EventQueue"], resources["EventQueue"]["RedrivePolicy"]
    assert redrive["maxReceiveCount"] * queue["VisibilityTimeout"] == 30 * 60
    assert redrive["deadLetterTargetArn"] == {"Fn::GetAtt": ["DeadLetterQueue", "Arn"]}


def test_a_given_up_message_is_kept_as_long_as_sqs_can(resources: Resources) -> None:
    assert resources["DeadLetterQueue"]["MessageRetentionPeriod"] == 14 * 24 * 60 * 60


def test_a_message_may_be_as_large_as_sqs_takes(resources: Resources) -> None:
    for queue in resources.of_type("AWS::SQS::Queue").values():
        assert queue["MaximumMessageSize"] == 1024 * 1024


def test_a_batch_stays_hidden_while_normalise_folds_it_and_two_minutes_at_most(resources: Resources) -> None:
    """If a copy of normalise is killed, the runs of its batch wait for so long."""
    assert resources["EventQueue"]["VisibilityTimeout"] == 2 * resources["NormaliseFunction"]["Timeout"] == 120


def test_normalise_may_fail_single_messages_of_a_batch(resources: Resources) -> None:
    mapping = resources["NormaliseQueueMapping"]
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": ["EventQueue", "Arn"]}
    assert mapping["FunctionName"] == {"Ref": "NormaliseFunction"}
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BatchSize"] == LAMBDA_BATCH


def test_how_many_copies_of_normalise_run_is_bounded(resources: Resources) -> None:
    assert resources["NormaliseQueueMapping"]["ScalingConfig"] == {"MaximumConcurrency": {"Ref": "MaximumConcurrency"}}
