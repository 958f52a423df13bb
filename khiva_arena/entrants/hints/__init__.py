"""Why a bot is not built, does not start or fails its check, in a line. Begin with
``hint.py``.
"""
