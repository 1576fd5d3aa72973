"""Table, archive and keys are encrypted, backed up, and kept when the stack is deleted."""

import pytest

from tests.deployment.conftest import Properties, Resources

KEPT = ("LineageTable", "ArchiveBucket", "KeysSecret")
INDEXES = {"by_time": ["PK", "at"], "listed": ["listed_in", "place"], "by_run": ["run_id"], "open": ["open_in", "at"]}


def test_the_table_costs_nothing_at_rest_and_can_be_restored_to_any_second(resources: Resources) -> None:
    table = resources["LineageTable"]
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}


def test_items_expire(resources: Resources) -> None:
    assert resources["LineageTable"]["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}


def test_the_stream_holds_each_item_as_it_was_and_as_it_is(resources: Resources) -> None:
    assert resources["LineageTable"]["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}


def test_the_indexes_hold_keys_and_names_alone(resources: Resources) -> None:
    table = resources["LineageTable"]
    assert keys_of(table) == ["PK", "SK"]
    indexes = table["LocalSecondaryIndexes"] + table["GlobalSecondaryIndexes"]
    assert {index["IndexName"]: keys_of(index) for index in indexes} == INDEXES
    held = {index["IndexName"]: index["Projection"] for index in indexes}
    assert held.pop("listed") == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["name"]}
    assert all(projection == {"ProjectionType": "KEYS_ONLY"} for projection in held.values())
    assert [index["IndexName"] for index in table["LocalSecondaryIndexes"]] == ["by_time"]


def test_the_table_of_production_cannot_be_deleted_by_a_slip(resources: Resources) -> None:
    assert resources["LineageTable"]["DeletionProtectionEnabled"] == {"Fn::If": ["IsProduction", True, False]}


@pytest.mark.parametrize("name", KEPT)
def test_deleting_the_stack_leaves_the_data(resources: Resources, name: str) -> None:
    assert resources.whole(name)["DeletionPolicy"] in {"Retain", "RetainExceptOnCreate"}
    assert resources.whole(name)["UpdateReplacePolicy"] == "Retain"


def test_the_rollback_of_a_first_deployment_deletes_nothing_that_is_protected(resources: Resources) -> None:
    """CloudFormation cannot delete such a table, also not in a rollback, which then fails, too."""
    protected = {name for name in KEPT if "DeletionProtectionEnabled" in resources[name]}
    assert protected == {name for name in KEPT if resources.whole(name)["DeletionPolicy"] == "Retain"}


def test_everything_stored_is_encrypted(resources: Resources) -> None:
    """By keys of AWS that cost nothing; or, what events pass and rest in, by `KmsKeyArn`."""
    own, none = {"Ref": "KmsKeyArn"}, {"Ref": "AWS::NoValue"}
    table = resources["LineageTable"]["SSESpecification"]
    of_own_key = {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": own}
    assert table == {"Fn::If": ["HasKmsKey", of_own_key, {"SSEEnabled": False}]}
    for name, queue in resources.of_type("AWS::SQS::Queue").items():
        if name in {"EventQueue", "DeadLetterQueue", "ForwardQueue", "ForwardDeadLetters"}:
            assert queue["SqsManagedSseEnabled"] == {"Fn::If": ["HasKmsKey", none, True]}
            assert queue["KmsMasterKeyId"] == {"Fn::If": ["HasKmsKey", own, none]}
        else:
            assert queue["SqsManagedSseEnabled"] is True
    for bucket in resources.of_type("AWS::S3::Bucket").values():
        (rule,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        of_own_key = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": own}
        encrypted = {"Fn::If": ["HasKmsKey", of_own_key, {"SSEAlgorithm": "AES256"}]}
        assert rule["ServerSideEncryptionByDefault"] == encrypted
    for secret in resources.of_type("AWS::SecretsManager::Secret").values():
        assert secret["KmsKeyId"] == {"Fn::If": ["HasKmsKey", own, none]}
    for stream in resources.of_type("AWS::KinesisFirehose::DeliveryStream").values():
        assert stream["DeliveryStreamEncryptionConfigurationInput"] == {"KeyType": "AWS_OWNED_CMK"}


def test_no_bucket_can_be_made_public(resources: Resources) -> None:
    closed = ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets")
    for bucket in resources.of_type("AWS::S3::Bucket").values():
        assert bucket["PublicAccessBlockConfiguration"] == dict.fromkeys(closed, True)
        assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}


def test_archived_objects_cool_and_expire(resources: Resources) -> None:
    """All but items/: the heads of jobs and datasets stay, and so does what is too long for them."""
    assert all(rule["Status"] == "Enabled" for rule in resources["ArchiveBucket"]["LifecycleConfiguration"]["Rules"])
    assert {rule["Prefix"] for rule in cooling(resources)} == {"events/", "bodies/", "quarantine/", "archive-errors/"}
    for rule in cooling(resources):
        ages = [transition["TransitionInDays"] for transition in rule["Transitions"]]
        assert ages == sorted(ages)
        assert rule["ExpirationInDays"] == {"Ref": "ArchiveRetentionDays"}


def cooling(resources: Resources) -> list[Properties]:
    rules = resources["ArchiveBucket"]["LifecycleConfiguration"]["Rules"]
    return [rule for rule in rules if "ExpirationInDays" in rule]


def test_an_object_never_expires_before_it_has_cooled(resources: Resources, template: Properties) -> None:
    oldest = max(step["TransitionInDays"] for rule in cooling(resources) for step in rule["Transitions"])
    assert template["Parameters"]["ArchiveRetentionDays"]["MinValue"] > oldest


def test_firehose_joins_gzipped_records_in_events_by_date_and_writes_faults_elsewhere(resources: Resources) -> None:
    (stream,) = resources.of_type("AWS::KinesisFirehose::DeliveryStream").values()
    destination = stream["ExtendedS3DestinationConfiguration"]
    assert stream["DeliveryStreamType"] == "DirectPut"
    assert destination["BucketARN"] == {"Fn::GetAtt": ["ArchiveBucket", "Arn"]}
    assert (destination["CompressionFormat"], destination["FileExtension"]) == ("UNCOMPRESSED", ".gz")
    assert destination["Prefix"] == "events/date=!{timestamp:yyyy-MM-dd}/"
    assert not destination["ErrorOutputPrefix"].startswith("events/")


def test_a_new_stack_has_no_keys(resources: Resources) -> None:
    assert resources["KeysSecret"]["SecretString"] == '{"keys": []}'


def keys_of(table_or_index: Properties) -> list[str]:
    return [key["AttributeName"] for key in table_or_index["KeySchema"]]


def test_copies_in_another_region_are_made_if_they_are_wanted(template: Properties, resources: Resources) -> None:
    """Only of what is there later: S3 does not replicate what a bucket has already."""
    no_value = {"Ref": "AWS::NoValue"}
    for parameter in ("ReplicaRegion", "ReplicaBucketName"):
        assert template["Parameters"][parameter]["Default"] == ""
    replicas = resources["KeysSecret"]["ReplicaRegions"]
    assert replicas == {"Fn::If": ["HasReplicaSecret", [{"Region": {"Ref": "ReplicaRegion"}}], no_value]}
    wanted, replication, otherwise = resources["ArchiveBucket"]["ReplicationConfiguration"]["Fn::If"]
    assert (wanted, otherwise) == ("HasReplicaBucket", no_value)
    (rule,) = replication["Rules"]
    assert (rule["Status"], rule["Filter"]) == ("Enabled", {"Prefix": ""})
    assert rule["Destination"]["Bucket"] == {"Fn::Sub": "arn:${AWS::Partition}:s3:::${ReplicaBucketName}"}
    assert replication["Role"] == {"Fn::GetAtt": ["ReplicaRole", "Arn"]}
    assert resources["ArchiveBucket"]["VersioningConfiguration"] == {"Status": "Enabled"}
    for name in ("ReplicaRole", "ReplicaPolicy"):
        assert resources.whole(name)["Condition"] == "HasReplicaBucket"


def test_s3_reads_the_archive_for_its_copy_and_writes_that_copy_alone(resources: Resources) -> None:
    granted = {each["Sid"]: each["Resource"] for each in resources["ReplicaPolicy"]["PolicyDocument"]["Statement"]}
    assert granted == {
        "ReadReplication": {"Fn::GetAtt": ["ArchiveBucket", "Arn"]},
        "ReadVersions": {"Fn::Sub": "${ArchiveBucket.Arn}/*"},
        "WriteReplicas": {"Fn::Sub": "arn:${AWS::Partition}:s3:::${ReplicaBucketName}/*"},
    }
    (trusted,) = resources["ReplicaRole"]["AssumeRolePolicyDocument"]["Statement"]
    assert trusted["Principal"] == {"Service": "s3.amazonaws.com"}
    assert "Condition" not in trusted  # a key that S3 does not send would stop each copy


def test_a_copy_that_s3_would_not_make_is_refused(template: Properties) -> None:
    rule = template["Rules"]["ReplicaOfOwnBucket"]
    assert rule["RuleCondition"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "ReplicaBucketName"}, ""]}]}
    (assertion,) = rule["Assertions"]
    needed = [{"Fn::Equals": [{"Ref": name}, ""]} for name in ("KmsKeyArn", "ArchiveBucketName")]
    assert assertion["Assert"] == {"Fn::And": needed}


@pytest.mark.parametrize(
    ("rule", "given", "needed"),
    [("StreamOfTable", "TableName", "TableStreamLabel"), ("CertificateOfDomain", "DomainName", "CertificateArn")],
)
def test_half_of_a_pair_of_parameters_is_refused_before_anything_changes(
    template: Properties, rule: str, given: str, needed: str
) -> None:
    (assertion,) = template["Rules"][rule]["Assertions"]
    assert template["Rules"][rule]["RuleCondition"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": given}, ""]}]}
    assert assertion["Assert"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": needed}, ""]}]}
    assert template["Parameters"][given]["Default"] == template["Parameters"][needed]["Default"] == ""
