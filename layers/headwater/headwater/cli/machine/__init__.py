"""What commands find on this machine and leave there: ports, files, processes and Python packages."""
