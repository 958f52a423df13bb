"""The extension ``grading``: marks for a bot against a ladder of bots, for courses:
``grade`` and ``new ladder``.

A ladder is a folder with copies of bots, its rungs. Its settings, its number of deals
and its bots are sealed by hashes, so that all students of a course, and all their
attempts, meet the same. Modules may import the core, and no other extension. Start with
``grade_command``.
"""
