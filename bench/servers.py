"""What a server costs a process that plays no game there: the memory that discord.py takes for it.

    python -m bench servers [SERVERS]

A made-up server has 40 channels, 25 roles and 20 emojis; the baseline is the size of the JSON in which Discord sends
it.
"""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Sequence
from typing import Any

import discord
from tqdm import tqdm

from bench.arguments import bench_parser, positive

SERVERS = 5_000
TINY = ("50",)
CHANNELS, ROLES, EMOJIS = 40, 25, 20
HIDDEN_EVERY = 4
"""Every so-manieth channel has permissions of its own."""


def server(number: int) -> dict[str, Any]:
    """What Discord tells of a server with the intent `guilds`."""
    first = (1 << 60) + (number << 22)
    hidden = [{"id": str(first), "type": 0, "allow": "0", "deny": "1024"}]
    channels = [
        {"id": str(first + 1 + n), "type": 0, "name": f"channel-{n}", "position": n, "topic": "what it is about",
         "permission_overwrites": [] if n % HIDDEN_EVERY else hidden}
        for n in range(CHANNELS)
    ]  # fmt: skip
    roles = [
        {"id": str(first + (1000 + n if n else 0)), "name": f"role {n}", "permissions": "1", "position": n, "color": 0,
         "colors": {"primary_color": 0}, "hoist": False, "managed": False, "mentionable": False, "flags": 0}
        for n in range(ROLES)
    ]  # fmt: skip
    emojis: list[dict[str, Any]] = [
        {"id": str(first + 2000 + n), "name": f"emoji_{n}", "roles": [], "available": True} for n in range(EMOJIS)
    ]  # fmt: skip
    lists = ("members", "threads", "stickers", "features", "voice_states", "presences", "stage_instances")
    return {
        "id": str(first), "name": f"server {number}", "owner_id": "1", "member_count": 300, "channels": channels,
        "roles": roles, "emojis": emojis, "preferred_locale": "en-US", **{name: [] for name in lists},
        "guild_scheduled_events": [], "soundboard_sounds": [], "premium_tier": 0, "verification_level": 0,
        "explicit_content_filter": 0, "default_message_notifications": 0, "mfa_level": 0, "nsfw_level": 0,
        "system_channel_flags": 0,
    }  # fmt: skip


def measured(servers: int) -> float:
    """Bytes of memory for each server, as Python counts them."""
    client = discord.AutoShardedClient(intents=discord.Intents(guilds=True), shard_count=1, max_messages=None)
    gc.collect()
    tracemalloc.start()
    for number in tqdm(range(servers), desc="servers", unit="server", mininterval=1):
        # The payload goes through JSON, as on the wire, so that no text is shared with the one that made it.
        data = json.loads(json.dumps(server(number)))
        client._connection._add_guild_from_data(data)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no public way
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / servers


def main(argv: Sequence[str] = ()) -> int:
    """Measure; the last line is JSON."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("servers", type=positive, nargs="?", default=SERVERS)
    value = round(measured(parser.parse_args(argv).servers) / 1024, 1)
    sent = round(len(json.dumps(server(0))) / 1024, 1)
    print(f"{value} KB of memory for a server that was sent in {sent} KB")
    print(
        json.dumps(
            {"bench": "servers", "value": value, "unit": "KB", "baseline": sent, "ratio": round(value / sent, 2)}
        )
    )
    return 0
