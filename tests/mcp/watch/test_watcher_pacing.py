"""When lines go out: at once after a silence, then one every two seconds, and nothing uncounted."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from messenger_mcp.pacing import Outbox, Pace
from support.wait_peer import a_link, a_message


def _taken(outbox: Outbox, now: float) -> list[str]:
    lines = []
    while (line := outbox.take(now)) is not None:
        lines.append(line.text)
    return lines


def _counted(line: str) -> int:
    burst = re.match(r"\[messenger\] (\d+) new messages", line)
    return int(burst[1]) if burst else 1


def test_the_first_messages_after_a_silence_have_a_line_each_at_once() -> None:
    outbox = Outbox(Pace(), 0.0)
    for seq in (1, 2, 3):
        outbox.add(a_message(seq), 0.0)

    assert len(_taken(outbox, 0.0)) == 3


def test_after_the_first_lines_one_goes_out_every_two_seconds() -> None:
    outbox = Outbox(Pace(), 0.0)
    went_out = []
    for tick in range(200):
        now = tick / 10
        outbox.add(a_message(tick + 1), now)
        went_out += [now for _ in _taken(outbox, now)]

    later = went_out[3:]
    assert all(second - first >= 1.99 for first, second in pairwise(later))
    assert len(went_out) <= 3 + 20 / 2


def test_what_comes_faster_is_one_line() -> None:
    outbox = Outbox(Pace(), 0.0)
    for seq in range(1, 2001):
        outbox.add(a_message(seq), 0.0)

    lines = _taken(outbox, 0.0)

    assert len(lines) == 3
    assert lines[2].startswith("[messenger] 1998 new messages — newest: planner — ")
    assert "(msg_00000007d0)" in lines[2]
    assert len(outbox) == 0


def test_links_are_never_merged_and_keep_their_place() -> None:
    outbox = Outbox(Pace(), 0.0)
    for seq in range(1, 21):
        outbox.add(a_link(seq) if seq in {10, 11} else a_message(seq), 0.0)

    places = []
    for now in (0.0, 2.0, 4.0, 6.0):
        while (line := outbox.take(now)) is not None:
            places.append((line.last_seq, "linked with" in line.text, _counted(line.text)))

    assert places == [
        (1, False, 1),
        (2, False, 1),
        (9, False, 7),
        (10, True, 1),
        (11, True, 1),
        (20, False, 9),
    ]


def test_a_line_is_due_exactly_when_it_is_said_to_be() -> None:
    outbox = Outbox(Pace(), 0.0)
    for seq in range(1, 5):
        outbox.add(a_message(seq), 0.0)
        _taken(outbox, 0.0)
    due = outbox.seconds_to_next(0.5)

    assert due is not None
    assert 0 < due <= 1.5
    assert outbox.take(0.5 + due - 0.01) is None
    assert outbox.take(0.5 + due) is not None


def test_an_empty_outbox_is_never_due() -> None:
    assert Outbox(Pace(), 0.0).seconds_to_next(5.0) is None


@given(
    steps=st.lists(
        st.tuples(st.floats(0, 5), st.sampled_from(["message", "link", "look"])), max_size=200
    )
)
def test_every_message_is_counted_in_exactly_one_line_in_order(
    steps: list[tuple[float, str]],
) -> None:
    outbox, now, seq, messages, links = Outbox(Pace(), 0.0), 0.0, 0, 0, 0
    lines = []
    for passed, what in [*steps, *[(2.0, "look")] * (len(steps) + 1)]:
        now += passed
        if what == "look":
            while (line := outbox.take(now)) is not None:
                lines.append(line)
            continue
        seq += 1
        messages, links = messages + (what == "message"), links + (what == "link")
        outbox.add(a_message(seq) if what == "message" else a_link(seq), now)

    texts = [line.text for line in lines if "linked with" not in line.text]
    assert sum(_counted(text) for text in texts) == messages
    assert len(lines) - len(texts) == links
    assert [line.last_seq for line in lines] == sorted({line.last_seq for line in lines})
    assert not lines or lines[-1].last_seq == seq
