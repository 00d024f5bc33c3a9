"""The table of the console's routes; each needs somebody who is signed in."""

from functools import partial
from typing import Final

from messenger_core.errors import (
    KeyNotFound,
    KeyRevoked,
    SessionNotFound,
    TooManyTries,
    WrongPassword,
)
from messenger_server.admin.account import (
    change_password,
    close_one_session,
    close_sessions_of_others,
    rename_account,
    show_account,
)
from messenger_server.admin.audit import show_trail
from messenger_server.admin.data_table import DATA_ROUTES, POLL_HEADERS
from messenger_server.admin.keys import (
    change_key,
    create_key,
    extend_key,
    list_keys,
    revoke_key,
    rotate_key,
    show_key,
)
from messenger_server.api.route import Route
from messenger_server.auth.agents import Need

_Route = partial(Route, need=Need.CONSOLE)

ADMIN_ROUTES: Final = (
    *DATA_ROUTES,
    _Route("GET", "/admin/keys", list_keys, request_headers=POLL_HEADERS),
    _Route("POST", "/admin/keys", create_key, status=201),
    _Route("GET", "/admin/keys/{key_id}", show_key, refusals=(KeyNotFound,)),
    _Route("PATCH", "/admin/keys/{key_id}", change_key, refusals=(KeyNotFound, KeyRevoked)),
    _Route("POST", "/admin/keys/{key_id}/extend", extend_key, refusals=(KeyNotFound, KeyRevoked)),
    _Route(
        "POST",
        "/admin/keys/{key_id}/rotate",
        rotate_key,
        status=201,
        refusals=(KeyNotFound, KeyRevoked),
    ),
    _Route("POST", "/admin/keys/{key_id}/revoke", revoke_key, refusals=(KeyNotFound,)),
    _Route("GET", "/admin/account", show_account),
    _Route("PATCH", "/admin/account", rename_account),
    _Route(
        "POST",
        "/admin/account/password",
        change_password,
        status=204,
        refusals=(TooManyTries, WrongPassword),
    ),
    _Route(
        "DELETE",
        "/admin/account/sessions/{session_id}",
        close_one_session,
        status=204,
        refusals=(SessionNotFound,),
    ),
    _Route("POST", "/admin/account/sessions/revoke-others", close_sessions_of_others, status=204),
    _Route("GET", "/admin/audit", show_trail),
)
"""Every route of the console's data; a path that is not here is 404."""
