"""One pure function from a report to text for each output format: ``as_NAME.render``.

``style`` says how to write to one destination, ``points`` what each check is worth.
"""
