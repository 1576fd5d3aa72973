"""The source schema registries: their subjects become the schemas of Kafka topics, as OpenLineage events.

    confluent, glue --> subject --> avro, json_schema, protobuf --> topic ------------> topic_update --> poller
    answers             versions    the columns of a schema         events of a topic   what has changed

The graph says what was sent of a topic's subjects last: a facet of the topic has it (topic.py).
"""
