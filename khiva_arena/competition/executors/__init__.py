"""The executor that plays on the workers of a Dask cluster. The one of this machine is in ``executor.py`` beside this folder.

    dask_executor.py: tables out, outcomes in   recruiting.py: how a worker comes to play
    crew.py: the workers: who has a free core, who is refused, who is late   connection.py: found again if it is lost
    desk.py: which table is where, and which is played again   tables.py: how a table is judged when it comes back
    offers.py: what a worker must have   clocks.py: whether its clock runs as ours
    travel.py: bots that go there   games.py: and games of a user's   link.py: the one module that speaks to a scheduler
    access.py: addresses and certificates   unreachable.py: why nobody is reached at one
    own_cluster.py: the cluster of --dask local:N, in a process of its own
    task.py: what a worker does with a task, in one of its threads: start a process of ours and wait   host.py: such a process

Only ``link``, ``task`` and ``own_cluster`` import Dask, and no other module imports these at its top.
"""
