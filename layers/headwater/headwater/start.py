"""The start of a function, during which the garbage collector rests.

A function imports this module first, and calls `end` when its parts are made. The collector would walk the growing heap
again and again, for a tenth of the time of a start, and imported modules are no garbage.
"""

import gc

gc.disable()


def end() -> None:
    """Lets the collector work again. What has been imported and made stays in memory, and is not walked."""
    gc.freeze()
    gc.enable()
