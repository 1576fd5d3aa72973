"""The command `headwater`: `doctor` examines a deployment, `submit` and `kafka` run pipelines on this machine."""
