"""MiniStack, the emulator of AWS, as a child process; the front before its HTTP API; the account in it."""
