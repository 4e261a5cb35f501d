"""Settings of the training tests: networks this small run fastest on one thread."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """Also what the tests need that compare a run here with one in another process."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
