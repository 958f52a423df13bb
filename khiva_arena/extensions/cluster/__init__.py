"""Matches on the workers of a Dask cluster: the extension's row in ``row``, its hook in ``extension``."""
