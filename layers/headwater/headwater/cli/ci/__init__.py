"""`headwater ci`: what a change of code does to lineage, and what production would lose.

side            the graph of one side: of a folder of events, folded in memory
snapshot_side   likewise of a folder of snapshots of tests
comparison      what differs between two sides
production      the graph that readers, owners and dashboards are asked of: a server, or a file of one
consequences    who reads what the change takes away
rules           the rules of headwater.yml that the change breaks
suggestion      a map of names, proposed from a side and production
report          the text, and the Markdown with a picture
github          annotations, and one comment on a pull request that is edited in place

exit status    means
0              no rule is broken
1              a rule is broken
2              a wrong command line, headwater.yml or event, or sides without a name in common
3              production could not be asked
"""
