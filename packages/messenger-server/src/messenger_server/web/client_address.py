"""Who the client is and how it came, as far as the trusted proxies vouch for it."""

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address
from typing import Final, Literal

Trust = int | Literal["loopback"] | None
"""How many hops in front of the server are ours; `loopback`: those on this machine; none."""

_UNKNOWN: Final = "unknown"
"""The peer of a connection that has no address, a Unix socket for instance."""
_INTERFACE_BITS: Final = 64
"""What the holder of an IPv6 network chooses freely in each of its addresses (RFC 4291)."""


def client_address(peer: str | None, forwarded_for: Iterable[bytes], trust: Trust) -> str:
    """Who made the request: the peer of the connection, or whom a trusted proxy names.

    `forwarded_for` are the values of every `X-Forwarded-For` header, in their order. Each proxy
    adds the address it was called from at the end, so the list is read from the right, and what
    stands left of the last trusted entry may be anybody's invention.
    """
    if peer is None or trust is None:
        return peer or _UNKNOWN
    entries = [entry.strip() for value in forwarded_for for entry in value.split(b",")]
    if trust == "loopback":
        return _behind_loopback(peer, entries)
    return _first_address(entries[-trust:]) or peer


def counted_as(address: str) -> str:
    """Whom a limit counts for an address: of IPv6 its whole /64, which one client walks at will.

    An IPv4 address counts as itself, however it is written; so does what is no address.
    """
    if ":" not in address:
        return address
    try:
        parsed = IPv6Address(address)
    except ValueError:
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    network = int(parsed) >> _INTERFACE_BITS << _INTERFACE_BITS
    return f"{IPv6Address(network)}/{_INTERFACE_BITS}"


def came_by_https(
    scheme: str, peer: str | None, forwarded_proto: Iterable[bytes], trust: Trust
) -> bool:
    """Whether the client speaks TLS: to the server, or to a trusted proxy that says so.

    `forwarded_proto` are the values of every `X-Forwarded-Proto` header, in their order; they are
    read as those of `X-Forwarded-For` are.
    """
    if scheme == "https":
        return True
    if peer is None or trust is None or (trust == "loopback" and not _is_loopback(peer)):
        return False
    entries = [entry.strip().lower() for value in forwarded_proto for entry in value.split(b",")]
    # Each proxy adds its own word or keeps the one that is there; the farthest trusted one counts.
    trusted = entries if trust == "loopback" else entries[-trust:]
    return bool(trusted) and trusted[-1 if trust == "loopback" else 0] == b"https"


def _behind_loopback(peer: str, entries: list[bytes]) -> str:
    if not _is_loopback(peer):
        return peer
    for entry in reversed(entries):
        address = _address(entry)
        if address is None:
            return peer
        if not _is_loopback(address):
            return address
    return peer


def _first_address(trusted: list[bytes]) -> str | None:
    """The farthest entry that a chain of well-formed ones leads to from the right."""
    farthest = None
    for entry in reversed(trusted):
        address = _address(entry)
        if address is None:
            break
        farthest = address
    return farthest


def _address(entry: bytes) -> str | None:
    """The address of an entry without its port, in its one usual form; None: it is none."""
    text = entry.decode("latin-1")
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ip_address(text))
    except ValueError:
        return None


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
