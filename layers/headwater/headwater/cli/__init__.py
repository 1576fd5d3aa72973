"""The command `headwater`: lookups, `doctor` examines a deployment, `submit` and `kafka` run pipelines here."""
