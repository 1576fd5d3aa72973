"""What is expected of a job, by its rhythm."""
