"""Read by each Python that has this folder on PYTHONPATH: it finds no pandas."""

import sys


class _NoPandas:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError(name=name)


sys.meta_path.insert(0, _NoPandas)
