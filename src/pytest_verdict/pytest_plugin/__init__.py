"""The pytest plugin ``verdict``: the only part of the package that knows pytest.

``plugin`` holds options and fixtures and is loaded in every session; ``recorder`` runs where tests run, ``controller`` where
reports arrive, and both are imported only under ``--verify-report``.
"""
