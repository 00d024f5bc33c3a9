"""Framework: Litestar, without what it does merely because others may need it."""

import re
from typing import Final

from litestar import Litestar, Request
from litestar.config.app import AppConfig
from litestar.enums import ScopeType
from litestar.exceptions import ClientException
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.types import HTTPScope, Receive, Scope, Send

from messenger_server.api.route import WHOLE_REQUEST

_HOST: Final = re.compile(rb"[0-9A-Za-z!$&'()*+,;=._~:\[\]@%-]*")


class Application(Litestar):
    """A Litestar application for msgspec's structs alone.

    By itself Litestar also gets ready for pydantic, attrs and OpenTelemetry wherever it can import
    them, which other packages bring along: 13 MB that no route of ours asks for. It has no setting
    for that. Should it stop calling these two methods, nothing but the memory comes back.
    """

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]

    @staticmethod
    def _patch_opentelemetry_middleware(config: AppConfig) -> AppConfig:
        return config


class Routing:
    """Litestar's routing, with nothing between it and a handler of the whole request.

    What Litestar does around each call (arguments by their types, a stack of clean-ups, a second
    answer, who handles failures) costs more than its routing, and those handlers need none of it.
    Failures go to whoever called.
    """

    def __init__(self, app: Litestar) -> None:
        self._app = app.asgi_handler
        self._find = app.asgi_router.handle_routing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request.

        Raises:
            HTTPException: no route has its path or its method, or its host is none.
        """
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        _, handler, _, parameters, _ = self._find(path=scope["path"], method=scope["method"])
        if handler.opt != WHOLE_REQUEST:
            await self._app(scope, receive, send)
            return
        _refuse_host(scope)
        scope["path_params"] = parameters
        answer = await handler.fn(Request(scope, receive, send))
        await answer(scope, receive, send)


def _refuse_host(scope: HTTPScope) -> None:
    for name, value in scope["headers"]:
        if name == b"host" and not _HOST.fullmatch(value):
            raise ClientException("Invalid host header")
