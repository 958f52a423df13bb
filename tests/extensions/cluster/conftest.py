"""The cluster that several files of tests share."""

from collections.abc import Iterator

import pytest
from dask_cluster import DaskCluster, dask_cluster
from waiting import until


@pytest.fixture(scope="package")
def cluster() -> Iterator[DaskCluster]:
    """Two workers, of one thread each."""
    with dask_cluster() as made:
        made.start_worker("ann")
        made.start_worker("bob")
        assert until(lambda: all("Registered to" in made.log(name) for name in ("ann", "bob")))
        yield made
