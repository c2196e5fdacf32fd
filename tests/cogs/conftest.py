import pytest

from cogs.pictures.card_faces import emoji_set


@pytest.fixture(scope="session")
def drawn_faces():
    """All faces as PNG by emoji name; drawing them takes a second, so it is done once."""
    return emoji_set()
