"""The answers of lookups as a person reads them: trees, lists and tables, each a function of only the answer.

A lookup with `format=text` sends them, and the command `headwater` prints them. Colour, width and how much is shown are
the caller's choice: `display.Display`.
"""
