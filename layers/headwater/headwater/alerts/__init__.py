"""What people are told without asking: what changed, failed or fell silent, what it breaks, and whose that is."""
