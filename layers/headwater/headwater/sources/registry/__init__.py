"""The use case of registry: subjects of schema registries become the schemas of Kafka topics, as OpenLineage events.

    confluent, glue --> subject --> avro, json_schema, protobuf --> topic_events -----> poll --> the queue, or HTTP
    answers             versions    the columns of a schema         events of a topic   what has changed

The graph itself is the memory of the poll: a facet of the topic says what was sent of its subjects last.
"""
