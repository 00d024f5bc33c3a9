"""Who gets which mailbox, and which agent it belongs to."""

from typing import Any

import pytest

from messenger_core.errors import (
    AddressTaken,
    AgentDescriptionConflict,
    AgentNameConflict,
    MailboxNotFound,
    MailboxNotYours,
    MessengerError,
)
from messenger_core.ids import is_box_address
from messenger_core.times import rfc3339
from messenger_core.wire.mailboxes import Registered, RegisterMailbox, RenameMailbox
from messenger_server.store.keys import KeyRow, revoke_key
from messenger_server.store.mailboxes import rename
from messenger_server.store.registration import register
from support.post_office import PostOffice


def _register(
    office: PostOffice, key: KeyRow, address: str | None = None, **fields: Any
) -> Registered:
    row, registered = office.write(register, key, address, RegisterMailbox(**fields))
    assert (row.address, row.agent_name) == (registered.mailbox.id, registered.mailbox.agent_name)
    assert row.registered
    return registered


def test_without_address_the_server_gives_one(office: PostOffice) -> None:
    key = office.key()
    first, second = _register(office, key), _register(office, key)
    assert first.created
    assert is_box_address(first.mailbox.id)
    assert first.mailbox.id != second.mailbox.id
    assert first.mailbox.created_at == first.mailbox.last_seen_at
    assert (first.mailbox.last_activity_at, first.mailbox.linked) == (None, False)


def test_a_known_address_is_refreshed(office: PostOffice) -> None:
    key = office.key()
    first = _register(office, key, agent_name="A")
    again = _register(office, key, first.mailbox.id)
    assert not again.created
    assert again.mailbox.created_at == first.mailbox.created_at
    assert again.mailbox.last_seen_at == rfc3339(office.now_ms)
    assert again.mailbox.agent_name == "A"  # an absent name leaves what is there


def test_an_unknown_fixed_address_is_created_and_an_invented_one_is_not(
    office: PostOffice,
) -> None:
    key = office.key()
    assert _register(office, key, "bob").created
    for invented in "box_0123456789abcdef", "Not an address":
        with pytest.raises(MailboxNotFound):
            _register(office, key, invented)


def test_a_purged_address_does_not_come_back_unless_it_is_fixed(office: PostOffice) -> None:
    key = office.key()
    given, fixed = office.mailbox(key=key), office.mailbox("bob", key=key)
    office.delete(given)
    office.delete(fixed)
    with pytest.raises(MailboxNotFound):
        _register(office, key, given.address)
    assert _register(office, key, "bob").created


def test_fresh_requires_that_a_fixed_address_is_free(office: PostOffice) -> None:
    key = office.key()
    assert _register(office, key, "bob", fresh=True).created
    with pytest.raises(AddressTaken):
        _register(office, key, "bob", fresh=True)
    given = _register(office, key, fresh=True)
    assert not _register(office, key, given.mailbox.id, fresh=True).created


def test_the_answer_says_what_the_key_is(office: PostOffice) -> None:
    facts = _register(office, office.key("Bob")).key
    assert (facts.name, facts.agent_name, facts.expires_at) == ("a key", "Bob", None)


class TestNames:
    """Names come from the configuration until somebody sets them."""

    def test_names_of_a_new_mailbox_are_taken(self, office: PostOffice) -> None:
        names = {
            "agent_name": "A",
            "agent_description": "does a",
            "display_name": "now",
            "description": "this",
        }
        mailbox = _register(office, office.key(), **names).mailbox
        assert {name: getattr(mailbox, name) for name in names} == names

    def test_empty_and_null_are_absent(self, office: PostOffice) -> None:
        key = office.key()
        first = _register(office, key, agent_name="A", agent_description="does a")
        for nothing in "", None:
            again = _register(
                office, key, first.mailbox.id, agent_name=nothing, agent_description=nothing
            )
            assert again.mailbox.agent_name == "A"
            assert again.mailbox.agent_description == "does a"
        assert _register(office, key, agent_name="", display_name="").mailbox.agent_name is None

    def test_a_key_for_all_may_change_the_agent(self, office: PostOffice) -> None:
        key = office.key()
        first = _register(office, key, agent_name="A", agent_description="does a")
        again = _register(office, key, first.mailbox.id, agent_name="B")
        assert (again.mailbox.agent_name, again.mailbox.agent_description) == ("B", "does a")

    def test_a_display_name_of_the_configuration_counts_the_first_time_alone(
        self, office: PostOffice
    ) -> None:
        key = office.key()
        first = _register(office, key, display_name="first", description="one")
        again = _register(office, key, first.mailbox.id, display_name="again", description="two")
        assert (again.mailbox.display_name, again.mailbox.description) == ("first", "one")

    def test_a_mailbox_made_by_mail_takes_it_when_it_connects(self, office: PostOffice) -> None:
        office.send(office.mailbox(), "later")
        connected = _register(office, office.key(), "later", display_name="mine")
        assert (connected.created, connected.mailbox.display_name) == (False, "mine")

    def test_a_name_set_later_stays(self, office: PostOffice) -> None:
        key = office.key()
        row = office.mailbox(key=key, display_name="first", description="one")
        names = RenameMailbox(display_name="set", description=None)
        renamed = office.write(rename, row.id, names)
        assert (renamed.display_name, renamed.description) == ("set", None)
        again = _register(office, key, row.address, display_name="x", description="y").mailbox
        assert (again.display_name, again.description) == ("set", None)
        unchanged = office.write(rename, row.id, RenameMailbox())
        assert unchanged.display_name == "set"


