"""One pure function from a report to text for each output format: ``as_NAME.render``.

``style`` is how to write to one place, ``points`` what each check is worth.
"""
