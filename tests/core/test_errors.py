"""The catalogue: every refusal has a code, a status, a title and a sentence of its own."""

from http import HTTPStatus

import pytest

from messenger_core.errors import (
    CATALOGUE,
    FieldError,
    InvalidRequest,
    MessengerError,
    NotFound,
    error_from_code,
)

_CODES = {
    400: "invalid_request invalid_json one_recipient_only self_message not_in_thread"
    " agent_id_missing agent_id_invalid",
    401: "api_key_missing api_key_unknown api_key_revoked api_key_expired"
    " console_session_required invalid_credentials",
    403: "mailbox_not_yours cross_site system_folder wrong_password wrong_setup_code",
    404: "not_found mailbox_not_found mailbox_not_registered message_not_found thread_not_found"
    " folder_not_found attachment_not_found link_not_found key_not_found session_not_found",
    405: "method_not_allowed",
    409: "address_taken agent_name_conflict agent_description_conflict folder_exists already_linked"
    " idempotency_conflict criterion_no_longer_met key_revoked already_set_up",
    413: "body_too_large attachment_too_large too_many_attachments",
    415: "unsupported_media_type",
    429: "rate_limited too_many_tries",
    500: "internal_error",
    503: "busy",
}
"""The contract's codes by status."""


@pytest.mark.parametrize(
    ("status", "code"),
    [(status, code) for status, codes in _CODES.items() for code in codes.split()],
)
def test_every_code_of_the_contract_has_its_status(status: int, code: str) -> None:
    assert CATALOGUE[code].status == status


@pytest.mark.parametrize("error", CATALOGUE.values(), ids=CATALOGUE.keys())
def test_every_error_is_told_in_a_sentence(error: type[MessengerError]) -> None:
    assert error.sentence.endswith(".")
    assert error.sentence[0].isupper()
    assert error.__doc__ is not None
    if error is not MessengerError:
        assert error.title == HTTPStatus(error.status).phrase or error.status in {413, 416}
        assert str(error()) == error.sentence


def test_codes_are_unique() -> None:
    def below(parent: type[MessengerError]) -> list[type[MessengerError]]:
        return [parent, *(found for child in parent.__subclasses__() for found in below(child))]

    assert len(CATALOGUE) == len(below(MessengerError))


def test_a_code_leads_to_its_class_and_an_unknown_one_to_the_base() -> None:
    assert error_from_code("not_found") is NotFound
    assert error_from_code("from_a_newer_server") is MessengerError


def test_an_error_carries_what_matters() -> None:
    error = InvalidRequest("Wrong.", errors=[FieldError("to", "is missing")])
    assert (error.detail, error.errors) == ("Wrong.", (FieldError("to", "is missing"),))
    assert InvalidRequest().errors == ()
