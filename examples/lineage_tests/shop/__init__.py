"""Ten jobs of a shop. Each reads and writes tables by their paths."""
