"""An event divided between the workers of a Dask cluster. Begin with
``dask_executor.py``.
"""
