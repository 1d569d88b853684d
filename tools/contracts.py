"""Who may import whom: ``python -m tools.contracts`` checks the contracts of pyproject.toml."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from graphlib import CycleError, TopologicalSorter

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output
from importlinter.cli import lint_imports


class NoCircles(Contract):
    """No module imports itself through others. Late imports and imports for types count too.

    import-linter's own ``acyclic_siblings`` is about folders, and misses a package that
    imports one of its modules which imports the package.
    """

    type_name = "no_circles"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look for one circle among the course's own modules."""
        own = {module for module in graph.modules if not graph.is_module_squashed(module)}
        imports = {module: graph.find_modules_directly_imported_by(module) & own for module in own}
        try:
            TopologicalSorter(imports).prepare()
        except CycleError as error:
            return ContractCheck(kept=False, metadata={"circle": error.args[1]})
        return ContractCheck(kept=True)

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the circle: each module is imported by the one below it."""
        for module in check.metadata["circle"]:
            output.print(f"- {module}")


def main() -> int:
    """Check every contract, and print what broke; silent if nothing did."""
    told = io.StringIO()
    with redirect_stdout(told):
        status = lint_imports(no_cache=True, no_logo=True)
    if status:
        print(told.getvalue().strip())
    return status


if __name__ == "__main__":
    sys.exit(main())
