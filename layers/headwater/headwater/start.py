"""The start of a function, during which the garbage collector rests.

A function imports this module first, and calls `end` when its parts are made. Otherwise the collector walks the growing
heap again and again, a tenth of the start time, although imported modules are never garbage.
"""

import gc

gc.disable()


def end() -> None:
    """Turns the collector back on. It no longer walks what was imported and made until now."""
    gc.freeze()
    gc.enable()
