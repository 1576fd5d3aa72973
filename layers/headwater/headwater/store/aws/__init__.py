"""The store's adapters for AWS: DynamoDB, SQS, S3 and Firehose."""
