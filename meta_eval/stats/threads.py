"""How many threads linear algebra may take."""

from contextlib import AbstractContextManager

from threadpoolctl import threadpool_limits


def one_thread() -> AbstractContextManager[object]:
    """Within the block linear algebra keeps to one thread.

    The products of matrices here are small: threads would wait for one another longer than they work, the
    more the busier the machine. A library may also round otherwise with more threads, and a report is the
    same wherever it is made.

    Returns
    -------
    context manager; afterwards the process has as many threads as before

    References
    ----------
    The threadpoolctl library, which sets the limit.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread():
    ...     product = np.eye(2) @ np.ones(2)
    >>> product.tolist()
    [1.0, 1.0]
    """
    limits: AbstractContextManager[object] = threadpool_limits(1, user_api="blas")
    return limits
