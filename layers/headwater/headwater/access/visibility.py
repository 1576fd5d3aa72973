"""What a principal sees."""

from headwater.access.principal import Principal
from headwater.graph.names.naming import Naming
from headwater.graph.states.visibility import Visibility


def visibility_of_reader(principal: Principal, naming: Naming) -> Visibility | None:
    """What the principal sees in one lookup; None if it reads every namespace."""
    return None if principal.reads_everything else Visibility(principal.may_read, naming, principal.seal)


def visibility_of_writer(principal: Principal, naming: Naming) -> Visibility | None:
    """What the answer to a writing request shows: the namespaces that the principal writes; None if it writes all."""
    return None if principal.writes_all_namespaces else Visibility(principal.may_write, naming, principal.seal)
