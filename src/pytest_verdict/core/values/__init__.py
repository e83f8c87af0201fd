"""Values: what evidence is, when two values are equal, and how they are written down.

``encoding`` writes any Python value as typed JSON, ``equality`` says when two values are equal, ``numbers`` and ``jsontext``
read numbers and JSON from text, ``display`` writes untrusted values for a person.
"""
