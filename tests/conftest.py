"""What every test relies on."""

import signal


def pytest_configure() -> None:
    """Ctrl-C means what it means in a terminal.

    A shell that runs pytest in the background makes it ignore SIGINT, and so every process that
    a test starts; the tests of Ctrl-C would wait for what cannot come.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
