"""nginx with TLS in front of a server, configured by the documentation."""

import os
import re
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import httpx2
import pytest
import trustme

from support.server_process import STOP_SECONDS, ServerProcess, free_port, wait_until

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "reference" / "proxy.md"
HOST: Final = "localhost"


class ReverseProxy(NamedTuple):
    """A running nginx."""

    url: str
    trust: ssl.SSLContext
    """Knows its certificate."""

    def client(self, address: str = "127.0.0.1") -> httpx2.Client:
        """A client that comes from this address of the machine."""
        transport = httpx2.HTTPTransport(verify=self.trust, local_address=address)
        return httpx2.Client(transport=transport, base_url=self.url, timeout=20)


def documented() -> str:
    """The configuration that the documentation gives."""
    (found,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(found)


def nginx() -> str:
    """Where nginx is; the test is skipped where it cannot be had, and fails there in CI."""
    done = subprocess.run(
        [ROOT / "tools" / "nginx"], capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode == 0:
        return done.stdout.strip()
    reason = done.stderr.strip()
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def reverse_proxy(
    folder: Path, server: ServerProcess, changed: Mapping[str, str] | None = None
) -> Iterator[ReverseProxy]:
    """nginx as documented in front of the server; `changed` are other values of directives."""
    program, port = nginx(), free_port()
    trust = ssl.create_default_context()
    config = folder / "nginx.conf"
    config.write_text(_configuration(folder, port, server.port, trust, changed or {}))
    log = folder / "error.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [program, "-p", folder, "-c", config, "-e", "stderr"], stdout=errors, stderr=errors
        )
    proxy = ReverseProxy(f"https://{HOST}:{port}", trust)
    try:
        wait_until(
            lambda: process.poll() is not None or _answers(proxy), failure=lambda: log.read_text()
        )
        assert process.poll() is None, log.read_text()
        yield proxy
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def _answers(proxy: ReverseProxy) -> bool:
    with proxy.client() as client:
        try:
            client.get("/")
        except httpx2.ConnectError:
            return False
    return True


def _configuration(
    folder: Path, port: int, server_port: int, trust: ssl.SSLContext, changed: Mapping[str, str]
) -> str:
    """What is documented, with what this machine needs around it and in it."""
    authority = trustme.CA()
    authority.configure_trust(trust)
    certificate = authority.issue_cert(HOST)
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    for pem in certificate.cert_chain_pems:
        pem.write_to_path(folder / "chain.pem", append=True)
    values = {
        "listen": f"127.0.0.1:{port} ssl",
        "server_name": HOST,
        "ssl_certificate": str(folder / "chain.pem"),
        "ssl_certificate_key": str(folder / "key.pem"),
        "proxy_pass": f"http://127.0.0.1:{server_port}",
        **changed,
    }
    text = documented()
    for directive, value in values.items():
        text, count = re.subn(rf"(?m)^(\s*{directive}\s+).*;$", rf"\g<1>{value};", text)
        assert count == 1, f"{PAGE.name} does not set {directive} once"
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"    {kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    return (
        f"daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\n"
        f"events {{ worker_connections 64; }}\n"
        f"http {{\n    access_log off;\n{temporary}{text}}}\n"
    )
