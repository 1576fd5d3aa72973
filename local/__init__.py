"""The embedded stack: template.yaml and the handlers of functions/ on this machine, in an emulator of AWS.

`python -m local up|down|demo`, or the Makefile's targets of the same names. Imports point downwards in this list:

samples    each sample of events/ through its function, in the runtime of Lambda or in containers
demo       the orders pipeline of emr_jobs on a fresh stack, its lineage and its alerts printed
stack      emulator, deployment, API key and front: brought up together and taken down together
deploy     template.yaml, packaged for the emulator's CloudFormation and deployed there
alerts     the queue that alerts are printed from, and the stand-in for Datadog
emulator   MiniStack as a child process, the front before its HTTP API, the account in it

Java, spark-submit, ports and processes are those of the command headwater: headwater/cli/jvm and headwater/cli/machine.
"""
