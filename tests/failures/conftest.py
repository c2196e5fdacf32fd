"""The rooms of the other tests, in which things go wrong here."""

from tests.bot.conftest import cards, house, people, refused  # noqa: F401 - fixtures
from tests.cogs.conftest import empty_database, room, simcord_bot, unfurnished  # noqa: F401 - fixtures
