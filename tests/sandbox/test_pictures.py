import io

import pytest
from PIL import Image

from sandbox.pictures import FOLDER, WANTED, save

MOST_BYTES = 150_000


@pytest.mark.parametrize(("shrink", "size"), [(False, (300, 200)), (True, (150, 100))])
def test_a_picture_loses_its_empty_edge_and_what_a_screen_does_not_show(shrink, size, tmp_path):
    stream = io.BytesIO()
    Image.effect_noise((500, 200), 50).convert("RGB").save(stream, "PNG")
    save(stream.getvalue(), tmp_path / "x.png", most=300, shrink=shrink)
    with Image.open(tmp_path / "x.png") as found:
        assert found.size == size
        assert found.mode == "P"


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", sorted(WANTED))
def test_every_screen_has_a_picture_of_each_width_that_loads_quickly(name, width):
    assert 0 < (FOLDER / f"{name}-{width}.png").stat().st_size <= MOST_BYTES
