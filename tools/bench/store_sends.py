"""What `store_c32` measures: sends through the database's writer, without HTTP.

    python -m tools.bench.store_sends DATABASE MAILBOXES SENDS

prints the seconds that so many senders, one for each mailbox, took for all sends together.
"""

import asyncio
import itertools
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from messenger_core.wire.messages import SendMessage
from messenger_server.database import Database
from messenger_server.store.delivering import Draft, deliver_many
from tools.bench.texts import Writer


async def main(database_path: str, mailboxes: int, sends: int) -> float:
    """Sends this many messages; seconds."""
    database = Database.open(Path(database_path))
    writer = Writer()
    texts = [(writer.subject(), writer.body(1000)) for _ in range(64)]
    numbers = iter(range(sends))
    begin = time.perf_counter()
    await asyncio.gather(
        *(
            _send_all(database, _drafts(sender, mailboxes, texts), numbers)
            for sender in range(1, mailboxes + 1)
        )
    )
    seconds = time.perf_counter() - begin
    await database.close()
    return seconds


async def _send_all(database: Database, drafts: Iterator[Draft], numbers: Iterator[int]) -> None:
    """One sender: takes its next number and sends until none is left."""
    for _number in numbers:
        await database.write_grouped(deliver_many, next(drafts))


def _drafts(sender: int, mailboxes: int, texts: list[tuple[str, str]]) -> Iterator[Draft]:
    """The sends of one mailbox to the next one, each with a key of its own."""
    recipient = f"bench-{sender % mailboxes}"
    for number in itertools.count():
        subject, body = texts[number % len(texts)]
        yield Draft(
            mailbox_id=sender,
            message=SendMessage(to=recipient, subject=subject, body=body),
            preview=body[:200],
            fingerprint=f"{sender}-{number}",
            idempotency_key=f"{number:016d}",
            is_armed=lambda _mailbox_id: False,
        )


if __name__ == "__main__":
    print(asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
