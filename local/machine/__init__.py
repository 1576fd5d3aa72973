"""Ports, files, processes and Python packages of this machine."""
