"""The command `headwater`: `__main__` lists its commands. Each is a module, imported when it is called."""
