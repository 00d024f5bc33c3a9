"""An address, a fixed address and a claimed name mean the same mailbox at every door."""

from pathlib import Path

import pytest
from sqlalchemy import insert

from messenger_core.errors import AddressTaken, MailboxNotFound, MailboxNotYours
from messenger_core.schema import claimed_name
from messenger_core.wire.mailboxes import RegisterMailbox
from messenger_server.database import Batch, Database
from messenger_server.store.mailboxes import MailboxRow, card, find_mailbox
from messenger_server.store.registration import register
from support.post_office import PostOffice


def _claim(batch: Batch, slug: str, mailbox: MailboxRow) -> None:
    row = {
        "slug": slug,
        "name": "Status check",
        "mailbox_id": mailbox.id,
        "agent_name": "A",
        "created_at": batch.now_ms,
        "last_seen_at": batch.now_ms,
    }
    batch.connection.execute(insert(claimed_name), row)


@pytest.mark.parametrize("name", ["status-check", "Status check", "STATUS, check!"])
def test_a_claimed_name_is_understood_as_its_slug_and_as_written(
    office: PostOffice, name: str
) -> None:
    alice, chat = office.mailbox(), office.mailbox()
    office.write(_claim, "status-check", chat)
    sent = office.send(alice, name)
    assert (sent.to.id, sent.recipient_never_connected) == (chat.address, False)
    assert office.read(card, alice.id, name).id == chat.address
    assert office.list(chat, from_=alice.address).total == 1


def test_a_claimed_name_is_no_free_fixed_address(office: PostOffice) -> None:
    chat = office.mailbox(agent_name="A")
    office.write(_claim, "status-check", chat)
    key = office.key()
    with pytest.raises(AddressTaken):
        office.write(register, key, "status-check", RegisterMailbox(fresh=True))
    with pytest.raises(MailboxNotYours):
        office.write(register, office.key("Status check"), "status-check", RegisterMailbox())
    row, registered = office.write(register, key, "status-check", RegisterMailbox())
    assert (row.id, registered.created) == (chat.id, False)


def test_an_existing_address_comes_before_a_claimed_name(office: PostOffice) -> None:
    alice, bob, chat = office.mailbox(), office.mailbox("bob"), office.mailbox()
    office.write(_claim, "bob", chat)
    assert office.send(alice, "bob").to.id == bob.address


def test_what_nobody_has_is_not_there(office: PostOffice) -> None:
    alice = office.mailbox()
    for address in "nobody", "No Body", "!!!", "box_0123456789abcdef":
        with pytest.raises(MailboxNotFound):
            office.read(card, alice.id, address)


async def test_the_mailbox_of_a_request_is_found_by_address_or_name(
    office: PostOffice, base_path: Path
) -> None:
    bob, chat = office.mailbox("bob", agent_name="B"), office.mailbox()
    office.write(_claim, "status-check", chat)
    office.send(bob, "later")
    database = Database.open(base_path)
    assert await find_mailbox(database, "bob") == bob
    assert await find_mailbox(database, "status-check") == chat
    later = await find_mailbox(database, "later")
    assert later is not None
    assert (later.registered, later.agent_name) == (False, None)
    assert await find_mailbox(database, "nobody") is None
    await database.close()
