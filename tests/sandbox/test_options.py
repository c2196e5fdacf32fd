import zoneinfo
from zoneinfo import ZoneInfo

import pytest

from sandbox.kept import PLACE
from sandbox.options import Options, parse_options
from sandbox.stage import local_zone


def test_without_arguments_it_keeps_tables_and_opens_a_page_at_8080():
    assert parse_options([]) == Options(port=8080, fresh=False, browser=True, database=PLACE, pause=1.0, language="en")
    assert PLACE.parts[-2:] == ("var", "sandbox.sqlite3")


def test_every_option_is_taken(tmp_path):
    place = tmp_path / "x.sqlite3"
    given = ["--fresh", "--port", "9000", "--no-browser", "--database", str(place), "--pause", "0", "--language", "de"]
    assert parse_options(given) == Options(port=9000, fresh=True, browser=False, database=place, pause=0, language="de")


@pytest.mark.parametrize("port", [0, 65535])
def test_the_lowest_and_the_highest_port_are_taken(port):
    assert parse_options(["--port", str(port)]).port == port


def test_options_that_are_not_given_are_those_of_the_command_line():
    assert Options() == parse_options([])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--port", "65536"], "65536 is not a port"),
        (["--port", "-1"], "-1 is not a port"),
        (["--port", "eighty"], "eighty is not a port"),
        (["--pause", "long"], "long is not a pause"),
        (["--pause", "nan"], "nan is not a pause"),
        (["--pause", "61"], "61 is not a pause"),
        (["--database", "postgresql://here/bot"], "postgresql://here/bot is not a file"),
        (["--port"], "expected one argument"),
        (["--language", "tlh"], "invalid choice: 'tlh'"),
        (["--colour"], "unrecognized arguments"),
    ],
)
def test_nonsense_is_answered_with_a_sentence(given, said, capsys):
    with pytest.raises(SystemExit) as ended:
        parse_options(given)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("zone", "known_as"),
    [
        *(
            ("Europe/Berlin", "Europe/Berlin"),
            (":Europe/Berlin", "Europe/Berlin"),
            ("right/Europe/Berlin", "Europe/Berlin"),
        ),
        *((":/elsewhere/zoneinfo/Asia/Kathmandu", "Asia/Kathmandu"), ("Nowhere/Land", "UTC"), ("../etc", "UTC")),
    ],
)
def test_the_page_has_the_time_zone_of_the_machine(zone, known_as, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    assert local_zone() == known_as


@pytest.mark.parametrize(
    ("place", "known_as"),
    [
        ("/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
        ("/usr/share/zoneinfo/posix/Europe/Berlin", "Europe/Berlin"),
        ("/etc/localtime", "UTC"),
    ],
)
@pytest.mark.parametrize("zone", [None, "localtime", ":/etc/localtime"])
def test_a_zone_is_found_without_being_named(place, known_as, zone, monkeypatch):
    if zone is None:
        monkeypatch.delenv("TZ", raising=False)
    else:
        monkeypatch.setenv("TZ", zone)
    monkeypatch.setattr("os.path.realpath", {"/etc/localtime": place}.__getitem__)
    assert local_zone() == known_as


@pytest.fixture
def without_zones():
    """A machine that has no time zones: Windows, or a small container."""
    zoneinfo.reset_tzpath(())
    ZoneInfo.clear_cache()
    yield
    zoneinfo.reset_tzpath()
    ZoneInfo.clear_cache()


def test_the_page_has_its_time_zone_even_if_the_machine_knows_none(without_zones, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    assert local_zone() == "Asia/Kathmandu"
