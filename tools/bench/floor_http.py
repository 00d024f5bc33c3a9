"""The HTTP floors: a bare Litestar app that decodes the same send and answers with constants.

python -m tools.bench.floor_http PORT SEND_BYTES LIST_BYTES
"""

import sys

import uvicorn
from litestar import Litestar, Response, get, post
from litestar.types import ASGIApp

from messenger_core.wire.messages import SendMessage


def bare_app(send_bytes: int, list_bytes: int) -> Litestar:
    """The app: its answers have these sizes."""
    sent = _json_of(send_bytes)
    listed = _json_of(list_bytes)

    @post("/api/messages", sync_to_thread=False)
    def send(data: SendMessage) -> Response[bytes]:
        return Response(sent, media_type="application/json", status_code=201)

    @get("/api/messages", sync_to_thread=False)
    def list_messages() -> Response[bytes]:
        return Response(listed, media_type="application/json")

    return Litestar([send, list_messages], openapi_config=None, logging_config=None)


def serve(app: ASGIApp, port: int) -> None:
    """Runs an app as the server is run: uvicorn, httptools, the asyncio loop, one process."""
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        http="httptools",
        loop="asyncio",
        log_level="warning",
        access_log=False,
    )


def _json_of(size_bytes: int) -> bytes:
    """A JSON text of this size."""
    return b'"' + b"x" * (size_bytes - 2) + b'"'


if __name__ == "__main__":
    serve(bare_app(int(sys.argv[2]), int(sys.argv[3])), int(sys.argv[1]))
