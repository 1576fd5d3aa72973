"""The command `headwater redrive`: messages that could not be processed are listed, and processed once more."""
