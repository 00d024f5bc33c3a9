"""The floor of the console: a page of one line, which is there as soon as it is read.

python -m tools.bench.floor_page PORT
"""

import sys

from litestar import Litestar, MediaType, get

from tools.bench.floor_http import serve

_PAGE = '<!doctype html><html lang="en"><title>floor</title><button data-thread>a line</button>'


def one_page() -> Litestar:
    """The app: it answers with the page alone."""

    @get("/", media_type=MediaType.HTML, sync_to_thread=False)
    def page() -> str:
        return _PAGE

    return Litestar([page], openapi_config=None, logging_config=None)


if __name__ == "__main__":
    serve(one_page(), int(sys.argv[1]))
