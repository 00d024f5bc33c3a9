"""Whose address counts: what trusted proxies vouch for, whatever anybody writes beside it."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messenger_server.web.client_address import (
    Trust,
    came_by_https,
    client_address,
    counted_as,
)

_PEER = "127.0.0.1"
_ADDRESSES = st.ip_addresses().map(str)
_ANYTHING = st.text(alphabet=st.characters(max_codepoint=255), max_size=40).map(
    lambda text: text.encode("latin-1")
)
_TRUSTS = st.one_of(st.none(), st.just("loopback"), st.integers(1, 4))


@pytest.mark.parametrize(
    ("peer", "forwarded", "trust", "client"),
    [
        (_PEER, [], 1, _PEER),
        (_PEER, [b"203.0.113.9"], None, _PEER),
        (_PEER, [b"203.0.113.9"], 1, "203.0.113.9"),
        (_PEER, [b"6.6.6.6, 203.0.113.9"], 1, "203.0.113.9"),
        (_PEER, [b"6.6.6.6", b"203.0.113.9"], 1, "203.0.113.9"),
        (_PEER, [b"203.0.113.9, 10.0.0.2"], 2, "203.0.113.9"),
        (_PEER, [b"6.6.6.6, 203.0.113.9, 10.0.0.2"], 2, "203.0.113.9"),
        (_PEER, [b"10.0.0.2"], 2, "10.0.0.2"),
        (_PEER, [b"nonsense, 10.0.0.2"], 2, "10.0.0.2"),
        (_PEER, [b"nonsense"], 1, _PEER),
        (_PEER, [b"203.0.113.9:4711"], 1, "203.0.113.9"),
        (_PEER, [b"[2001:db8::1]:4711"], 1, "2001:db8::1"),
        (_PEER, [b"2001:DB8:0::1"], 1, "2001:db8::1"),
        (_PEER, [b"203.0.113.9, 127.0.0.1, ::1"], "loopback", "203.0.113.9"),
        (_PEER, [b"6.6.6.6, 203.0.113.9"], "loopback", "203.0.113.9"),
        (_PEER, [b"127.0.0.1"], "loopback", _PEER),
        (_PEER, [b"203.0.113.9, nonsense"], "loopback", _PEER),
        ("198.51.100.1", [b"203.0.113.9"], "loopback", "198.51.100.1"),
        ("a socket", [b"203.0.113.9"], "loopback", "a socket"),
        (None, [b"203.0.113.9"], 1, "unknown"),
    ],
)
def test_the_client_is_whom_the_last_trusted_hop_names(
    peer: str | None, forwarded: list[bytes], trust: Trust, client: str
) -> None:
    assert client_address(peer, forwarded, trust) == client


@given(st.lists(_ANYTHING, max_size=5), _TRUSTS)
def test_whatever_is_forwarded_the_result_is_an_address(
    forwarded: list[bytes], trust: Trust
) -> None:
    ip_address(client_address(_PEER, forwarded, trust))


@given(st.lists(_ADDRESSES, min_size=4, max_size=6), _ANYTHING, st.integers(1, 4))
def test_what_stands_before_the_trusted_entries_changes_nothing(
    chain: list[str], invented: bytes, hops: int
) -> None:
    vouched = ", ".join(chain).encode()

    assert client_address(_PEER, [invented, vouched], hops) == client_address(
        _PEER, [vouched], hops
    )
    assert client_address(_PEER, [invented + b"," + vouched], hops) == chain[-hops]


@pytest.mark.parametrize(
    ("peer", "forwarded", "trust", "is_https"),
    [
        (_PEER, [], 1, False),
        (_PEER, [b"https"], 1, True),
        (_PEER, [b" HTTPS "], 1, True),
        (_PEER, [b"http"], 1, False),
        (_PEER, [b"https"], None, False),
        (_PEER, [b"https"], "loopback", True),
        ("198.51.100.1", [b"https"], "loopback", False),
        (None, [b"https"], 1, False),
        (_PEER, [b"https, http"], 1, False),
        (_PEER, [b"https", b"http"], 1, False),
        (_PEER, [b"https, http"], 2, True),
        (_PEER, [b"http, https, http"], 2, True),
        (_PEER, [b"https, http, http"], 2, False),
        (_PEER, [b"https"], 3, True),
    ],
)
def test_the_browser_speaks_tls_when_a_trusted_hop_says_so(
    peer: str | None, forwarded: list[bytes], trust: Trust, *, is_https: bool
) -> None:
    assert came_by_https("http", peer, forwarded, trust) is is_https
    assert came_by_https("https", peer, forwarded, trust) is True


@pytest.mark.parametrize(
    ("address", "subject"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("unknown", "unknown"),
        ("a:socket", "a:socket"),
    ],
)
def test_limits_count_an_ipv6_network_as_one_client(address: str, subject: str) -> None:
    assert counted_as(address) == subject
