"""Games that users hand over, each in processes of its own: the extension's row in ``row``, its hook in ``extension``."""