class TestBoundKeys:
    """A bound key gives its agent, and keeps it."""

    def test_it_gives_its_own_name_and_description(self, office: PostOffice) -> None:
        key = office.key("Bob", agent_description="builds")
        mailbox = _register(office, key).mailbox
        assert (mailbox.agent_name, mailbox.agent_description) == ("Bob", "builds")
        same = _register(office, key, agent_name="Bob", agent_description="builds")
        assert same.mailbox.agent_name == "Bob"

    @pytest.mark.parametrize(
        ("fields", "refusal"),
        [
            ({"agent_name": "Eve"}, AgentNameConflict),
            ({"agent_description": "breaks"}, AgentDescriptionConflict),
        ],
    )
    def test_another_value_is_a_conflict(
        self, office: PostOffice, fields: dict[str, str], refusal: type[MessengerError]
    ) -> None:
        key = office.key("Bob", agent_description="builds")
        with pytest.raises(refusal):
            _register(office, key, **fields)

    @pytest.mark.parametrize(
        ("fields", "refusal"),
        [
            ({"agent_name": "Eve"}, AgentNameConflict),
            ({"agent_description": "breaks"}, AgentDescriptionConflict),
        ],
    )
    def test_the_mailbox_keeps_its_agent_with_a_key_for_all(
        self, office: PostOffice, fields: dict[str, str], refusal: type[MessengerError]
    ) -> None:
        key = office.key("Bob", agent_description="builds")
        address = _register(office, key).mailbox.id
        with pytest.raises(refusal):
            _register(office, office.key(), address, **fields)
        kept = _register(office, office.key(), address, agent_name="Bob").mailbox
        assert (kept.agent_name, kept.agent_description) == ("Bob", "builds")
        # Also after a key for all was the last to register it.
        with pytest.raises(refusal):
            _register(office, office.key(), address, **fields)

    def test_it_opens_no_mailbox_of_another_agent(self, office: PostOffice) -> None:
        anns = office.mailbox(agent_name="Ann")
        with pytest.raises(MailboxNotYours):
            _register(office, office.key("Bob"), anns.address)

    def test_a_mailbox_made_by_mail_belongs_to_the_first_that_registers_it(
        self, office: PostOffice
    ) -> None:
        office.send(office.mailbox(), "later")
        bob = office.key("Bob")
        assert _register(office, bob, "later").mailbox.agent_name == "Bob"
        with pytest.raises(MailboxNotYours):
            _register(office, office.key("Eve"), "later")

    def test_it_takes_a_mailbox_without_agent(self, office: PostOffice) -> None:
        nameless = office.mailbox()
        taken = _register(office, office.key("Bob"), nameless.address)
        assert taken.mailbox.agent_name == "Bob"


class TestReservedAddresses:
    """The slug of an agent with a bound key is for that agent's keys."""

    def test_another_key_cannot_register_it(self, office: PostOffice) -> None:
        bob = office.key("Bob the Builder")
        for other in office.key(), office.key("Eve"):
            with pytest.raises(AddressTaken):
                _register(office, other, "bob-the-builder")
        assert _register(office, bob, "bob-the-builder").created
        # The mailbox has its agent now: a key for all opens it, another agent's does not.
        assert not _register(office, office.key(), "bob-the-builder").created
        with pytest.raises(MailboxNotYours):
            _register(office, office.key("Eve"), "bob-the-builder")

    def test_mail_may_be_sent_there_and_waits_for_the_agent(self, office: PostOffice) -> None:
        bob = office.key("Bob")
        assert office.send(office.mailbox(), "bob").recipient_never_connected
        for other in office.key(), office.key("Eve"):
            with pytest.raises(AddressTaken):
                _register(office, other, "bob")
        adopted = _register(office, bob, "bob")
        assert (adopted.created, adopted.mailbox.agent_name) == (False, "Bob")

    def test_a_mailbox_that_has_another_agent_stays_its_own(self, office: PostOffice) -> None:
        ann = office.mailbox("bob", agent_name="Ann")
        bob = office.key("Bob")
        with pytest.raises(MailboxNotYours):
            _register(office, bob, "bob")
        assert _register(office, office.key("Ann"), ann.address).mailbox.agent_name == "Ann"

    def test_a_dead_key_reserves_nothing(self, office: PostOffice) -> None:
        bob = office.key("Bob")
        office.write(revoke_key, bob.public_id)
        assert _register(office, office.key(), "bob").created

    def test_two_agents_of_one_slug_do_not_share_an_address(self, office: PostOffice) -> None:
        older, younger = office.key("Bob"), office.key("bob")
        with pytest.raises(AddressTaken):
            _register(office, younger, "bob")
        assert _register(office, older, "bob").created
