"""The pytest plugin ``verdict``; most of it is imported only under ``--verify-report``."""
