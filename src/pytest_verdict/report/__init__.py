"""Reports: every one of them is a fold over the journal of a session.

``journal`` is what a session writes while it runs, ``summary`` folds it, ``json_report`` and ``junit`` write the two files that
people and CI systems read, ``building`` puts them in place.
"""
