"""A cable between a process and its database, which can be cut: then nothing is said any more, not even that."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

PIECE: Final = 1 << 16


class Cable:
    """Carries connections to a port of this machine. What was sent while it was cut arrives when it is mended."""

    def __init__(self, port: int) -> None:
        """Carry nothing yet."""
        self._port, self._whole = port, asyncio.Event()
        self._whole.set()
        self._pumps = set[asyncio.Task[None]]()

    async def begin(self) -> int:
        """Listen; the port of this end."""
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def end(self) -> None:
        """Take it away."""
        self._server.close()
        for pump in self._pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    def cut(self) -> None:
        """Let nothing through."""
        self._whole.clear()

    def mend(self) -> None:
        """Let everything through again."""
        self._whole.set()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._port)
            for ends in ((reader, there_writer), (there_reader, writer)):
                pump = asyncio.create_task(self._pump(*ends))
                self._pumps.add(pump)
                pump.add_done_callback(self._pumps.discard)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(PIECE):
                await self._whole.wait()
                writer.write(piece)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()
