"""Sources that are asked, since they report nothing by themselves: each becomes OpenLineage events."""
