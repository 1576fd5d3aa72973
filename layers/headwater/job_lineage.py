"""The old name of headwater.spark, for one release."""

import warnings

from headwater.spark import *  # noqa: F403 - the same names

warnings.warn(
    "job_lineage is headwater.spark now; the old name goes with the next release", FutureWarning, stacklevel=2
)
