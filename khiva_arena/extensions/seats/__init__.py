"""Players who are no local program, people and remote bots: the extension's row in ``row``, its hook in ``extension``."""
