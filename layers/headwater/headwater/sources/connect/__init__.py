"""The use case of connect: connectors of Kafka Connect workers become OpenLineage events.

    worker ------> connector ------> connector_lineage ----> connector_events ----> poll ----> the queue, or HTTP
    REST answers   state, config     inputs and outputs      events of one state    what has changed since the last poll

The graph itself is the memory of the poll: the newest run of each job says what was sent last.
"""
