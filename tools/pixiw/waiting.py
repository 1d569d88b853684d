"""Says once that MAX is compiling, where nothing else would: in a Python of the environment.

``./pixiw run python`` computes at once. A plain ``.venv/bin/python FILE`` leaves everything to MAX,
which compiles each operation in silence, for minutes. pixiw copies this file into each environment,
where ``course.pth`` has Python import it at its start. It waits until MAX has been imported, and
then looks now and then whether one call into MAX takes long. It uses no name of MAX's.

A step that is run by itself (``python steps/step_05.py``) ends with how to grade it: see
``steps/solutions.py``, which steps that need no earlier one do not import.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # every Python of the environment reads this file
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import FrameType, ModuleType
    from typing import Any

TENSORS = "max.experimental"
"""The package that all tensors come from."""
ENGINE = "MAX_EAGER_EXECUTOR"
"""What the course's own engine sets. Whoever sets it knows what compiles."""
LOOK_S = 0.5
PATIENCE_S = 1.5
ADVICE = (
    "MAX has been busy with one call for more than a second. It compiles each operation the first "
    "time a machine uses it, 12 to 40 s each. `./pixiw run python FILE` runs the same program "
    "without compiling."
)


class Waiting:
    """Finds ``max.experimental`` where it is, and watches what follows its import."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The specification of ``max.experimental``, with another loader; None for the rest."""
        if name != TENSORS:
            return None
        sys.meta_path.remove(self)
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None and spec.origin is not None:
            home = os.path.dirname(os.path.dirname(spec.origin))  # noqa: PTH120
            spec.loader.exec_module = _then_watched(spec.loader.exec_module, home)  # type: ignore[method-assign]
        return spec


def _then_watched(usual: Any, home: str) -> Any:
    def exec_module(module: ModuleType) -> None:
        usual(module)
        import threading

        if ENGINE not in os.environ and "COURSE_ENGINE" not in os.environ:
            threading.Thread(target=_watch, args=(home,), name="waiting", daemon=True).start()

    return exec_module


def _watch(home: str) -> None:
    """Print the advice once the main thread has been in one call into MAX for long."""
    import threading
    import time

    main = threading.main_thread()
    seen: FrameType | None = None  # kept, so that no later call can be taken for it
    since = 0.0
    while main.is_alive():
        time.sleep(LOOK_S)
        call = _call(sys._current_frames().get(main.ident or 0), home)  # noqa: SLF001
        if call is None or call is not seen:
            seen, since = call, time.monotonic()
        elif time.monotonic() - since >= PATIENCE_S - LOOK_S:
            print(ADVICE, file=sys.stderr, flush=True)
            return


def _call(frame: FrameType | None, home: str) -> FrameType | None:
    """The innermost call from elsewhere into MAX; an import compiles nothing."""
    while frame is not None:
        caller = frame.f_back
        if frame.f_code.co_filename.startswith(home) and (
            caller is None or not caller.f_code.co_filename.startswith(home)
        ):
            return frame if frame.f_code.co_name != "<module>" else None
        frame = caller
    return None


def _say_how_to_grade() -> None:
    """Import the course's ``steps/solutions.py`` if the program is beside it."""
    folder, name = os.path.split(os.path.realpath(sys.argv[0]))
    if name.startswith("step_") and folder == os.path.realpath(f"{sys.prefix}/../steps"):
        from contextlib import suppress

        sys.path.insert(0, folder)
        with suppress(ImportError):  # a learner may have deleted it
            import solutions  # noqa: F401
        sys.path.remove(folder)


_say_how_to_grade()
if ENGINE not in os.environ:
    sys.meta_path.insert(0, Waiting())
