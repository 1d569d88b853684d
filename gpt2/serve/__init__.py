"""The finished model behind OpenAI's interface for completions.

``request`` reads a request, ``engine`` lets several answers take turns in one thread, ``choice``
makes the text of one of them, ``writer`` is the model, and ``routes`` speaks HTTP.
"""
