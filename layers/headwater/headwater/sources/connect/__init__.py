"""The source Kafka Connect: connectors of its workers become OpenLineage events.

    worker ------> connector ------> connector_lineage ----> connector_events ----> connector_update ----> poller
    REST answers   state, config     inputs and outputs      events of one state    what has changed

last_reported reads from the graph what was sent last: the newest run of each job says it.
"""
