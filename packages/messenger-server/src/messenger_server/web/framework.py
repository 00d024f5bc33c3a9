"""Framework: Litestar, without what it loads merely because it happens to be installed."""

from litestar import Litestar
from litestar.config.app import AppConfig
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin


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
